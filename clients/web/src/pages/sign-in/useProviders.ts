import { useEffect, useState } from "react";
import { getJson } from "@/session/json";

export interface Provider {
  provider: string;
  displayName?: string;
}

/** Lists the identity providers of an account; undefined while they load. */
export function useProviders(account: string): readonly Provider[] | undefined {
  const [providers, setProviders] = useState<readonly Provider[]>();
  useEffect(() => {
    let isCurrent = true;
    const query = account ? `?account=${encodeURIComponent(account)}` : "";
    getJson<{ providers?: Provider[] }>(`/v1/signIn/providers${query}`)
      // A sign-in by key remains where the list cannot be read.
      .then(({ providers: found = [] }) => found, () => [])
      .then((found) => isCurrent && setProviders(found));
    return () => {
      isCurrent = false;
    };
  }, [account]);
  return providers;
}
