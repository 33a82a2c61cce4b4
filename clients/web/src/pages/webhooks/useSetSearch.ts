import { useNavigate } from "@tanstack/react-router";
import type { Search } from "@/search";

/** Sets parameters of the URL; undefined removes one. */
export function useSetSearch(): (change: Search) => void {
  const navigate = useNavigate();
  return (change) => void navigate({ to: ".", search: (search: Search) => ({ ...search, ...change }), resetScroll: false });
}
