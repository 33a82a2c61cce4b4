/** What pages and the worker tell each other. */
import type { Application } from "@contract/causeway/inventory/v1/application_pb";
import type { ApplicationSort } from "@contract/causeway/inventory/v1/application_service_pb";
import type { Failure } from "@/failure/failure";
import type { Freshness } from "@/shell/freshness";
import type { Filter } from "../url";
import type { Names, Row } from "./row";

/** A list: which applications in which order. */
export interface ViewSpec {
  filter: Filter;
  sort: ApplicationSort;
  descending: boolean;
}

/** Returns equal texts for equal lists. */
export function specKey(spec: ViewSpec): string {
  return JSON.stringify([spec.filter, spec.sort, spec.descending], (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
}

export type ToWorker =
  | { kind: "open"; id: number; spec: ViewSpec; from: number; to: number }
  | { kind: "show"; id: number; from: number; to: number }
  /** The pointer is still, nothing is selected, and the list is at its top. */
  | { kind: "rest"; id: number; atRest: boolean }
  /** Reads the list again in its present order. */
  | { kind: "apply"; id: number }
  | { kind: "close"; id: number }
  /** Tells one application in full, and its changes. */
  | { kind: "follow"; id: number; names: Names }
  | { kind: "unfollow"; id: number }
  | { kind: "visible"; visible: boolean }
  /** There is a session again, perhaps another user's. */
  | { kind: "resume" }
  | { kind: "bye" };

/** What a page shows of a list; rows that are not there are skeletons. */
export interface WindowUpdate {
  id: number;
  isLoaded: boolean;
  total: number;
  /** The range that the rows are of; others are forgotten. */
  from: number;
  to: number;
  rows: [number, Row | undefined][];
  /** Rows whose place changed since the list was read. */
  moved: number;
  /** Applications that match since then. */
  arrived: number;
  /** Grows with each change told by the stream. */
  changes: number;
  failure: Failure | undefined;
}

/** What became of an application that a page shows. */
export type ApplicationUpdate = { kind: "updated"; application: Application } | { kind: "deleted" };

export type ToPage =
  | { kind: "application"; id: number; update: ApplicationUpdate }
  | { kind: "windows"; windows: WindowUpdate[] }
  | { kind: "freshness"; freshness: Freshness }
  | { kind: "signed-out" };
