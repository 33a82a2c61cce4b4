/** What the pages of administration are built of: reads, changes, questions and secrets. */
export { ChangeDialog, SameCommand } from "./ChangeDialog";
export { ConfirmDialog } from "./ConfirmDialog";
export { Loaded, type Read } from "./Loaded";
export { missing, useGuard, type Guard } from "./permissions";
export { SecretOnce } from "./SecretOnce";
export { invalidate, useChange, type Change } from "./useChange";
