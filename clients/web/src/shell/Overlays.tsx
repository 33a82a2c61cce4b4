import { lazy, Suspense } from "react";
import { useOverlay } from "./overlays";

const CommandBar = lazy(() => import("@/commands/CommandBar"));
const ShortcutMap = lazy(() => import("./ShortcutMap"));

/** What opens over the page by a key; loaded at its first use. */
export function Overlays() {
  const overlay = useOverlay();
  return (
    <Suspense fallback={null}>
      {overlay === "command-bar" && <CommandBar />}
      {overlay === "shortcuts" && <ShortcutMap />}
    </Suspense>
  );
}
