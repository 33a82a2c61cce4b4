import { places } from "@/shell/places";
import { openShortcuts } from "@/shell/overlays";
import { setAppearance } from "@/theme/appearance";
import { usePageCommands, type PageCommand } from "./pageCommands";
import { recentVisits } from "./recent";
import { useServerSearch } from "./search";
import { useBroken } from "./useBroken";

/** One line of the command bar. */
export interface Entry {
  id: string;
  text: string;
  /** Stands at the right, such as "application". */
  kind?: string;
  detail?: string;
  health?: string | undefined;
  shortcut?: string;
  reason?: string | undefined;
  to?: string;
  run?: () => void;
}

export interface Section {
  title: string;
  entries: readonly Entry[];
}

/** Returns what the bar lists for a text, by section; empty sections are left out. */
export function useEntries(text: string): readonly Section[] {
  const found = useServerSearch(text);
  const commands = usePageCommands();
  const broken = useBroken();
  return arrange(text, { found, broken, commands: commands.map(commandEntry), recent: recentVisits().map(visitEntry) });
}

interface Sources {
  found: readonly Entry[];
  broken: readonly Entry[];
  commands: readonly Entry[];
  recent: readonly Entry[];
}

/** Orders the sections: without a text what is broken and was visited last, with one the best matches. */
export function arrange(text: string, { found, broken, commands, recent }: Sources): readonly Section[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (entry: Entry) => words.every((word) => entry.text.toLowerCase().includes(word));
  const sections = [
    { title: "Actions on this page", entries: commands.filter(matches) },
    { title: "Broken now", entries: words.length === 0 ? broken : [] },
    { title: "Recent", entries: words.length === 0 ? recent : [] },
    { title: "Places", entries: placeEntries.filter(matches) },
    { title: "Found", entries: words.length === 0 ? [] : found },
    { title: "Commands", entries: words.length === 0 ? [] : ownCommands.filter(matches) },
  ];
  return sections.filter(({ entries }) => entries.length > 0);
}

const placeEntries: readonly Entry[] = places.map(({ to, title, letter }) => ({
  id: `place:${to}`,
  text: title,
  to,
  ...(letter ? { shortcut: `g ${letter}` } : {}),
}));

const ownCommands: readonly Entry[] = [
  { id: "join", text: "Join a runtime", to: "/join" },
  { id: "light", text: "Use the light theme", run: () => setAppearance({ theme: "light" }) },
  { id: "dark", text: "Use the dark theme", run: () => setAppearance({ theme: "dark" }) },
  { id: "system", text: "Use the theme of the system", run: () => setAppearance({ theme: "system" }) },
  { id: "dense", text: "Use dense rows", run: () => setAppearance({ density: "dense" }) },
  { id: "default", text: "Use default rows", run: () => setAppearance({ density: "default" }) },
  { id: "comfortable", text: "Use comfortable rows", run: () => setAppearance({ density: "comfortable" }) },
  { id: "shortcuts", text: "Show keyboard shortcuts", shortcut: "?", run: openShortcuts },
];

function commandEntry(command: PageCommand): Entry {
  const { id, text, shortcut, reason, run } = command;
  return { id: `command:${id}`, text, run, reason, ...(shortcut ? { shortcut } : {}) };
}

function visitEntry({ to, text }: { to: string; text: string }): Entry {
  return { id: `visit:${to}`, text, to };
}
