import { Check, Minus } from "lucide-react";
import type { ReactNode } from "react";
import {
  Checkbox as CheckboxRoot,
  type CheckboxProps as CheckboxRootProps,
  Label,
  Radio,
  RadioGroup as RadioRoot,
  Switch as SwitchRoot,
  type SwitchProps as SwitchRootProps,
  Text,
} from "react-aria-components";
import { hintLook, labelLook } from "./Field";
import { classes } from "./classes";

export interface CheckboxProps extends Omit<CheckboxRootProps, "className" | "style" | "children"> {
  /** The text beside it; without one, pass aria-label. */
  children?: ReactNode;
  className?: string;
}

/** A box to tick, with a third state for a part of a selection. */
export function Checkbox({ children, className, ...props }: CheckboxProps) {
  return (
    <CheckboxRoot {...props} className={classes("group flex min-h-6 items-center gap-2 text-body data-disabled:opacity-50", className)}>
      {({ isIndeterminate }) => (
        <>
          <span className="flex size-4 shrink-0 items-center justify-center rounded-[3px] border border-field bg-bg text-on-accent group-data-focus-visible:outline-2 group-data-focus-visible:outline-offset-2 group-data-focus-visible:outline-accent group-data-indeterminate:border-accent group-data-indeterminate:bg-accent group-data-selected:border-accent group-data-selected:bg-accent">
            {isIndeterminate ? <Minus size={12} strokeWidth={3} aria-hidden /> : <Check size={12} strokeWidth={3} aria-hidden className="hidden group-data-selected:block" />}
          </span>
          {children}
        </>
      )}
    </CheckboxRoot>
  );
}

export interface SwitchProps extends Omit<SwitchRootProps, "className" | "style" | "children"> {
  children: ReactNode;
  className?: string;
}

/** A setting that applies at once. */
export function Switch({ children, className, ...props }: SwitchProps) {
  return (
    <SwitchRoot {...props} className={classes("group flex min-h-6 items-center gap-2 text-body data-disabled:opacity-50", className)}>
      <span className="flex h-[18px] w-8 shrink-0 items-center rounded-chip border border-field bg-bg p-0.5 transition-colors duration-100 group-data-focus-visible:outline-2 group-data-focus-visible:outline-offset-2 group-data-focus-visible:outline-accent group-data-selected:border-accent group-data-selected:bg-accent">
        <span className="size-3 rounded-chip bg-field transition-transform duration-100 group-data-selected:translate-x-3.5 group-data-selected:bg-on-accent" />
      </span>
      {children}
    </SwitchRoot>
  );
}

export interface RadioChoice<K extends string> {
  key: K;
  text: string;
  note?: string;
  isDisabled?: boolean;
}

export interface RadioGroupProps<K extends string> {
  label: string;
  choices: readonly RadioChoice<K>[];
  value: K;
  onChange: (key: K) => void;
  orientation?: "horizontal" | "vertical";
  hint?: string;
}

/** A choice of one where all choices are visible. */
export function RadioGroup<K extends string>({ label, choices, value, onChange, orientation = "vertical", hint }: RadioGroupProps<K>) {
  return (
    <RadioRoot value={value} onChange={(key) => onChange(key as K)} orientation={orientation} className="flex flex-col gap-1">
      <Label className={labelLook}>{label}</Label>
      <div className={classes("flex gap-x-4 gap-y-1", orientation === "vertical" && "flex-col")}>
        {choices.map((choice) => (
          <Radio key={choice.key} value={choice.key} isDisabled={choice.isDisabled ?? false} className="group flex min-h-6 items-center gap-2 text-body data-disabled:text-dim">
            <span className="flex size-4 shrink-0 items-center justify-center rounded-chip border border-field bg-bg group-data-focus-visible:outline-2 group-data-focus-visible:outline-offset-2 group-data-focus-visible:outline-accent group-data-selected:border-[5px] group-data-selected:border-accent" />
            <span>{choice.text}</span>
            {choice.note && <span className="text-label text-dim">{choice.note}</span>}
          </Radio>
        ))}
      </div>
      {hint && <Text slot="description" className={hintLook}>{hint}</Text>}
    </RadioRoot>
  );
}
