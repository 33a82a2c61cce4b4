import { useState } from "react";
import { formatDuration, useNow } from "@/format";
import { Banner } from "@/ui/Banner";
import { Button } from "@/ui/Button";
import { useFreshness } from "./freshness";
import { useNewVersion } from "./version";

const PATIENCE = 3_000;

/** Sentences over every page: a lost connection, and a newer version. */
export function Banners() {
  const newer = useNewVersion();
  const [isClosed, setClosed] = useState(false);
  const away = useAway();
  if (away === undefined && (!newer || isClosed)) return null;
  return (
    <div className="flex flex-col gap-2 px-4 pt-3">
      {away !== undefined && (
        <Banner tone="warn">
          No connection to the platform for {formatDuration(away)}. What is shown is the last that was received; actions are not sent.
        </Banner>
      )}
      {newer && !isClosed && (
        <Banner tone="info" actions={<Button onPress={() => location.reload()}>Reload</Button>} onClose={() => setClosed(true)}>
          A new version is there: {newer}
        </Banner>
      )}
    </div>
  );
}

/** How long the connection is lost, once that is longer than a short break. */
function useAway(): number | undefined {
  const freshness = useFreshness();
  const now = useNow();
  if (freshness.kind !== "reconnecting") return undefined;
  const length = now - freshness.since;
  return length >= PATIENCE ? length : undefined;
}
