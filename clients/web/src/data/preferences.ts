/** Favourites and saved views: kept by the platform, or by this browser where the platform is older. */
import { PreferenceService } from "@contract/causeway/platform/v1/preference_service_pb";
import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { newRequestId } from "@client/request-id";
import { toProblem, type CallError } from "./problem";
import { call } from "./transport";

export interface Preferences {
  /** Keys of applications. */
  favourites: readonly string[];
}

/** A named list of the applications page. */
export interface SavedQuery {
  name: string;
  query: string;
  /** The user who saved it; empty for this browser. */
  owner: string;
  roles: readonly string[];
}

interface Stored {
  preferences: Preferences;
  version: bigint;
  isLocal: boolean;
}

const none: readonly string[] = [];
const LOCAL = "causeway.preferences";
const LOCAL_VIEWS = "causeway.views";
const MOST_FAVOURITES = 500;
const preferencesKey = ["preferences"];
const viewsKey = ["saved-views"];
const methods = PreferenceService.method;

/** The favourite applications, and how to add or remove one. */
export function useFavourites() {
  const client = useQueryClient();
  const { data } = useQuery<Stored, CallError>({ queryKey: preferencesKey, queryFn: ({ signal }) => read(signal), staleTime: 30_000, retry: false });
  const favourites = data?.preferences.favourites ?? none;
  return {
    favourites,
    isFavourite: (key: string) => favourites.includes(key),
    toggle: (key: string) => void toggle(client, key),
  };
}

async function read(signal?: AbortSignal): Promise<Stored> {
  try {
    const { content, version } = await call(methods.getPreferences, {}, { signal });
    return { preferences: parse(content), version, isLocal: false };
  } catch (error) {
    signal?.throwIfAborted();
    if (!toProblem(error).isUnimplemented) throw error;
    return { preferences: parse(localStorage.getItem(LOCAL) ?? ""), version: 0n, isLocal: true };
  }
}

/** Shows the change at once, since it can be taken back, and then stores it. */
async function toggle(client: QueryClient, key: string) {
  const before = client.getQueryData<Stored>(preferencesKey);
  if (!before) return;
  client.setQueryData<Stored>(preferencesKey, { ...before, preferences: toggled(before.preferences, key) });
  try {
    await write(before, key);
  } catch {
    client.setQueryData(preferencesKey, before);
  }
  await client.invalidateQueries({ queryKey: preferencesKey });
}

async function write(stored: Stored, key: string) {
  const content = JSON.stringify(toggled(stored.preferences, key));
  if (stored.isLocal) return localStorage.setItem(LOCAL, content);
  const set = ({ version }: Stored, text: string) => call(methods.setPreferences, { content: text, version, requestId: newRequestId() });
  try {
    await set(stored, content);
  } catch (error) {
    if (!toProblem(error).retryable) throw error;
    // Another tab wrote meanwhile: the same change goes on top of what it wrote.
    const latest = await read();
    await set(latest, JSON.stringify(toggled(latest.preferences, key)));
  }
  return undefined;
}

function toggled(preferences: Preferences, key: string): Preferences {
  const others = preferences.favourites.filter((each) => each !== key);
  const favourites = others.length < preferences.favourites.length ? others : [...others, key].slice(-MOST_FAVOURITES);
  return { ...preferences, favourites };
}

/** Reads what a client wrote; other fields of a newer one stay. */
export function parse(content: string): Preferences {
  try {
    const value: unknown = JSON.parse(content || "{}");
    const { favourites } = value as { favourites?: unknown };
    const keys = Array.isArray(favourites) ? favourites.filter((key) => typeof key === "string") : [];
    return { ...(value as object), favourites: keys };
  } catch {
    return { favourites: [] };
  }
}

interface StoredViews {
  views: readonly SavedQuery[];
  isLocal: boolean;
}

/** The saved views of a page, and how to save and remove one. */
export function useSavedQueries(page: string) {
  const client = useQueryClient();
  const key = [...viewsKey, page];
  const { data } = useQuery<StoredViews, CallError>({ queryKey: key, queryFn: ({ signal }) => readViews(page, signal), staleTime: 30_000, retry: false });
  const views = data?.views ?? [];
  const isLocal = data?.isLocal ?? false;
  const done = () => client.invalidateQueries({ queryKey: key });
  return {
    views,
    canShare: !isLocal,
    save: async (view: Pick<SavedQuery, "name" | "query" | "roles">) => {
      if (isLocal) writeLocal(page, [...views.filter(({ name }) => name !== view.name), { ...view, owner: "" }]);
      else await call(methods.saveView, { ...view, roles: [...view.roles], page, requestId: newRequestId() });
      await done();
    },
    remove: async (name: string) => {
      if (isLocal) writeLocal(page, views.filter((view) => view.name !== name));
      else await call(methods.deleteSavedView, { name, requestId: newRequestId() });
      await done();
    },
  };
}

async function readViews(page: string, signal: AbortSignal): Promise<StoredViews> {
  try {
    const { views } = await call(methods.listSavedViews, {}, { signal });
    return { views: views.filter((view) => view.page === page), isLocal: false };
  } catch (error) {
    signal.throwIfAborted();
    if (!toProblem(error).isUnimplemented) throw error;
    return { views: readLocal(page), isLocal: true };
  }
}

function readLocal(page: string): SavedQuery[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(`${LOCAL_VIEWS}.${page}`) ?? "[]");
    return Array.isArray(stored) ? (stored as SavedQuery[]) : [];
  } catch {
    return [];
  }
}

function writeLocal(page: string, views: readonly SavedQuery[]) {
  localStorage.setItem(`${LOCAL_VIEWS}.${page}`, JSON.stringify(views));
}
