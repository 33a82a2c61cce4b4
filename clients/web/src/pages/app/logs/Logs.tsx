import type { Resource } from "@contract/causeway/inventory/v1/application_pb";
import { Download } from "lucide-react";
import { useEffect, useState } from "react";
import { FailureState } from "@/failure";
import { Elapsed, formatCount, plural } from "@/format";
import { StateMark } from "@/state";
import { Banner, Button, EmptyState, SearchField, Select, Switch } from "@/ui";
import { useApp } from "../context";
import { useParam, useSetParams } from "../data/search";
import { levels } from "./levels";
import { formatLineTime, LogLines, type Times } from "./LogLines";
import { placeText, readPlace } from "./place";
import type { LogSource } from "./source";
import { useLog } from "./useLog";

const MINUTE = 60_000;
const spans = { last: { text: "Last 1,000 lines", millis: 0 }, "5m": { text: "Last 5 min", millis: 5 * MINUTE }, "1h": { text: "Last hour", millis: 60 * MINUTE }, "6h": { text: "Last 6 h", millis: 360 * MINUTE }, "24h": { text: "Last 24 h", millis: 1_440 * MINUTE } } as const;
type Span = keyof typeof spans;

const timeChoices = [
  { key: "local", text: "Local time" },
  { key: "utc", text: "UTC" },
  { key: "none", text: "No time" },
] as const satisfies readonly { key: Times; text: string }[];

const ALL = "all";
/** Typing reaches the server after this time. */
const TYPING = 400;

/** The logs of a resource, or of all pods of the application, as one. */
export default function Logs({ resource }: { resource?: Resource }) {
  const { key, reason } = useApp();
  const [text = "", setText] = useParam("log");
  const [container = "", setContainer] = useParam("container");
  const [sinceText, setSince] = useParam("since");
  const [timesText, setTimes] = useParam("times");
  const [levelText, setLevel] = useParam("level");
  const [lineText, setLine] = useParam("line");
  const [flags = ""] = useParam("logs");
  const set = useSetParams();
  const since = (sinceText !== undefined && Object.hasOwn(spans, sinceText) ? sinceText : "last") as Span;
  const level = levels.find((each) => each.key === levelText)?.key ?? "all";
  const place = readPlace(lineText);
  // A line that is chosen later is there already, so that only the first one decides what is read.
  const [around] = useState(place?.time);
  const times = timeChoices.find((each) => each.key === timesText)?.key ?? "local";
  const has = (flag: string) => flags.split(",").includes(flag);
  const toggle = (flag: string) => {
    const next = has(flag) ? flags.split(",").filter((each) => each !== flag) : [...flags.split(",").filter(Boolean), flag];
    set({ logs: next.join(",") || undefined });
  };
  const follow = !has("still");
  const source = useLog(key, { resource, container, text, invert: has("without"), level, previous: has("previous"), follow, since: spans[since].millis, around });
  const refusal = reason("log.get");
  if (refusal) return <EmptyState title="Logs cannot be read">{refusal}</EmptyState>;
  if (!source) return null;
  const names = [...new Set([...source.containers.keys()].map((each) => each.split("/")[1] ?? ""))].sort();
  const choices = [{ key: ALL, text: "All containers" }, ...[...new Set([...names, container].filter(Boolean))].map((each) => ({ key: each, text: each }))];
  return (
    <div className="flex min-h-0 grow flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <TypedFilter value={text} onChange={(next) => setText(next || undefined)} />
        <Select label="Container" hideLabel className="w-36" value={container || ALL} onChange={(next) => setContainer(next === ALL ? undefined : next)} choices={choices} />
        <Select label="Level" hideLabel className="w-36" value={level} onChange={(next) => setLevel(next === "all" ? undefined : next)} choices={levels} />
        <Select<Span> label="Since" hideLabel className="w-36" value={since} onChange={(next) => setSince(next === "last" ? undefined : next)} choices={(Object.keys(spans) as Span[]).map((each) => ({ key: each, text: spans[each].text }))} />
        <Select<Times> label="Times" hideLabel className="w-28" value={times} onChange={(next) => setTimes(next === "local" ? undefined : next)} choices={timeChoices} />
        <Switch isSelected={follow && !has("previous")} isDisabled={has("previous")} onChange={() => toggle("still")}>Follow</Switch>
        <Switch isSelected={has("wrap")} onChange={() => toggle("wrap")}>Wrap</Switch>
        {text !== "" && <Switch isSelected={has("without")} onChange={() => toggle("without")}>Without the text</Switch>}
        <Switch isSelected={has("previous")} onChange={() => toggle("previous")}>Previous container</Switch>
        <span className="grow" />
        <Button icon={<Download size={14} aria-hidden />} isDisabled={source.lines.length === 0} onPress={() => download(source, resource?.name ?? key.name)}>Download</Button>
      </div>
      <StateLine source={source} />
      {source.state.kind === "failed" ? (
        <FailureState error={source.state.problem} what="read the logs" onRetry={() => location.reload()} />
      ) : (
        <LogLines key={flags} source={source} wraps={has("wrap")} times={times} highlight={has("without") ? "" : text} isSingle={source.containers.size < 2} isFiltered={text !== "" || level !== "all"} place={place} onPlace={(line) => setLine(line && placeText(line))} />
      )}
    </div>
  );
}

function TypedFilter({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), TYPING);
    return () => clearTimeout(timer);
  });
  return <SearchField label="Filter lines at the server" placeholder="text in the line" value={typed} onChange={setTyped} className="w-56 max-wide:w-full" />;
}

function StateLine({ source }: { source: LogSource }) {
  const { state, containers, lines } = source;
  const unread = [...containers].filter(([, error]) => error !== "");
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 text-label text-dim" role="status">
        {state.kind === "live" && <StateMark state="healthy">live</StateMark>}
        {state.kind === "connecting" && <StateMark state="running">reading</StateMark>}
        {state.kind === "ended" && <StateMark state="suspended">ended</StateMark>}
        {state.kind === "reconnecting" && <StateMark state="waiting">connection lost</StateMark>}
        {state.kind === "reconnecting" && <span>since <Elapsed since={state.since} />; goes on where it was</span>}
        <span className="numbers">{plural(containers.size, "container")}</span>
        <span className="numbers">{plural(lines.length, "line")}</span>
        {lines.dropped > 0 && <span className="numbers">{formatCount(lines.dropped)} older ones fell out</span>}
      </div>
      {unread.length > 0 && <Banner tone="warn">{unread[0]?.[0]}: {unread[0]?.[1]}{unread.length > 1 && ` and ${unread.length - 1} more containers`}</Banner>}
    </>
  );
}

function download({ lines }: LogSource, name: string) {
  const text = [...lines].map(({ source, time, text }) => `${formatLineTime(time, "utc")} ${source} ${text}\n`);
  const url = URL.createObjectURL(new Blob(text, { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.log`;
  link.click();
  URL.revokeObjectURL(url);
}
