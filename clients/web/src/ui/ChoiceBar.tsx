import { ToggleButton, ToggleButtonGroup } from "react-aria-components";

export interface ChoiceBarProps<K extends string> {
  label: string;
  choices: readonly { key: K; text: string }[];
  value: K;
  onChange: (key: K) => void;
}

/** A row of buttons of which one is on, such as 1h 6h 24h 7d. */
export function ChoiceBar<K extends string>({ label, choices, value, onChange }: ChoiceBarProps<K>) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => [...keys].forEach((key) => onChange(key as K))}
      className="inline-flex rounded-control border border-edge bg-raised p-px"
    >
      {choices.map(({ key, text }) => (
        <ToggleButton
          key={key}
          id={key}
          className="h-[calc(var(--control)-4px)] cursor-default rounded-[3px] px-2 text-label font-medium text-dim data-hovered:text-text data-selected:bg-selected data-selected:text-text"
        >
          {text}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
