import { useEffect, useSyncExternalStore } from "react";

export interface Crumb {
  text: string;
  to?: string;
}

const none: readonly Crumb[] = [];
let current = none;
const listeners = new Set<() => void>();

function set(crumbs: readonly Crumb[]) {
  current = crumbs;
  for (const listener of listeners) listener();
}

/** Sets what stands behind the place in the breadcrumb, while a page is shown. */
export function useSetCrumbs(crumbs: readonly Crumb[]) {
  const key = JSON.stringify(crumbs);
  useEffect(() => {
    set(JSON.parse(key) as Crumb[]);
    return () => set(none);
  }, [key]);
}

export function useCrumbs(): readonly Crumb[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
