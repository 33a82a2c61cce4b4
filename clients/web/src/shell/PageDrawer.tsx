import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Search } from "@/search";

/** The drawer of a page as kept in the URL: its target, and how to open and close it. */
export function useDrawer() {
  const { drawer: target } = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const show = (drawer: string | undefined) =>
    void navigate({ to: ".", search: (search: Search) => ({ ...search, drawer }), replace: true });
  return { target, open: (drawer: string) => show(drawer), close: () => show(undefined) };
}

/** Renders the drawer of a page for the target in ?drawer=; the content is a Drawer of src/ui. */
export function PageDrawer({ render }: { render: (target: string, close: () => void) => ReactNode }) {
  const { target, close } = useDrawer();
  return target === undefined ? null : render(target, close);
}
