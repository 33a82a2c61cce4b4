import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Search } from "@/search";
import { SearchField } from "@/ui";

/** The filter in ?q=, and how to change it. */
export function useFilter(): [string, (text: string) => void] {
  const { q = "" } = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  return [q, (text) => void navigate({ to: ".", search: (search: Search) => ({ ...search, q: text || undefined }), replace: true })];
}

/** A filter, a count and the buttons of a section. */
export function Toolbar({ label, count, children }: { label: string; count: string; children?: ReactNode }) {
  const [q, setQ] = useFilter();
  return (
    <div className="mb-3 flex flex-wrap items-center gap-3">
      <SearchField label={label} placeholder="Filter" value={q} onChange={setQ} className="w-60 max-wide:w-full" />
      <span className="grow text-dim">{count}</span>
      {children}
    </div>
  );
}
