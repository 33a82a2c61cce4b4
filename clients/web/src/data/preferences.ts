/** Favourites and saved views, kept by the platform. */
import { PreferenceService } from "@contract/causeway/platform/v1/preference_service_pb";
import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { newRequestId } from "@client/request-id";
import { toProblem, type CallError } from "./problem";
import { readKey, useAllPages } from "./queries";
import { call } from "./transport";

export interface Preferences {
  /** Keys of applications. */
  favourites: readonly string[];
}

/** A named list of the applications page. */
export interface SavedQuery {
  name: string;
  query: string;
  /** The user who saved it. */
  owner: string;
  roles: readonly string[];
}

interface Stored {
  preferences: Preferences;
  version: bigint;
}

const none: readonly string[] = [];
const MOST_FAVOURITES = 500;
const preferencesKey = ["preferences"];
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
  const { content, version } = await call(methods.getPreferences, {}, { signal });
  return { preferences: parse(content), version };
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
  const set = ({ version }: Stored, text: string) => call(methods.setPreferences, { content: text, version, requestId: newRequestId() });
  try {
    await set(stored, content);
  } catch (error) {
    if (!toProblem(error).retryable) throw error;
    // Another tab wrote meanwhile: the same change goes on top of what it wrote.
    const latest = await read();
    await set(latest, JSON.stringify(toggled(latest.preferences, key)));
  }
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

/** The saved views of a page, and how to save and remove one. */
export function useSavedQueries(page: string) {
  const client = useQueryClient();
  const { data } = useAllPages(methods.listSavedViews, {});
  const views: readonly SavedQuery[] = (data ?? []).flatMap((each) => each.views).filter((view) => view.page === page);
  const done = () => client.invalidateQueries({ queryKey: readKey(methods.listSavedViews, {}) });
  return {
    views,
    save: async (view: Pick<SavedQuery, "name" | "query" | "roles">) => {
      await call(methods.saveView, { ...view, roles: [...view.roles], page, requestId: newRequestId() });
      await done();
    },
    remove: async (name: string) => {
      await call(methods.deleteSavedView, { name, requestId: newRequestId() });
      await done();
    },
  };
}
