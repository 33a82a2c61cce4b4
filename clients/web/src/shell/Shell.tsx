import { Outlet, useLocation } from "@tanstack/react-router";
import { BottomBar } from "./BottomBar";
import { Foot } from "./Foot";
import { Rail } from "./Rail";
import { TopBar } from "./TopBar";

/** Pages that stand alone, without the rail. */
const bare = ["/sign-in"];

/** The frame around all pages. */
export function Shell() {
  const path = useLocation({ select: (location) => location.pathname });
  if (bare.includes(path)) return <Outlet />;
  return (
    <div className="flex h-full">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-1 focus:rounded-control focus:bg-raised focus:px-3 focus:py-1">
        Skip to content
      </a>
      <Rail />
      <div className="flex min-w-0 grow flex-col">
        <TopBar />
        <Outlet />
        <Foot />
        <BottomBar />
      </div>
    </div>
  );
}
