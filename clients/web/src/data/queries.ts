import { toJson, create, type DescMessage, type DescMethodUnary, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type QueryClient,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import type { CallError } from "./problem";
import { call } from "./transport";

/** How long what was read is shown without asking again. */
const STALE = 30_000;

export interface ReadOptions {
  enabled?: boolean;
  /** Reads again after so many milliseconds, while the page is visible. */
  interval?: number;
  /** Keeps showing the last answer while another one is read. */
  keepsPrevious?: boolean;
  /** False to fail where there is no session, and not to wait for one. */
  waitsForSession?: boolean;
}

/** The key of a read: service, method, and the request as JSON, so that equal requests are one. */
export function readKey<I extends DescMessage>(method: DescMethodUnary<I, DescMessage>, input: MessageInitShape<I>) {
  return [method.parent.typeName, method.name, toJson(method.input, create(method.input, input))] as const;
}

/** Describes a read, for prefetching and for invalidating it. */
export function readOf<I extends DescMessage, O extends DescMessage>(method: DescMethodUnary<I, O>, input: MessageInitShape<I>, options: ReadOptions = {}) {
  const { waitsForSession = true } = options;
  return queryOptions<MessageShape<O>, CallError>({
    queryKey: readKey(method, input),
    queryFn: ({ signal }) => call(method, input, { signal, waitsForSession }),
    staleTime: STALE,
    retry: false,
    ...(options.enabled === undefined ? {} : { enabled: options.enabled }),
    ...(options.interval === undefined ? {} : { refetchInterval: options.interval }),
    ...(options.keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}

/** Reads by one method of the contract; equal reads of a page are one call. */
export function useRead<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  options: ReadOptions = {},
): UseQueryResult<MessageShape<O>, CallError> {
  return useQuery(readOf(method, input, options));
}

/** A response with pages; the contract names its token so everywhere. */
type PagedResponse = { nextPageToken: string };

/** Reads page after page of a paged method; `fetchNextPage` reads on. */
export function usePages<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  options: ReadOptions = {},
): UseInfiniteQueryResult<InfiniteData<MessageShape<O>, string>, CallError> {
  return useInfiniteQuery(
    infiniteQueryOptions<MessageShape<O>, CallError, InfiniteData<MessageShape<O>, string>, readonly unknown[], string>({
      queryKey: [...readKey(method, input), "pages"],
      queryFn: ({ pageParam, signal }) => call(method, withToken(input, pageParam), { signal }),
      initialPageParam: "",
      getNextPageParam: (last) => (last as unknown as PagedResponse).nextPageToken || undefined,
      staleTime: STALE,
      retry: false,
      ...(options.enabled === undefined ? {} : { enabled: options.enabled }),
      ...(options.interval === undefined ? {} : { refetchInterval: options.interval }),
      ...(options.keepsPrevious ? { placeholderData: keepPreviousData } : {}),
    }),
  );
}

function withToken<I extends DescMessage>(input: MessageInitShape<I>, pageToken: string): MessageInitShape<I> {
  return { ...(input as object), pageToken } as unknown as MessageInitShape<I>;
}

/** The most pages that a list is read to where its page shows all of it. */
const MOST_PAGES = 50;

/** Reads all pages of a short list, such as runtimes or roles, as one response each. */
export function useAllPages<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  options: ReadOptions = {},
): UseQueryResult<MessageShape<O>[], CallError> {
  return useQuery<MessageShape<O>[], CallError>({
    queryKey: [...readKey(method, input), "all"],
    queryFn: ({ signal }) => allPages(method, input, signal),
    staleTime: STALE,
    retry: false,
    ...(options.enabled === undefined ? {} : { enabled: options.enabled }),
    ...(options.interval === undefined ? {} : { refetchInterval: options.interval }),
  });
}

async function allPages<I extends DescMessage, O extends DescMessage>(method: DescMethodUnary<I, O>, input: MessageInitShape<I>, signal: AbortSignal) {
  const pages: MessageShape<O>[] = [];
  let pageToken = "";
  do {
    const page = await call(method, withToken(input, pageToken), { signal });
    pages.push(page);
    pageToken = (page as unknown as PagedResponse).nextPageToken;
  } while (pageToken && pages.length < MOST_PAGES);
  return pages;
}

/** Names an application, as the URL does. */
export interface ApplicationKey {
  runtime: string;
  cluster: string;
  namespace: string;
  name: string;
}

/** Invalidates all reads whose request names this application. */
export function invalidateApplication(client: QueryClient, { runtime, namespace, name }: ApplicationKey) {
  void client.invalidateQueries({
    predicate: ({ queryKey }) => {
      const input = queryKey[2] as Partial<ApplicationKey> | undefined;
      return input?.runtime === runtime && input.namespace === namespace && input.name === name;
    },
  });
}
