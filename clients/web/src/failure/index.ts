/** How failures of calls are read and shown. */
export { failureOf, isOutcomeUnknown, isSignedOut, type Failure } from "./failure";
export { FailureBanner, FailureState } from "./FailureState";
export { canI, NotAllowed } from "./NotAllowed";
