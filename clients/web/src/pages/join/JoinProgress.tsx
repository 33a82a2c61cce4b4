import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Check } from "lucide-react";
import { useEffect, useState } from "react";
import { useParts, useRuntimes } from "@/data/reads/platform";
import { now } from "@/format";
import { runtimeNode, useApplicationCounts, useRuntimeChanges } from "@/topology";
import { Banner, Button, classes, CopyButton, Link } from "@/ui";
import { helmCommand, type Installation } from "./installation";
import { joinSteps, type JoinStep } from "./steps";

export interface JoinProgressProps {
  installation: Installation;
  /** Empty if the secret was returned before. */
  token: string;
  expiresAt: Timestamp | undefined;
  onAgain: () => void;
}

const INTERVAL = 2_000;

/** The command with its countdown, and the steps that turn green while it runs. */
export function JoinProgress({ installation, token, expiresAt, onAgain }: JoinProgressProps) {
  const { name } = installation;
  const { runtimes } = useRuntimes({ interval: INTERVAL });
  const { parts } = useParts({ interval: INTERVAL });
  const apps = useApplicationCounts(INTERVAL).get(name) ?? 0n;
  useRuntimeChanges();
  const runtime = runtimes?.find((runtime) => runtime.name === name && !runtime.revokedAt);
  const steps = joinSteps(runtime && runtimeNode(runtime, parts ?? []), apps);
  const isUsed = steps[0]?.state === "done";
  return (
    <div className="flex flex-col gap-6">
      {!isUsed && token && <TokenCommand command={helmCommand(installation, token)} expiresAt={expiresAt} onAgain={onAgain} />}
      {!isUsed && !token && (
        <Banner tone="warn" actions={<Button onPress={onAgain}>Create another</Button>}>
          The token exists, but its secret was returned before and is returned once.
        </Banner>
      )}
      <ol aria-label={`Steps of ${name}`} className="m-0 flex list-none flex-col p-0">
        {steps.map((step) => <Step key={step.id} step={step} />)}
      </ol>
      {steps.at(-1)?.state === "done" && (
        <Banner tone="info" actions={<Link to="/apps" search={{ runtime: name }}>Show its applications</Link>}>
          {name} has joined and reports.
        </Banner>
      )}
      {runtime && <Link to="/runtimes/$name" params={{ name }}>Open {name}</Link>}
    </div>
  );
}

function TokenCommand({ command, expiresAt, onAgain }: { command: string; expiresAt: Timestamp | undefined; onAgain: () => void }) {
  const left = useSecondsUntil(expiresAt ? timestampMs(expiresAt) : 0);
  if (left === 0) {
    return (
      <Banner tone="warn" actions={<Button tone="accent" onPress={onAgain}>Create another</Button>}>
        The join token has expired unused.
      </Banner>
    );
  }
  return (
    <section className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="grow text-h2 font-semibold">Run this against the cluster</h2>
        <span role="timer" className={classes("numbers", left < 120 ? "text-warn" : "text-dim")}>ends in {clock(left)}</span>
        <CopyButton text={command} what="command">Copy</CopyButton>
      </div>
      <pre className="m-0 overflow-x-auto rounded-card border border-line bg-panel p-3 font-mono text-label leading-5!">{command}</pre>
      <p className="m-0 text-dim">It contains the token, which the first run uses up. It is shown only here.</p>
    </section>
  );
}

/** Counts down by seconds, while the page is shown. */
function useSecondsUntil(end: number): number {
  const secondsLeft = () => Math.max(0, Math.ceil((end - now()) / 1000));
  const [left, setLeft] = useState(secondsLeft);
  useEffect(() => {
    const timer = setInterval(() => setLeft(secondsLeft()), 1000);
    return () => clearInterval(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [end]);
  return left;
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function Step({ step: { text, waits, state } }: { step: JoinStep }) {
  const isDone = state === "done";
  return (
    <li className="relative flex gap-3 pb-4 last:pb-0" aria-current={state === "current" ? "step" : undefined}>
      <span
        aria-hidden
        className={classes(
          "z-10 flex size-6 shrink-0 items-center justify-center rounded-chip border-2 bg-bg",
          isDone ? "border-ok bg-ok-fill! text-ok" : state === "current" ? "border-accent" : "border-edge",
        )}
      >
        {isDone && <Check size={14} strokeWidth={3} />}
        {state === "current" && <span className="size-2 animate-pulse rounded-chip bg-accent" />}
      </span>
      <span className="flex flex-col pt-0.5">
        <span className={classes("font-medium", state === "waiting" && "text-dim")}>
          {text}
          <span className="sr-only">, {isDone ? "done" : state === "current" ? "in progress" : "waiting"}</span>
        </span>
        {state === "current" && <span className="text-dim">{waits}</span>}
      </span>
    </li>
  );
}
