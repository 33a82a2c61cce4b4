import { IntegrationService } from "@contract/causeway/git/v1/integration_service_pb";
import { useRead, type ReadOptions } from "@/data";

/** The Git integrations of a runtime, by name. */
export function useIntegrations(runtime: string, options?: ReadOptions) {
  const read = useRead(IntegrationService.method.listIntegrations, { runtime }, options);
  return { ...read, integrations: read.data?.integrations };
}
