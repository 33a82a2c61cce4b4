import { formatClock, formatExact, useNow } from "@/format";
import { setAppearance, useAppearance, type Density, type Theme } from "@/theme/appearance";
import { StateMark } from "@/state";
import { RadioGroup, Switch } from "@/ui";
import { states, type State } from "@/words";

const themes: readonly { key: Theme; text: string }[] = [
  { key: "system", text: "As the system" },
  { key: "light", text: "Light" },
  { key: "dark", text: "Dark" },
];

const densities: readonly { key: Density; text: string; note: string }[] = [
  { key: "comfortable", text: "Comfortable", note: "40 px a row" },
  { key: "default", text: "Default", note: "32 px a row" },
  { key: "dense", text: "Dense", note: "26 px a row" },
];

/** How this browser shows the UI; stored in this browser only. */
export default function Appearance() {
  const { theme, density, letterShortcuts } = useAppearance();
  return (
    <div className="flex max-w-[720px] flex-col gap-6">
      <p className="text-dim">These choices are stored in this browser.</p>
      <RadioGroup label="Theme" choices={themes} value={theme} onChange={(key) => setAppearance({ theme: key })} orientation="horizontal" />
      <RadioGroup label="Density" choices={densities} value={density} onChange={(key) => setAppearance({ density: key })} />
      <Switch isSelected={letterShortcuts} onChange={(isOn) => setAppearance({ letterShortcuts: isOn })}>
        Single-letter shortcuts
      </Switch>
      <Clock />
      <Legend />
    </div>
  );
}

function Clock() {
  const now = useNow();
  return (
    <section>
      <h2 className="text-label font-medium text-dim">Time zone</h2>
      <p>
        {Intl.DateTimeFormat().resolvedOptions().timeZone}, now {formatClock(now)}.
      </p>
      <p className="whitespace-pre-line text-label text-dim">{formatExact(now)}</p>
    </section>
  );
}

/** All states with their shapes and meanings. */
function Legend() {
  return (
    <section>
      <h2 className="mb-1 text-label font-medium text-dim">States</h2>
      <dl className="m-0 grid grid-cols-[max-content_1fr] items-center gap-x-6">
        {(Object.keys(states) as State[]).map((state) => (
          <div key={state} className="col-span-2 grid min-h-7 grid-cols-subgrid items-center border-b border-line">
            <dt><StateMark state={state} /></dt>
            <dd className="m-0 text-dim">{states[state].means}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
