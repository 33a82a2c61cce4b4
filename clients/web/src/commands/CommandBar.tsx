import { useRouter } from "@tanstack/react-router";
import { CornerDownLeft, Search } from "lucide-react";
import { useState, type KeyboardEvent } from "react";
import { Autocomplete, Dialog, Header, Input, Menu, MenuItem, MenuSection, Modal, ModalOverlay, SearchField, Text } from "react-aria-components";
import { closeOverlay } from "@/shell/overlays";
import { StateShape } from "@/state/StateMark";
import { KeyHint } from "@/ui/KeyHint";
import { states, type State } from "@/words";
import { useEntries, type Entry } from "./entries";

/** Finds places, things and actions, and opens or runs the one that is chosen. */
export default function CommandBar() {
  const [text, setText] = useState("");
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(isOpen) => !isOpen && closeOverlay()} className="fixed inset-0 z-50 flex items-start justify-center bg-veil p-4 pt-[12vh] data-entering:animate-fade max-wide:p-2">
      <Modal className="w-full max-w-[640px] overflow-hidden rounded-dialog border border-line bg-raised text-text shadow-float data-entering:animate-rise">
        <Dialog aria-label="Search and commands" className="flex max-h-[64vh] flex-col outline-none">
          {/* The server and entries.ts filter, so that the order of matches stays. */}
          <Autocomplete inputValue={text} onInputChange={setText}>
            <div onKeyDownCapture={closeOnEscape} className="contents">
              <SearchField aria-label="Search" autoFocus className="flex items-center gap-3 border-b border-line px-4">
                <Search size={16} aria-hidden className="shrink-0 text-dim" />
                <Input
                  placeholder="Search applications, runtimes, images, commits, or run a command"
                  className="h-12 w-full bg-transparent text-control outline-none placeholder:text-dim [&::-webkit-search-cancel-button]:hidden"
                />
                <KeyHint keys="Esc" />
              </SearchField>
              <Entries text={text} />
            </div>
          </Autocomplete>
          <Hints />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The field itself would only be cleared. */
function closeOnEscape(event: KeyboardEvent) {
  if (event.key === "Escape") closeOverlay();
}

function Entries({ text }: { text: string }) {
  const sections = useEntries(text);
  const { history } = useRouter();
  const choose = (entry: Entry) => {
    closeOverlay();
    if (entry.run) entry.run();
    else if (entry.to) history.push(entry.to);
  };
  return (
    <Menu aria-label="Results" className="min-h-16 overflow-y-auto p-2 outline-none" renderEmptyState={() => <Nothing text={text} />}>
      {sections.map(({ title, entries }) => (
        <MenuSection key={title} className="mb-1">
          <Header className="px-2 py-1 text-label font-medium text-dim">{title}</Header>
          {entries.map((entry) => <EntryItem key={entry.id} entry={entry} onChoose={choose} />)}
        </MenuSection>
      ))}
    </Menu>
  );
}

function EntryItem({ entry, onChoose }: { entry: Entry; onChoose: (entry: Entry) => void }) {
  const state = entry.health !== undefined && entry.health in states ? (entry.health as State) : undefined;
  const note = entry.reason ?? entry.detail;
  return (
    <MenuItem
      id={entry.id}
      textValue={entry.text}
      isDisabled={entry.reason !== undefined}
      onAction={() => onChoose(entry)}
      className="flex min-h-8 cursor-default items-center gap-2 rounded-control px-2 outline-none data-disabled:text-dim data-focused:bg-selected"
    >
      {state && <StateShape state={state} />}
      <Text slot="label" className="shrink-0 truncate font-medium">{entry.text}</Text>
      {note && <Text slot="description" className="min-w-0 grow truncate text-label text-dim">{note}</Text>}
      <span className="ml-auto shrink-0 text-label text-dim">{entry.shortcut ? <KeyHint keys={entry.shortcut} /> : entry.kind}</span>
    </MenuItem>
  );
}

function Nothing({ text }: { text: string }) {
  return <p className="px-2 py-4 text-center text-dim">{text.trim() ? `Nothing matches “${text.trim()}”` : "Type to search"}</p>;
}

function Hints() {
  return (
    <footer className="flex items-center gap-4 border-t border-line bg-panel px-4 py-1.5 text-label text-dim max-wide:hidden">
      <span className="inline-flex items-center gap-1"><KeyHint keys="↑ ↓" /> choose</span>
      <span className="inline-flex items-center gap-1"><CornerDownLeft size={12} aria-hidden /> open</span>
    </footer>
  );
}
