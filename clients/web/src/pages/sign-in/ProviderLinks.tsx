import { LogIn } from "lucide-react";
import type { Provider } from "./useProviders";

interface ProviderLinksProps {
  providers: readonly Provider[];
  account: string;
  /** Where the browser goes after the sign-in. */
  path: string;
}

/** Links to the sign-in of each identity provider; the first one is the accent one. */
export function ProviderLinks({ providers, account, path }: ProviderLinksProps) {
  if (providers.length === 0) return null;
  return (
    <ul className="flex flex-col gap-2">
      {providers.map(({ provider, displayName }, index) => (
        <li key={provider}>
          <a href={loginUrl(provider, account, path)} className={`${look} ${index === 0 ? first : others}`}>
            <LogIn size={16} aria-hidden />
            Sign in with {displayName || provider}
          </a>
        </li>
      ))}
    </ul>
  );
}

const look = "flex h-9 items-center justify-center gap-2 rounded-control border px-3 font-medium";
const first = "border-transparent bg-accent text-on-accent hover:opacity-90";
const others = "border-edge bg-raised hover:bg-panel";

function loginUrl(provider: string, account: string, path: string): string {
  const query = new URLSearchParams({ provider, ...(account ? { account } : {}), return_to: path });
  return `/auth/login?${query}`;
}
