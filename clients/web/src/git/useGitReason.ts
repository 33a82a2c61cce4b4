import { Connection } from "@contract/causeway/platform/v1/runtime_service_pb";
import { useCan, useRuntimes } from "@/data";

const permissions = ["integration.list", "integration.create", "integration.delete", "repository.get", "repository.commit", "repository.open-pull-request", "repository.merge-pull-request", "repository.close-pull-request", "integration.test", "webhook.replay", "webhook.test"] as const;
export type GitPermission = (typeof permissions)[number];

/** Returns why something with Git may not be done in a runtime; undefined where it may, or where that is not known. */
export function useGitReason(runtime: string): (permission: GitPermission) => string | undefined {
  const { runtimes } = useRuntimes();
  const can = useCan(permissions, [{ runtime }]);
  const connection = runtimes?.find(({ name }) => name === runtime)?.connection;
  const isUnreachable = connection === Connection.OFFLINE || connection === Connection.REVOKED || connection === Connection.REPORTING;
  return (permission) => {
    const decision = can(permission);
    if (decision.allowed === false) return `${decision.reason} (${permission})`;
    return isUnreachable ? `${runtime} is not connected, so no action reaches it.` : undefined;
  };
}
