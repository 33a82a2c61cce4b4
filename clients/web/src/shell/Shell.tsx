import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useRememberVisits } from "@/commands/useRememberVisits";
import { ExpiredSheet } from "@/session/ExpiredSheet";
import { loadSession, useSession } from "@/session/session";
import { Banners } from "./Banners";
import { BottomBar } from "./BottomBar";
import { Foot } from "./Foot";
import { Keyboard } from "./Keyboard";
import { Overlays } from "./Overlays";
import { Rail } from "./Rail";
import { Toasts } from "./toasts";
import { TopBar } from "./TopBar";

/** Pages that stand alone, without the rail. */
const bare = ["/sign-in"];

/** The frame around all pages. */
export function Shell() {
  const path = useLocation({ select: (location) => location.pathname });
  return bare.includes(path) ? <Outlet /> : <Frame />;
}

function Frame() {
  useSignInFirst();
  useRememberVisits();
  return (
    <div className="flex h-full">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-1 focus:rounded-control focus:bg-raised focus:px-3 focus:py-1">
        Skip to content
      </a>
      <Rail />
      <div className="flex min-w-0 grow flex-col">
        <TopBar />
        <Banners />
        <Outlet />
        <Foot />
        <BottomBar />
      </div>
      <Keyboard />
      <Overlays />
      <ExpiredSheet />
      <Toasts />
    </div>
  );
}

/** Sends who is not signed in to the sign-in page, with the way back. */
function useSignInFirst() {
  const session = useSession();
  const navigate = useNavigate();
  const return_to = useLocation({ select: (location) => location.href });
  useEffect(() => {
    void loadSession();
  }, []);
  useEffect(() => {
    if (session.kind === "signed-out") void navigate({ to: "/sign-in", search: { return_to }, replace: true });
  }, [session.kind]);
}
