import { useEffect, useRef, useSyncExternalStore } from "react";

/** An action that a page offers in the command bar. */
export interface PageCommand {
  id: string;
  /** The action and its object, such as "Sync checkout". */
  text: string;
  shortcut?: string;
  /** Why it cannot run; it is listed with this text. */
  reason?: string | undefined;
  run: () => void;
}

let registered: readonly PageCommand[] = [];
const listeners = new Set<() => void>();

function set(next: readonly PageCommand[]) {
  registered = next;
  for (const listener of listeners) listener();
}

/** Offers actions in the command bar while a page is shown. */
export function useCommands(commands: readonly PageCommand[]) {
  const latest = useRef(commands);
  latest.current = commands;
  const key = JSON.stringify(commands);
  useEffect(() => {
    const mine = latest.current.map((command) => ({
      ...command,
      run: () => latest.current.find(({ id }) => id === command.id)?.run(),
    }));
    set([...registered, ...mine]);
    return () => set(registered.filter((command) => !mine.includes(command)));
  }, [key]);
}

export function usePageCommands(): readonly PageCommand[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => registered,
  );
}
