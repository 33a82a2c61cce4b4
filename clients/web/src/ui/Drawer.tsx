import { X } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import { IconButton } from "./Button";

const NARROWEST = 420;
const WIDEST = 960;
const STORED = "causeway.drawer";

export interface DrawerProps {
  title: ReactNode;
  /** Names the drawer for screen readers. */
  label: string;
  onClose: () => void;
  children: ReactNode;
  /** Beside the close button. */
  actions?: ReactNode;
}

/** A surface at the right of the content that is no modal; below 640 px it covers the page. */
export function Drawer({ title, label, onClose, children, actions }: DrawerProps) {
  const [width, setWidth] = useWidth();
  const frame = useFocusOnOpen();
  return (
    <aside
      ref={frame}
      aria-label={label}
      tabIndex={-1}
      onKeyDown={(event) => event.key === "Escape" && !event.defaultPrevented && onClose()}
      style={{ width }}
      className="relative flex shrink-0 animate-slide flex-col border-l border-line bg-bg outline-none max-desk:fixed max-desk:inset-y-0 max-desk:right-0 max-desk:z-30 max-desk:max-w-full max-desk:shadow-float max-wide:w-full!"
    >
      <Resizer width={width} onResize={setWidth} />
      <header className="flex min-h-10 items-center gap-2 border-b border-line py-1 pr-2 pl-4">
        <h2 className="min-w-0 grow truncate text-h2 font-semibold">{title}</h2>
        {actions}
        <IconButton label="Close drawer" onPress={onClose}><X size={16} aria-hidden /></IconButton>
      </header>
      <div className="flex min-h-0 grow flex-col overflow-auto p-4">{children}</div>
    </aside>
  );
}

function Resizer({ width, onResize }: { width: number; onResize: (width: number) => void }) {
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) onResize(innerWidth - event.clientX);
  };
  const step = (event: KeyboardEvent) => {
    if (event.key === "ArrowLeft") onResize(width + 40);
    if (event.key === "ArrowRight") onResize(width - 40);
  };
  return (
    <div
      role="separator"
      aria-label="Drawer width"
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={NARROWEST}
      aria-valuemax={WIDEST}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={step}
      className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize touch-none hover:bg-accent-fill max-wide:hidden"
    />
  );
}

function useWidth(): [number, (width: number) => void] {
  const [width, setWidth] = useState(() => clamp(Number(localStorage.getItem(STORED)) || 560));
  const resize = (next: number) => {
    setWidth(clamp(next));
    localStorage.setItem(STORED, String(clamp(next)));
  };
  return [width, resize];
}

function clamp(width: number): number {
  return Math.min(WIDEST, Math.max(NARROWEST, Math.round(width)));
}

/** Moves the focus into what opened, and back to where it was at its end. */
function useFocusOnOpen() {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    frame.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return frame;
}
