import type { ReactNode } from "react";
import type { CallError } from "@/data/problem";
import { FailureBanner, FailureState } from "@/failure";
import { SkeletonRows } from "@/ui";

/** What a component shows of a read. */
export interface Read<T> {
  data: T | undefined;
  error: CallError | null;
  refetch: () => unknown;
}

export interface LoadedProps<T> {
  read: Read<T>;
  /** What is read, such as "list users". */
  what: string;
  /** Rows of the skeleton. */
  rows?: number;
  children: (data: T) => ReactNode;
}

/** Shows what was read: a skeleton first, the failure in its place, or the failure over older data. */
export function Loaded<T>({ read, what, rows = 6, children }: LoadedProps<T>) {
  const { data, error } = read;
  const retry = () => void read.refetch();
  if (data === undefined && error) return <FailureState error={error} what={what} onRetry={retry} />;
  if (data === undefined) return <SkeletonRows count={rows} />;
  return (
    <>
      {error && <div className="mb-3"><FailureBanner error={error} what={what} onRetry={retry} /></div>}
      {children(data)}
    </>
  );
}
