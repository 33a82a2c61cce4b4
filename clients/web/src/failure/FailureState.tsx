import { CopyButton } from "@/ui/CopyButton";
import { Banner } from "@/ui/Banner";
import { Button } from "@/ui/Button";
import { StateShape } from "@/state/StateMark";
import { nextSteps, reasons } from "@/reasons";
import { failureOf, isOutcomeUnknown, type Failure } from "./failure";
import { NotAllowed } from "./NotAllowed";

export interface FailureProps {
  /** A Failure, or whatever a call threw. */
  error: unknown;
  /** What was attempted, such as "list applications". */
  what: string;
  onRetry?: () => void;
}

/** A failed page or part of it: the sentence, the reason, the next step and the request id. */
export function FailureState({ error, what, onRetry }: FailureProps) {
  const failure = failureOf(error);
  if (failure.reason === "PERMISSION_DENIED") return <NotAllowed failure={failure} what={what} />;
  return (
    <section role="alert" className="flex max-w-[72ch] flex-col gap-2 rounded-card border border-line p-4">
      <h2 className="flex items-center gap-2 text-h2 font-semibold">
        <StateShape state="degraded" />
        {isOutcomeUnknown(failure) ? "It may have happened" : `Cannot ${what}`}
      </h2>
      <p className="break-words">{failure.message}</p>
      <Explanation failure={failure} />
      <div className="mt-1 flex flex-wrap items-center gap-2">
        {onRetry && <Button onPress={onRetry}>{isOutcomeUnknown(failure) ? "Ask again" : "Try again"}</Button>}
        {failure.requestId && <RequestId id={failure.requestId} />}
      </div>
    </section>
  );
}

/** A failed part of a form or a line over rows that are still shown. */
export function FailureBanner({ error, what, onRetry }: FailureProps) {
  const failure = failureOf(error);
  const again = isOutcomeUnknown(failure) ? "Ask again" : "Try again";
  return (
    <Banner
      tone="bad"
      actions={
        <>
          {failure.requestId && <CopyButton text={failure.requestId} what="request id" />}
          {onRetry && <Button onPress={onRetry}>{again}</Button>}
        </>
      }
    >
      {isOutcomeUnknown(failure) ? "It may have happened: " : `Cannot ${what}: `}
      {failure.message} <Explanation failure={failure} />
    </Banner>
  );
}

function Explanation({ failure }: { failure: Failure }) {
  const means = reasons[failure.reason];
  const next = nextSteps[failure.reason];
  return (
    <span className="text-dim">
      <code className="font-mono text-label">{failure.reason}</code>
      {means && ` ${means}`}
      {next && ` ${next}`}
    </span>
  );
}

function RequestId({ id }: { id: string }) {
  return (
    <span className="inline-flex items-center gap-1 text-label text-dim">
      request <code className="font-mono">{id}</code>
      <CopyButton text={id} what="request id" />
    </span>
  );
}
