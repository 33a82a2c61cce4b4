// A dashboard as the types of Grafana have it, for the compiler alone. What stands for one of an enumeration is its text in a file; a
// query has what its data source reads besides, and so has an annotation.
import type { AnnotationQuery, Dashboard, DataQuery } from '@grafana/schema';

type Fields<T> = { [K in keyof T]: Plain<T[K]> };
type Plain<T> = T extends string
  ? `${T}`
  : T extends DataQuery
    ? Fields<T> & Record<string, unknown>
    : T extends AnnotationQuery
      ? Fields<T> & { titleFormat?: string; textFormat?: string }
      : T extends object
        ? Fields<T>
        : T;

export const dashboard: Plain<Dashboard> = DASHBOARD;
