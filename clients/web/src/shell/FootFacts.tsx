import { Connection } from "@contract/causeway/platform/v1/runtime_service_pb";
import { useRuntimes, useSummary } from "@/data";
import { useEffect } from "react";
import { now, plural } from "@/format";
import { setReadAt } from "./freshness";
import { BareLink } from "@/ui/Link";

/** How many runtimes there are and are silent, and what runs; nothing where the user may not list them. */
export default function FootFacts() {
  const { runtimes } = useRuntimes();
  const { data: summary, dataUpdatedAt } = useSummary({ mostProblems: 20 }, { interval: 15_000 });
  useEffect(() => {
    if (dataUpdatedAt > 0) setReadAt(now() + dataUpdatedAt - Date.now());
  }, [dataUpdatedAt]);
  const silent = runtimes?.filter(({ connection }) => connection === Connection.OFFLINE).length ?? 0;
  const running = summary?.runningTotal ?? 0n;
  return (
    <>
      {runtimes && (
        <BareLink to="/runtimes" className="numbers rounded-control hover:text-text">
          {plural(runtimes.length, "runtime")}
          {silent > 0 && <span className="text-bad">, {silent} silent</span>}
        </BareLink>
      )}
      {running > 0n && (
        <BareLink to="/apps" search={{ operation: "running,terminating" }} className="numbers rounded-control hover:text-text">
          {plural(running, "running", "running")}
        </BareLink>
      )}
    </>
  );
}
