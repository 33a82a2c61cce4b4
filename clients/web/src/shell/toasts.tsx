import { X } from "lucide-react";
import { useEffect, useSyncExternalStore, type ReactNode } from "react";
import { StateShape } from "@/state/StateMark";
import type { State } from "@/words";
import { IconButton } from "@/ui/Button";

export interface Toast {
  /** One sentence with the object's name. */
  text: ReactNode;
  /** Its shape: running, healthy, degraded. */
  state: State;
  /** A link or button behind the text. */
  action?: ReactNode;
}

interface ShownToast extends Toast {
  id: string;
}

const LIFETIME = 8_000;
const MOST = 4;

let current: readonly ShownToast[] = [];
const listeners = new Set<() => void>();

function set(toasts: readonly ShownToast[]) {
  current = toasts;
  for (const listener of listeners) listener();
}

/** Shows the progress or end of what the user started; an equal id replaces the earlier one. */
export function notify(toast: Toast, id: string = crypto.randomUUID()) {
  set([...current.filter((shown) => shown.id !== id), { ...toast, id }].slice(-MOST));
}

export function dismiss(id: string) {
  set(current.filter((toast) => toast.id !== id));
}

/** The region of toasts at the bottom right. */
export function Toasts() {
  const toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
  return (
    <section aria-label="Notifications" aria-live="polite" className="pointer-events-none fixed right-4 bottom-10 z-50 flex w-80 max-w-[calc(100vw-32px)] flex-col gap-2 max-wide:bottom-18">
      {toasts.map((toast) => <ToastCard key={toast.id} toast={toast} />)}
    </section>
  );
}

function ToastCard({ toast }: { toast: ShownToast }) {
  const { id, text, state, action } = toast;
  const stays = state === "running" || state === "degraded";
  useEffect(() => {
    if (stays) return;
    const timer = setTimeout(() => dismiss(id), LIFETIME);
    return () => clearTimeout(timer);
  }, [id, stays]);
  return (
    <div className="pointer-events-auto flex animate-rise items-start gap-2 rounded-card border border-line bg-raised py-2 pr-1 pl-3 shadow-float">
      <StateShape state={state} className="mt-1" />
      <div className="min-w-0 grow break-words">
        {text}
        {action && <div className="mt-1">{action}</div>}
      </div>
      <IconButton label="Close" onPress={() => dismiss(id)} className="-mt-1"><X size={14} aria-hidden /></IconButton>
    </div>
  );
}
