import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { setAppearance, useAppearance } from "@/theme/appearance";
import { IconButton } from "@/ui/Button";
import { BareLink } from "@/ui/Link";
import { places, type Place } from "./places";

const item =
  "flex h-8 items-center gap-3 rounded-control px-2.5 font-medium text-dim hover:bg-selected hover:text-text aria-[current=page]:bg-selected aria-[current=page]:text-text";

/** The left rail: the places of the UI. */
export function Rail() {
  const isCollapsed = useAppearance().rail === "collapsed";
  return (
    <nav aria-label="Places" className="flex w-(--rail) shrink-0 flex-col border-r border-line bg-panel max-wide:hidden">
      <div className="flex h-10 items-center gap-2 px-3">
        <Mark />
        {!isCollapsed && <span className="text-h2 font-semibold">Causeway</span>}
      </div>
      <ul className="flex grow flex-col gap-0.5 overflow-y-auto px-1.5 py-1">
        {places.map((place) => (
          <li key={place.to}>
            <RailLink place={place} isCollapsed={isCollapsed} />
          </li>
        ))}
      </ul>
      <div className="p-1.5">
        <IconButton
          label={isCollapsed ? "Open the rail" : "Collapse the rail"}
          onPress={() => setAppearance({ rail: isCollapsed ? "open" : "collapsed" })}
          className="w-9!"
        >
          {isCollapsed ? <PanelLeftOpen size={16} aria-hidden /> : <PanelLeftClose size={16} aria-hidden />}
        </IconButton>
      </div>
    </nav>
  );
}

function RailLink({ place, isCollapsed }: { place: Place; isCollapsed: boolean }) {
  const Icon = place.icon;
  return (
    <BareLink
      to={place.to}
      activeOptions={{ exact: place.to === "/", includeSearch: false }}
      className={item}
      {...(isCollapsed ? { "aria-label": place.title, title: place.title } : {})}
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden className="shrink-0" />
      {!isCollapsed && place.title}
    </BareLink>
  );
}

function Mark() {
  return (
    <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden className="shrink-0 text-accent">
      <rect width="32" height="32" rx="7" fill="currentColor" />
      <path d="M5 20h22M8 20c0-6 3.6-9 8-9s8 3 8 9M12 20v-7M20 20v-7" fill="none" className="stroke-on-accent" strokeWidth="2.4" strokeLinecap="round" />
    </svg>
  );
}
