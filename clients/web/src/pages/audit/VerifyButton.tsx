import { ShieldCheck } from "lucide-react";
import { useRef, useState } from "react";
import { useGuard } from "@/admin";
import { toProblem } from "@/data/problem";
import { FailureBanner } from "@/failure";
import { formatCount } from "@/format";
import { StateMark } from "@/state";
import { Button, Command, Dialog, GuardedButton, ProgressBar } from "@/ui";
import { ChainError, type VerifiedChain } from "./chain";
import { PinnedKeyError, verifyChain } from "./verify";

type Verification =
  | { kind: "running"; done: number; all: number }
  | { kind: "intact"; verified: VerifiedChain }
  | { kind: "broken"; error: Error }
  | { kind: "failed"; error: unknown };

/** Recomputes the chain in this browser and checks the platform's signatures over it. */
export function VerifyButton({ platform }: { platform: boolean }) {
  const [state, setState] = useState<Verification>();
  const running = useRef<AbortController>(undefined);
  const guard = useGuard();
  const reason = isSecureContext ? guard("audit.export") : "A browser computes hashes over HTTPS and on localhost only. Run: causeway audit verify";
  const start = async () => {
    running.current = new AbortController();
    setState({ kind: "running", done: 0, all: 0 });
    setState(await verify(platform, (done, all) => setState({ kind: "running", done, all }), running.current.signal));
  };
  const close = () => {
    running.current?.abort();
    setState(undefined);
  };
  return (
    <>
      <GuardedButton icon={<ShieldCheck size={14} aria-hidden />} reason={reason} onPress={() => void start()}>Verify</GuardedButton>
      <Dialog title="Verify the audit chain" isOpen={state !== undefined} onClose={close} actions={<Button onPress={close}>{state?.kind === "running" ? "Stop" : "Close"}</Button>} size="small">
        <div className="flex flex-col gap-3">
          {state && <Result state={state} onRetry={() => void start()} />}
          <Command>{`causeway audit verify${platform ? " --platform" : ""}`}</Command>
        </div>
      </Dialog>
    </>
  );
}

async function verify(platform: boolean, onProgress: (done: number, all: number) => void, signal: AbortSignal): Promise<Verification | undefined> {
  try {
    return { kind: "intact", verified: await verifyChain(platform, onProgress, signal) };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof ChainError || error instanceof PinnedKeyError) return { kind: "broken", error };
    return { kind: "failed", error: toProblem(error) };
  }
}

function Result({ state, onRetry }: { state: Verification; onRetry: () => void }) {
  switch (state.kind) {
    case "running":
      return <ProgressBar label="Recomputing hashes" percent={state.all ? (100 * state.done) / state.all : 0} text={`${formatCount(state.done)} of ${formatCount(state.all)} entries`} />;
    case "intact":
      return (
        <>
          <p className="m-0 text-h2 font-semibold" role="status"><StateMark state="synced">The chain is intact</StateMark></p>
          <p className="m-0">
            {formatCount(state.verified.entries)} entries, {String(state.verified.first)} to {String(state.verified.last)}: each hash follows from its content and the
            entry before, and the platform's signature covers the end.{" "}
            {state.verified.sealed > 0n ? `The newest checkpoint is entry ${state.verified.sealed}.` : "There is no checkpoint yet."}
          </p>
          <p className="m-0 text-dim">This browser remembers the end and the root key: the next verification finds a chain that was cut or rewritten since.</p>
        </>
      );
    case "broken":
      return (
        <>
          <p className="m-0 text-h2 font-semibold" role="alert"><StateMark state="degraded">The audit is not what was written</StateMark></p>
          <p className="m-0 break-words">{state.error.message}</p>
          <p className="m-0 text-dim">Keep the export as evidence: causeway audit export. Then compare it with a backup.</p>
        </>
      );
    case "failed":
      return <FailureBanner error={state.error} what="verify the chain" onRetry={onRetry} />;
  }
}
