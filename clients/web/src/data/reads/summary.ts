import type { MessageInitShape } from "@bufbuild/protobuf";
import { SearchService, type SearchRequestSchema } from "@contract/causeway/inventory/v1/search_service_pb";
import {
  type CountDeploymentsRequestSchema,
  type GetSummaryRequestSchema,
  SummaryService,
} from "@contract/causeway/inventory/v1/summary_service_pb";
import { type ReadOptions, useRead } from "../queries";

const methods = SummaryService.method;

/** What is wrong now, grouped by cause, and the counts of states. */
export function useSummary(request: MessageInitShape<typeof GetSummaryRequestSchema> = {}, options?: ReadOptions) {
  return useRead(methods.getSummary, request, options);
}

/** Ended operations by interval of time. */
export function useDeploymentCounts(request: MessageInitShape<typeof CountDeploymentsRequestSchema>, options?: ReadOptions) {
  return useRead(methods.countDeployments, request, options);
}

/** Matches of a text over everything; an empty text makes no call. */
export function useSearchResults(request: MessageInitShape<typeof SearchRequestSchema>, options: ReadOptions = {}) {
  const enabled = Boolean(request.text?.trim()) && options.enabled !== false;
  return useRead(SearchService.method.search, request, { keepsPrevious: true, ...options, enabled });
}
