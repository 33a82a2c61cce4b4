import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ListAuditRecordsRequestSchema, AuditRecord } from "@contract/causeway/platform/v1/audit_service_pb";
import { Outcome } from "@contract/causeway/platform/v1/authorization_service_pb";
import type { Search } from "@/search";
import type { State } from "@/words";
import { methodPath } from "./methods";

export const spans = [
  { key: "1h", text: "Last hour", milliseconds: 3_600_000 },
  { key: "24h", text: "Last 24 h", milliseconds: 86_400_000 },
  { key: "7d", text: "Last 7 days", milliseconds: 7 * 86_400_000 },
  { key: "30d", text: "Last 30 days", milliseconds: 30 * 86_400_000 },
  { key: "all", text: "All", milliseconds: 0 },
] as const;

export type Span = (typeof spans)[number]["key"];

export const endings = [
  { key: "any", text: "Any end" },
  { key: "denied", text: "Denied" },
  { key: "failed", text: "Failed" },
  { key: "unknown", text: "Unknown" },
  { key: "pending", text: "Pending" },
  { key: "succeeded", text: "Succeeded" },
] as const;

export type Ending = (typeof endings)[number]["key"];

/** The filters of the URL, in the order in which they are shown. */
export const filterNames = ["user", "method", "runtime", "target", "end", "span", "until", "request", "chain"] as const;

const outcomes: Partial<Record<Ending, Outcome>> = { failed: Outcome.FAILED, unknown: Outcome.UNKNOWN, succeeded: Outcome.SUCCEEDED };

/** Reads the filters of the URL; times are cut to minutes, so that a render does not make another request. */
export function requestOf(search: Search, now: number): MessageInitShape<typeof ListAuditRecordsRequestSchema> {
  const { user = "", method = "", runtime = "", target = "", request = "", until, chain } = search;
  const end = endings.find(({ key }) => key === search["end"])?.key ?? "any";
  const span = spanOf(search);
  const upper = until ? Date.parse(until) : Number.NaN;
  const length = spans.find(({ key }) => key === span)?.milliseconds ?? 0;
  const from = length > 0 ? Math.floor(((Number.isNaN(upper) ? now : upper) - length) / 60_000) * 60_000 : undefined;
  return {
    pageSize: 100,
    subject: user === "" || user.includes(":") ? user : `user:${user}`,
    method: method === "" ? "" : methodPath(method),
    runtime,
    target,
    requestId: request,
    platform: chain === "platform",
    outcome: outcomes[end] ?? Outcome.UNSPECIFIED,
    denied: end === "denied",
    pending: end === "pending",
    ...(from === undefined ? {} : { since: timestampFromMs(from) }),
    ...(Number.isNaN(upper) ? {} : { until: timestampFromMs(upper) }),
  };
}

export function spanOf(search: Search): Span {
  return spans.find(({ key }) => key === search["span"])?.key ?? "7d";
}

/** How a call ended, in the words of the command line. */
export function endingOf({ denied, outcome }: AuditRecord): { word: string; state: State } {
  if (denied) return { word: "Denied", state: "refused" };
  switch (outcome) {
    case Outcome.SUCCEEDED:
      return { word: "Succeeded", state: "healthy" };
    case Outcome.FAILED:
      return { word: "Failed", state: "degraded" };
    case Outcome.UNKNOWN:
      return { word: "Unknown", state: "unknown" };
    default:
      return { word: "Pending", state: "running" };
  }
}

/** The command that lists the same. */
export function listCommand(search: Search): string {
  const { user, method, runtime, target, request, until, chain } = search;
  const span = spanOf(search);
  const end = search["end"];
  const flags: [string, string | undefined][] = [
    ["--user", user],
    ["--method", method],
    ["--runtime", runtime],
    ["--target", target],
    ["--request-id", request],
    ["--since", span === "all" ? undefined : span],
    ["--until", until],
    ["--outcome", end && end !== "any" && end !== "denied" ? end : undefined],
  ];
  const words = flags.flatMap(([flag, value]) => (value ? [flag, /^[\w./:=@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`] : []));
  return ["causeway audit list", ...words, ...(end === "denied" ? ["--denied"] : []), ...(chain === "platform" ? ["--platform"] : [])].join(" ");
}

/** The application that a target names, if it names one. */
export function applicationOf({ runtime, target }: Pick<AuditRecord, "runtime" | "target">): { runtime: string; namespace: string; name: string } | undefined {
  const [kind, namespace, name] = target.split("/");
  return kind === "applications" && namespace && name && runtime ? { runtime, namespace, name } : undefined;
}
