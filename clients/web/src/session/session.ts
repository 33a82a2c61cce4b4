import { useSyncExternalStore } from "react";
import { getJson, JsonFailure } from "./json";

export interface User {
  account: string;
  user: string;
  displayName: string;
  roles: readonly string[];
  /** The role that limits the API key. */
  limit: string;
}

export type Session =
  | { kind: "loading" }
  | { kind: "signed-in"; user: User }
  /** Nobody was signed in when the page was opened. */
  | { kind: "signed-out" }
  /** The session ended while the page was open: the page stays. */
  | { kind: "expired"; user: User };

let current: Session = { kind: "loading" };
const listeners = new Set<() => void>();
const resumed = new Set<() => void>();
const tabs = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("causeway.session");

function set(session: Session) {
  const isBack = session.kind === "signed-in" && current.kind === "expired";
  current = session;
  for (const listener of listeners) listener();
  if (isBack) for (const listener of resumed) listener();
}

export function useSession(): Session {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

/** Asks the platform who is signed in. */
export async function loadSession(): Promise<Session> {
  try {
    const user = await getJson<Partial<User>>("/v1/whoAmI");
    set({ kind: "signed-in", user: { account: "default", user: "", displayName: "", roles: [], limit: "", ...user } });
  } catch (error) {
    // Without an answer the page shows what it has; the calls of pages tell what is wrong.
    if (error instanceof JsonFailure && error.status === 401) reportSignedOut();
  }
  return current;
}

/** Tells that a call was refused for want of a session; the data layer calls it, too. */
export function reportSignedOut() {
  set(current.kind === "signed-in" || current.kind === "expired" ? { kind: "expired", user: current.user } : { kind: "signed-out" });
}

/** Calls a listener when a session is back after it had expired, so that calls go on. */
export function onResume(listener: () => void): () => void {
  resumed.add(listener);
  return () => resumed.delete(listener);
}

/** Tells this tab and the others that a user signed in. */
export async function announceSignIn(): Promise<Session> {
  tabs?.postMessage("signed-in");
  return loadSession();
}

/** Ends the session in all tabs. */
export async function signOut() {
  await fetch("/auth/logout", { method: "POST" });
  tabs?.postMessage("signed-out");
  location.assign("/sign-in");
}

tabs?.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  if (data === "signed-in") void loadSession();
  if (data === "signed-out") location.assign("/sign-in");
});
