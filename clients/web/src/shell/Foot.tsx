import { lazy, Suspense } from "react";
import { formatDuration, Time, useNow } from "@/format";
import { StateShape } from "@/state";
import type { State } from "@/words";
import { useFreshness, type Freshness } from "./freshness";
import { useFacts } from "./facts";
import { openShortcuts } from "./overlays";
import { Button } from "@/ui/Button";
import { KeyHint } from "@/ui/KeyHint";

/** Loaded after the shell, because it needs the data layer. */
const FootFacts = lazy(() => import("./FootFacts"));

/** The foot line: how fresh the data is, what runs, and the version. */
export function Foot() {
  const freshness = useFreshness();
  const facts = useFacts();
  return (
    <footer className="flex h-7 shrink-0 items-center gap-6 border-t border-line bg-panel px-3 text-label text-dim max-wide:hidden">
      <FreshnessText freshness={freshness} />
      <Suspense fallback={null}>
        <FootFacts />
      </Suspense>
      {facts.map((fact) => <span key={fact} className="numbers">{fact}</span>)}
      <span className="grow" />
      <span className="numbers">v{__VERSION__}</span>
      <Button tone="quiet" className="h-6! gap-2! px-1! text-label! font-normal!" onPress={openShortcuts}>
        Shortcuts <KeyHint keys="?" />
      </Button>
    </footer>
  );
}

function FreshnessText({ freshness }: { freshness: Freshness }) {
  const now = useNow();
  const [state, text] = words(freshness, now);
  return (
    <span role="status" className="inline-flex items-center gap-1.5">
      <StateShape state={state} size={10} />
      {text}
      {(freshness.kind === "as-of" || freshness.kind === "read") && <Time at={freshness.at} inSentence />}
    </span>
  );
}

function words(freshness: Freshness, now: number): [State, string] {
  switch (freshness.kind) {
    case "connecting":
      return ["progressing", "connecting"];
    case "read":
      return ["healthy", "read"];
    case "live":
      return ["healthy", "live"];
    case "catching-up":
      return ["progressing", `catching up, ${freshness.behindSeconds} s behind`];
    case "reconnecting":
      return ["silent", `reconnecting for ${formatDuration(now - freshness.since)}`];
    case "as-of":
      return ["waiting", "as of"];
    case "signed-out":
      return ["refused", "not signed in"];
  }
}
