import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Search } from "@/search";

/** One parameter of the URL; setting it replaces the entry, or pushes one where `pushes` is set. */
export function useParam(name: string, pushes = false): [string | undefined, (value: string | undefined) => void] {
  const search = useSearch({ strict: false }) as Search;
  const set = useSetParams(pushes);
  return [search[name], (value) => set({ [name]: value })];
}

/** Sets several parameters of the URL at once; undefined removes one. */
export function useSetParams(pushes = false): (values: Search) => void {
  const navigate = useNavigate();
  return (values) => void navigate({ to: ".", search: (search: Search) => ({ ...search, ...values }), replace: !pushes });
}
