import { useEffect, useState } from "react";
import { setClockOffset } from "@/format/clock";
import { getJson } from "@/session/json";

const EVERY = 60_000;

interface PlatformInfo {
  version?: string;
  serverTime?: string;
}

/** Returns the version of the platform if it differs from the one this page was opened with. */
export function useNewVersion(): string | undefined {
  const [newer, setNewer] = useState<string>();
  useEffect(() => {
    let first: string | undefined;
    const check = async () => {
      const version = await readVersion();
      first ??= version;
      if (version && version !== first) setNewer(version);
    };
    const checkIfVisible = () => void (document.visibilityState === "visible" && check());
    checkIfVisible();
    const timer = setInterval(checkIfVisible, EVERY);
    document.addEventListener("visibilitychange", checkIfVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", checkIfVisible);
    };
  }, []);
  return newer;
}

/** Reads the platform's version, and its clock on the way. */
async function readVersion(): Promise<string | undefined> {
  try {
    const sent = Date.now();
    const { version, serverTime } = await getJson<PlatformInfo>("/v1/platform");
    const received = Date.now();
    if (serverTime) setClockOffset(Date.parse(serverTime) - (sent + received) / 2);
    return version;
  } catch {
    // A platform that is down or older has no say in this.
    return undefined;
  }
}
