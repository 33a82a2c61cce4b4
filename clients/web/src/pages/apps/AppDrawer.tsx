import type { ReactNode } from "react";
import { useRows } from "@/data";
import { Elapsed, Name, plainLine, Revision, Time } from "@/format";
import { phaseState, StateMark, syncState } from "@/state";
import { Command, Drawer, EmptyState, Link, SkeletonRows } from "@/ui";
import { appCommand } from "./commandLine";
import { Health } from "./columns";

/** The application in short, beside the list. */
export function AppDrawer({ target, onClose, isSilent }: { target: string; onClose: () => void; isSilent: (runtime: string) => boolean }) {
  const rows = useRows([target]);
  const row = rows?.get(target);
  const [runtime = "", cluster = "", namespace = "", name = ""] = target.split("/");
  return (
    <Drawer title={<Name>{name}</Name>} label={`Application ${name}`} onClose={onClose}>
      {!rows && <SkeletonRows count={5} />}
      {rows && !row && <EmptyState title="No such application">It was deleted, or your roles do not include it.</EmptyState>}
      {row && (
        <div className="flex flex-col gap-4">
          <Link to="/apps/$runtime/$cluster/$namespace/$name" params={{ runtime, cluster, namespace, name }}>Open the application</Link>
          <dl className="grid grid-cols-[7rem_1fr] gap-x-3 gap-y-1.5">
            <Fact name="Health"><span className="flex items-center gap-2"><Health row={row} isSilent={isSilent(row.runtime)} /> <Elapsed since={row.healthSince} className="text-dim" /></span></Fact>
            {row.healthMessage && <Fact name="Why">{plainLine(row.healthMessage)}</Fact>}
            <Fact name="Sync"><StateMark state={syncState(row.sync)} /></Fact>
            <Fact name="Revision">{row.revision ? <Revision>{row.revision}</Revision> : "–"}{row.targetRevision && <span className="text-dim"> of {row.targetRevision}</span>}</Fact>
            <Fact name="Automated">{row.automated ? "yes" : "no"}</Fact>
            <Fact name="Runtime">{row.runtime} / {row.cluster}</Fact>
            <Fact name="Namespace">{row.namespace}</Fact>
            <Fact name="Project">{row.project}</Fact>
            {row.parent && <Fact name="Parent">{row.parent}</Fact>}
            <Fact name="Last change"><Time at={row.receivedAt} /></Fact>
            {row.operation && <Fact name={row.operation.isDryRun ? "Dry run" : "Operation"}><StateMark state={phaseState(row.operation.phase).state}>{phaseState(row.operation.phase).word}</StateMark></Fact>}
            {row.operation?.message && <Fact name="Message">{row.operation.message}</Fact>}
          </dl>
          <Command>{appCommand("get", [row])}</Command>
        </div>
      )}
    </Drawer>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-dim">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}
