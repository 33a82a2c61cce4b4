import icon from "@/theme/icon.svg";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { Search } from "@/search";
import { KeyForm } from "@/session/KeyForm";
import { returnPath } from "@/session/returnTo";
import { loadSession, useSession } from "@/session/session";
import { Skeleton } from "@/ui/Skeleton";
import { ProviderLinks } from "./ProviderLinks";
import { useProviders } from "./useProviders";

/** Signs in by an identity provider or an API key, and goes on to the page that was asked for. */
export default function SignInPage() {
  const { return_to, account, window: isWindow } = useSearch({ strict: false }) as Search;
  const path = returnPath(return_to);
  const providers = useProviders(account ?? "");
  const goOn = useGoOn(path, isWindow === "1");
  useEffect(() => {
    document.title = "Sign in · Causeway";
  }, []);
  const names = providers ?? [];
  return (
    <main className="flex min-h-full items-center justify-center bg-panel p-4">
      <div className="flex w-full max-w-[360px] flex-col gap-5 rounded-dialog border border-line bg-raised p-6">
        <div className="flex items-center gap-3">
          <img src={icon} width="32" height="32" alt="" />
          <h1 className="text-h1 font-semibold">Sign in to Causeway</h1>
        </div>
        {providers === undefined ? (
          <Skeleton className="h-(--control)! w-full" />
        ) : (
          <ProviderLinks providers={names} account={account ?? ""} path={isWindow === "1" ? "/sign-in?window=1" : path} />
        )}
        {names.length > 0 && <Divider />}
        <KeyForm onSignedIn={goOn} isAccent={providers !== undefined && names.length === 0} />
        <p className="text-label text-dim">
          On the command line: <code className="font-mono">causeway login</code>
        </p>
      </div>
    </main>
  );
}

function Divider() {
  return (
    <div className="flex items-center gap-3 text-label text-dim" aria-hidden>
      <span className="h-px grow bg-line" /> or <span className="h-px grow bg-line" />
    </div>
  );
}

/** Goes on once a user is signed in; a window that was opened for the sign-in closes itself. */
function useGoOn(path: string, isWindow: boolean): () => void {
  const router = useRouter();
  const session = useSession();
  const hasGone = useRef(false);
  const goOn = () => {
    if (hasGone.current) return;
    hasGone.current = true;
    if (isWindow) window.close();
    router.history.replace(path);
  };
  useEffect(() => {
    void loadSession();
  }, []);
  useEffect(() => {
    if (session.kind === "signed-in") goOn();
  }, [session.kind]);
  return goOn;
}
