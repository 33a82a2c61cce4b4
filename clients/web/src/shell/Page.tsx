import { useEffect, type ReactNode } from "react";
import icon from "@/theme/icon.svg";
import iconBad from "@/theme/icon-bad.svg";
import { classes } from "@/ui/classes";
import { useSetCrumbs, type Crumb } from "./crumbs";
import { PageDrawer } from "./PageDrawer";

export interface PageProps {
  /** The only h1 of the page, and the title of the tab. */
  title: string;
  /** Hides the h1 from sight where the design has none. */
  hideTitle?: boolean;
  /** Leads the tab's title, such as "▲ 3". */
  badge?: string | undefined;
  /** Behind the place in the breadcrumb. */
  crumbs?: readonly Crumb[];
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** Renders the drawer's content for the target in ?drawer=; null for no drawer. */
  drawer?: (target: string, close: () => void) => ReactNode;
  /** Takes the whole height and scrolls inside, for virtual lists. */
  isFixed?: boolean;
  children: ReactNode;
}

const noCrumbs: readonly Crumb[] = [];

/** The frame of each page: its one h1, the tab's title, one column of content and one drawer. */
export function Page({ title, hideTitle, badge, crumbs = noCrumbs, actions, drawer, isFixed, children }: PageProps) {
  useSetCrumbs(crumbs);
  useTabTitle(title, badge);
  return (
    <div className="flex min-h-0 min-w-0 grow">
      <main id="content" tabIndex={-1} className={classes("flex min-w-0 grow flex-col outline-none", isFixed ? "min-h-0" : "overflow-y-auto")}>
        <div className={classes("flex flex-wrap items-center gap-3 px-4 pt-4 pb-3", hideTitle && !actions && "sr-only")}>
          <h1 className={classes("min-w-0 grow truncate text-h1 font-semibold", hideTitle && "sr-only")}>{title}</h1>
          {actions}
        </div>
        <div className={classes("flex min-w-0 grow flex-col px-4 pb-4", isFixed && "min-h-0")}>{children}</div>
      </main>
      {drawer && <PageDrawer render={drawer} />}
    </div>
  );
}

/** Puts the page and its state into the tab: the title and the colour of the icon. */
function useTabTitle(title: string, badge: string | undefined) {
  useEffect(() => {
    document.title = `${badge ? `${badge} · ` : ""}${title} · Causeway`;
    const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (link) link.href = badge ? iconBad : icon;
  }, [title, badge]);
}
