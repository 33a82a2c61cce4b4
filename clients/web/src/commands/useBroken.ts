import { HealthStatus } from "@contract/causeway/inventory/v1/application_pb";
import { ApplicationSort } from "@contract/causeway/inventory/v1/application_service_pb";
import { useApplicationPage } from "@/data";
import { healthState } from "@/state";
import { states } from "@/words";
import type { Entry } from "./entries";

const MOST = 5;
const request = { filter: { health: [HealthStatus.DEGRADED, HealthStatus.MISSING] }, sort: ApplicationSort.HEALTH, pageSize: MOST };

/** Returns broken applications for the empty command bar. */
export function useBroken(): readonly Entry[] {
  const { data } = useApplicationPage(request);
  return (data?.applications ?? []).map(({ runtime, cluster, namespace, name, status }) => {
    const state = healthState(status?.health?.status);
    return {
      id: `broken:${runtime}/${cluster}/${namespace}/${name}`,
      text: name,
      detail: [runtime, cluster, namespace].join(" / "),
      kind: states[state].word,
      health: state,
      to: `/apps/${[runtime, cluster, namespace, name].map(encodeURIComponent).join("/")}`,
    };
  });
}
