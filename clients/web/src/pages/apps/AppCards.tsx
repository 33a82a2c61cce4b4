import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { Star } from "lucide-react";
import { BareLink } from "@/ui/Link";
import { Name, Revision } from "@/format";
import type { ListWindow, Row } from "@/data";
import { healthState } from "@/state";
import { classes, Skeleton } from "@/ui";
import { toneText } from "@/ui/Chip";
import { states } from "@/words";
import { Health, LastOperation, Since, Sync } from "./columns";
import { useScrollMemory, useWidth } from "./scroll";

const NARROWEST = 280;
const GAP = 12;
const HEIGHT = 132;

export interface AppCardsProps {
  list: ListWindow;
  isSilent: (runtime: string) => boolean;
  isFavourite: (key: string) => boolean;
  onFavourite: (key: string) => void;
  memoryKey: string;
}

/** The same list as cards; only those in view are there. */
export function AppCards({ list, isSilent, isFavourite, onFavourite, memoryKey }: AppCardsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const perRow = Math.max(1, Math.floor((useWidth(frame) + GAP) / (NARROWEST + GAP)));
  const virtual = useVirtualizer({ count: Math.ceil(list.total / perRow), getScrollElement: () => frame.current, estimateSize: () => HEIGHT + GAP, overscan: 3 });
  const items = virtual.getVirtualItems();
  const [first, last] = [(items[0]?.index ?? 0) * perRow, ((items.at(-1)?.index ?? 8) + 1) * perRow];
  useEffect(() => list.show(first, last), [first, last, list.show]);
  useScrollMemory(memoryKey, frame, list.isLoaded && !list.isPending, (HEIGHT + GAP) / perRow);
  const shown = items.flatMap(({ index, start }) => Array.from({ length: perRow }, (_, column) => ({ index: index * perRow + column, start, column })));
  return (
    <div ref={frame} className="min-h-0 grow overflow-y-auto [scrollbar-gutter:stable]">
      <ul aria-label="Applications" aria-busy={list.isPending} className={classes("relative", list.isPending && "opacity-60")} style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start, column }) => {
          const row = list.row(index);
          return index < list.total && (
            <li
              key={index}
              aria-setsize={list.total}
              aria-posinset={index + 1}
              className="absolute"
              style={{ transform: `translateY(${start}px)`, left: `calc(${(100 * column) / perRow}% + ${(GAP * column) / perRow}px)`, width: `calc(${100 / perRow}% - ${(GAP * (perRow - 1)) / perRow}px)`, height: HEIGHT }}
            >
              {row ? (
                <Card row={row} isSilent={isSilent(row.runtime)} isFavourite={isFavourite(row.key)} onFavourite={() => onFavourite(row.key)} />
              ) : (
                <div className="h-full rounded-card border border-line p-3"><Skeleton className="w-40" /></div>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Card({ row, isSilent, isFavourite, onFavourite }: { row: Row; isSilent: boolean; isFavourite: boolean; onFavourite: () => void }) {
  const { runtime, cluster, namespace, name } = row;
  const { tone, isQuiet } = states[healthState(row.health)] as { tone: keyof typeof toneText; isQuiet?: boolean };
  return (
    <div className={classes("relative flex h-full flex-col gap-1.5 rounded-card border bg-raised p-3 hover:border-field", isQuiet || isSilent ? "border-edge" : `border-current ${toneText[tone]}`)}>
      <div className="flex items-center gap-2 text-text">
        <BareLink to="/apps/$runtime/$cluster/$namespace/$name" params={{ runtime, cluster, namespace, name }} className="min-w-0 grow text-control font-semibold after:absolute after:inset-0 hover:text-accent">
          <Name>{name}</Name>
        </BareLink>
        <button type="button" aria-pressed={isFavourite} aria-label={`Favourite ${name}`} onClick={onFavourite} className={classes("relative flex size-6 items-center justify-center rounded-control", isFavourite ? "text-warn" : "text-edge hover:text-dim")}>
          <Star size={14} aria-hidden fill={isFavourite ? "currentColor" : "none"} />
        </button>
      </div>
      <div className="flex items-center gap-4">
        <span className="flex items-center gap-2"><Health row={row} isSilent={isSilent} />{!isSilent && <Since row={row} />}</span>
        <Sync row={row} />
      </div>
      <div className="truncate text-label text-dim">{runtime} / {namespace}</div>
      <div className="mt-auto flex items-center gap-2 text-label text-dim">
        {row.revision && <Revision>{row.revision}</Revision>}
        <span className="min-w-0 truncate"><LastOperation row={row} /></span>
      </div>
    </div>
  );
}
