import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  ApplicationService,
  ApplicationView,
  type ListApplicationFacetsRequestSchema,
  type ListApplicationsRequestSchema,
  type ListDeploymentsRequestSchema,
} from "@contract/causeway/inventory/v1/application_service_pb";
import { type ApplicationKey, type ReadOptions, usePages, useRead } from "../queries";

const methods = ApplicationService.method;

function atTime(at: number | undefined) {
  return at === undefined ? {} : { at: timestampFromMs(at) };
}

/** One application in full, as of now or of a time in milliseconds. */
export function useApplication(key: ApplicationKey, at?: number, options?: ReadOptions) {
  return useRead(methods.getApplication, { ...key, ...atTime(at) }, options);
}

/** The accepted states of an application, newest first. */
export function useApplicationStates(key: ApplicationKey, options?: ReadOptions) {
  return usePages(methods.listApplicationStates, { ...key, pageSize: 200 }, options);
}

/** What differs between two times, in milliseconds; without the second one, until now. */
export function useApplicationDiff(key: ApplicationKey, from: number, to?: number, options?: ReadOptions) {
  const until = to === undefined ? {} : { to: timestampFromMs(to) };
  return useRead(methods.diffApplication, { ...key, from: timestampFromMs(from), ...until }, options);
}

/** Ended operations, latest first. */
export function useDeployments(request: MessageInitShape<typeof ListDeploymentsRequestSchema>, options?: ReadOptions) {
  return usePages(methods.listDeployments, request, options);
}

/** Counts by fields, each without its own condition, so that further values of it can be chosen. */
export function useApplicationFacets(request: MessageInitShape<typeof ListApplicationFacetsRequestSchema>, options?: ReadOptions) {
  return useRead(methods.listApplicationFacets, { ownConditionLeftOut: true, ...request }, options);
}

/** One page of applications; lists that scroll use the window store. */
export function useApplicationPage(request: MessageInitShape<typeof ListApplicationsRequestSchema>, options?: ReadOptions) {
  return useRead(methods.listApplications, { view: ApplicationView.ROW, ...request }, options);
}
