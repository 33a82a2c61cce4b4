import type { MessageInitShape } from "@bufbuild/protobuf";
import { PermissionService, type TargetSchema } from "@contract/causeway/platform/v1/permission_service_pb";
import { useQuery } from "@tanstack/react-query";
import type { CallError } from "./problem";
import { useRuntimes } from "./reads/platform";
import { call } from "./transport";

/** What a permission is checked for; fields left empty match conditions on them only in part. */
export type Target = MessageInitShape<typeof TargetSchema> & { runtime?: string };

/** If an action may be done; while that is not known, it is neither allowed nor refused. */
export type Decision =
  | { allowed: true }
  | { allowed: undefined }
  | { allowed: false; refusedBy: "platform" | "runtime"; reason: string; permission: string; command: string };

/** The most pairs of permission and target of one call. */
const MOST_PAIRS = 500;
const unknown: Decision = { allowed: undefined };

/** Checks permissions for targets, and what their runtimes allow themselves; look decisions up by permission and index of the target. */
export function useCan(permissions: readonly string[], targets: readonly Target[]): (permission: string, target?: number) => Decision {
  const { runtimes } = useRuntimes();
  const read = useQuery<Decision[], CallError>({
    queryKey: ["can", permissions, targets],
    queryFn: ({ signal }) => check(permissions, targets, signal),
    enabled: permissions.length > 0 && targets.length > 0,
    staleTime: 30_000,
    retry: false,
  });
  return (permission, target = 0) => {
    const place = permissions.indexOf(permission);
    const decision = place < 0 ? undefined : read.data?.[target * permissions.length + place];
    const name = targets[target]?.runtime;
    const allowed = runtimes?.find((runtime) => runtime.name === name)?.allowedActions;
    return decision?.allowed === false ? decision : (refusal(permission, targets[target], allowed) ?? decision ?? unknown);
  };
}

async function check(permissions: readonly string[], targets: readonly Target[], signal: AbortSignal): Promise<Decision[]> {
  const perCall = Math.max(1, Math.floor(MOST_PAIRS / permissions.length));
  const chunks = Array.from({ length: Math.ceil(targets.length / perCall) }, (_, index) => targets.slice(index * perCall, (index + 1) * perCall));
  const { checkPermissions } = PermissionService.method;
  const answers = await Promise.all(
    chunks.map((chunk) => call(checkPermissions, { permissions: [...permissions], targets: [...chunk] }, { signal })),
  );
  return answers
    .flatMap((answer) => answer.decisions)
    .map((decision, index): Decision => {
      const permission = permissions[index % permissions.length] ?? "";
      const target = targets[Math.floor(index / permissions.length)];
      if (decision.allowed || decision.conditional) return { allowed: true };
      return { allowed: false, refusedBy: "platform", reason: decision.reason, permission, command: canCommand(permission, target) };
    });
}

/** Returns the refusal of a runtime that told what it allows, and not this. */
function refusal(permission: string, target: Target | undefined, allowed: readonly string[] | undefined): Decision | undefined {
  const action = runtimeAction(permission);
  if (!allowed?.length || !action || allowed.includes(action) || allowed.includes("all")) return undefined;
  const reason = `${target?.runtime ?? "The runtime"} itself allows only ${allowed.join(", ")}.`;
  return { allowed: false, refusedBy: "runtime", reason, permission, command: canCommand(permission, target) };
}

/** Returns the word of the runtime's own list for a permission; undefined where the platform alone decides. */
export function runtimeAction(permission: string): string | undefined {
  const [kind, verb] = permission.split(".");
  switch (kind) {
    case "application":
      return ["sync", "refresh", "terminate", "rollback", "delete", "update"].includes(verb ?? "") ? verb : undefined;
    case "rollout":
    case "workflow":
      return kind;
    case "log":
      return "logs";
    case "exec":
      return "exec";
    case "integration":
      return verb === "create" || verb === "delete" ? "integration" : "git-read";
    case "repository":
      return verb === "get" ? "git-read" : "commit";
    case "resource":
      return verb === "action" || verb === "delete" ? `resource-${verb}` : undefined;
    default:
      return undefined;
  }
}

/** Returns the command that tells the same in a terminal. */
export function canCommand(permission: string, target: Target | undefined): string {
  const [kind = "", verb = ""] = permission.split(".");
  const entity = kind === "application" ? "app" : kind;
  const words = ["causeway can-i", verb, target?.name ? `${entity}/${target.name}` : entity];
  if (target?.runtime) words.push("--runtime", target.runtime);
  if (target?.namespace) words.push("--namespace", target.namespace);
  return words.join(" ");
}
