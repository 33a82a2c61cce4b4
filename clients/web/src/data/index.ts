/** Data of the platform: reads, changes, permissions, and the window store for lists that scroll. */
export { useAction, type Action, type ActionState } from "./actions";
export { useBatch, type Batch, type Outcome } from "./batch";
export { canCommand, useCan, type Decision, type Target } from "./can";
export { CallError, toProblem, type Problem } from "./problem";
export { invalidateApplication, readKey, readOf, useAllPages, usePages, useRead, type ApplicationKey, type ReadOptions } from "./queries";
export * from "./reads/applications";
export * from "./reads/platform";
export * from "./reads/resources";
export * from "./reads/summary";
export { call, clientOf } from "./transport";
export { progressOf, useRows, type Progress } from "./store/progress";
export { store } from "./store/connection";
export type { ViewSpec } from "./store/protocol";
export { keyOf, type Row, type RowOperation } from "./store/row";
export { useWindow, type ListWindow } from "./store/useWindow";
export { useFavourites, useSavedQueries, type SavedQuery } from "./preferences";
