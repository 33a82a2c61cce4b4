import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type GetResourceRequestSchema,
  type ListEventsRequestSchema,
  type ListImagesRequestSchema,
  type ListResourcesRequestSchema,
  ResourceService,
} from "@contract/causeway/inventory/v1/resource_service_pb";
import { ReporterService } from "@contract/causeway/inventory/v1/reporter_service_pb";
import { type ReadOptions, useAllPages, usePages, useRead } from "../queries";

const methods = ResourceService.method;

/** Reported resources such as Rollouts and Workflows. */
export function useResources(request: MessageInitShape<typeof ListResourcesRequestSchema>, options?: ReadOptions) {
  return usePages(methods.listResources, request, options);
}

/** One reported resource, with its manifest on request. */
export function useResource(request: MessageInitShape<typeof GetResourceRequestSchema>, options?: ReadOptions) {
  return useRead(methods.getResource, request, options);
}

/** Kubernetes events of an application or of one object. */
export function useEvents(request: MessageInitShape<typeof ListEventsRequestSchema>, options?: ReadOptions) {
  return usePages(methods.listEvents, request, options);
}

/** Images and who runs them. */
export function useImages(request: MessageInitShape<typeof ListImagesRequestSchema>, options?: ReadOptions) {
  return usePages(methods.listImages, request, options);
}

/** Reporters of a runtime, or of all, with their shards and moves. */
export function useReporters(runtime = "", options?: ReadOptions) {
  return useAllPages(ReporterService.method.listReporters, { runtime }, options);
}
