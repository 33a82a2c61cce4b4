import { useCallback, useMemo, useRef, useState } from "react";
import { ApplicationService, ApplicationView } from "@contract/causeway/inventory/v1/application_service_pb";
import { call, type ViewSpec } from "@/data";
import { toRow, type Row } from "@/data/store/row";

/** A batch is at most so large: its watch names each application. */
export const MOST_SELECTED = 500;

/** The selected applications, with their rows as they were when they were selected. */
export function useSelection(spec: ViewSpec) {
  const [rows, setRows] = useState<ReadonlyMap<string, Row>>(new Map());
  const anchor = useRef<number>(undefined);
  const add = useCallback((added: readonly Row[]) => {
    setRows((before) => new Map([...before, ...added.map((row) => [row.key, row] as const)].slice(0, MOST_SELECTED)));
  }, []);
  const toggle = useCallback((row: Row, index: number) => {
    anchor.current = index;
    setRows((before) => {
      const next = new Map(before);
      if (!next.delete(row.key) && next.size < MOST_SELECTED) next.set(row.key, row);
      return next;
    });
  }, []);
  const range = async (index: number) => {
    const from = Math.min(anchor.current ?? index, index);
    const to = Math.max(anchor.current ?? index, index) + 1;
    anchor.current = index;
    add(await readRange(spec, from, Math.min(to - from, MOST_SELECTED)));
  };
  const clear = useCallback(() => setRows((before) => (before.size > 0 ? new Map() : before)), []);
  const selected = useMemo(() => [...rows.values()], [rows]);
  return { selected, has: (key: string) => rows.has(key), toggle, range, all: async () => add(await readRange(spec, 0, MOST_SELECTED)), clear };
}

export type Selection = ReturnType<typeof useSelection>;

/** Reads rows of a range, which reaches beyond what the page shows. */
async function readRange({ filter, sort, descending }: ViewSpec, offset: number, count: number): Promise<Row[]> {
  const request = { filter, sort, descending, offset, pageSize: count, view: ApplicationView.ROW };
  const { applications } = await call(ApplicationService.method.listApplications, request);
  return applications.map(toRow);
}
