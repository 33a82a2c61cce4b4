import { Dialog } from "@/ui/Dialog";
import { KeyHint } from "@/ui/KeyHint";
import { Switch } from "@/ui/Choices";
import { setAppearance, useAppearance } from "@/theme/appearance";
import { closeOverlay } from "./overlays";
import { useRegisteredShortcuts, type Shortcut } from "./shortcuts";

/** Keys that primitives handle themselves. */
const fixed = [
  { keys: "j k", text: "Move in a list", group: "Lists" },
  { keys: "x", text: "Select a row", group: "Lists" },
  { keys: "Enter", text: "Open a row", group: "Lists" },
  { keys: "Esc", text: "Go back one level: drawer, selection, field", group: "Lists" },
];

/** The keyboard map: every shortcut that acts on this page. */
export default function ShortcutMap() {
  const { letterShortcuts } = useAppearance();
  const groups = Map.groupBy([...useRegisteredShortcuts(), ...fixed], ({ group }) => group);
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={closeOverlay} size="medium">
      <div className="mb-4 columns-2 gap-8 max-wide:columns-1">
        {[...groups].map(([group, shortcuts]) => <Group key={group} title={group} shortcuts={shortcuts} />)}
      </div>
      <Switch isSelected={letterShortcuts} onChange={(isOn) => setAppearance({ letterShortcuts: isOn })}>
        Single-letter shortcuts
      </Switch>
    </Dialog>
  );
}

function Group({ title, shortcuts }: { title: string; shortcuts: readonly Omit<Shortcut, "run">[] }) {
  return (
    <section className="mb-4 break-inside-avoid">
      <h3 className="mb-1 text-label font-semibold text-dim">{title}</h3>
      <dl className="m-0">
        {shortcuts.map(({ keys, text }) => (
          <div key={keys + text} className="flex min-h-7 items-center justify-between gap-4 border-b border-line">
            <dt>{text}</dt>
            <dd className="m-0">
              <span className="sr-only">{keys}</span>
              <KeyHint keys={keys.replace("Ctrl k", "Ctrl K")} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
