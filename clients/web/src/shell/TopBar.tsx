import { useLocation } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { Fragment } from "react";
import { formatClock, useNow } from "@/format";
import { Button } from "@/ui/Button";
import { KeyHint } from "@/ui/KeyHint";
import { BareLink } from "@/ui/Link";
import { AccountMenu } from "./AccountMenu";
import { useCrumbs, type Crumb } from "./crumbs";
import { openCommandBar } from "./overlays";
import { placeOf } from "./places";

/** The top bar: where one is, search, time and account. */
export function TopBar() {
  return (
    <header className="flex h-10 shrink-0 items-center gap-2 border-b border-line bg-bg px-3 pointer-coarse:h-12">
      <Breadcrumb />
      <span className="grow" />
      <Button
        tone="quiet"
        icon={<Search size={14} aria-hidden />}
        onPress={openCommandBar}
        aria-label="Search"
        className="border-line! bg-panel! font-normal! wide:min-w-44 wide:justify-start!"
      >
        <span className="grow text-left max-wide:hidden">Search</span>
        <span className="max-wide:hidden"><KeyHint keys="Ctrl K" /></span>
      </Button>
      <Clock />
      <AccountMenu />
    </header>
  );
}

function Breadcrumb() {
  const path = useLocation({ select: (location) => location.pathname });
  const place = placeOf(path);
  const page = useCrumbs();
  const crumbs: readonly Crumb[] = place ? [{ text: place.title, to: place.to }, ...page] : page;
  return (
    <nav aria-label="Breadcrumb" className="min-w-0">
      <ol className="flex min-w-0 items-center gap-1.5 text-dim">
        {crumbs.map((crumb, index) => (
          <Fragment key={index}>
            {index > 0 && <li aria-hidden className="text-edge">/</li>}
            <li className="min-w-0 truncate last:text-text" {...(index === crumbs.length - 1 ? { "aria-current": "page" as const } : {})}>
              {crumb.to && index < crumbs.length - 1 ? (
                <BareLink to={crumb.to} className="rounded-control hover:text-text">{crumb.text}</BareLink>
              ) : (
                crumb.text
              )}
            </li>
          </Fragment>
        ))}
      </ol>
    </nav>
  );
}

function Clock() {
  const now = useNow();
  return <span className="numbers text-label text-dim max-wide:hidden">now {formatClock(now)}</span>;
}
