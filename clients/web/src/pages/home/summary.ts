import type { FacetValue } from "@contract/causeway/inventory/v1/application_service_pb";
import type { GetSummaryResponse, Problem } from "@contract/causeway/inventory/v1/summary_service_pb";
import type { Search } from "@/search";
import { states, type State } from "@/words";

export type Summary = GetSummaryResponse;

/** Keys of more applications make an address too long to share. */
const MOST_KEYS = 40;

/** Returns the number of applications with a state. */
export function countOf(values: readonly FacetValue[], word: string): number {
  return Number(values.find(({ value }) => value === word)?.count ?? 0n);
}

/** Returns the state that a facet's value names. */
export function stateOf(word: string): State | undefined {
  return (Object.keys(states) as State[]).find((state) => states[state].word === word);
}

/** Returns the search of the applications page that lists what a problem affects. */
export function problemSearch({ keys, type }: Pick<Problem, "keys" | "type">): Search {
  if (keys.length > 0 && keys.length <= MOST_KEYS) return { keys: keys.map((key) => key.replace(/[\\,]/g, "\\$&")).join(",") };
  return type === "sync" ? { sync: "outOfSync" } : { health: "degraded,missing,unknown" };
}

/** Names where applications are: the runtimes, or how many there are. */
export function places(runtimes: readonly string[]): string {
  if (runtimes.length <= 2) return runtimes.join(", ");
  return `${runtimes[0]} and ${runtimes.length - 1} more`;
}
