import { Check, ChevronDown } from "lucide-react";
import {
  Button as Pressable,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Select as Root,
  SelectValue,
  type Key,
} from "react-aria-components";
import { errorLook, labelLook } from "./Field";
import { Popover } from "./Popover";
import { classes } from "./classes";

export interface Choice<K extends string = string> {
  key: K;
  text: string;
  /** A second, dimmed text. */
  note?: string;
  isDisabled?: boolean;
}

export interface SelectProps<K extends string> {
  label: string;
  /** Hides the label from sight where the place explains it. */
  hideLabel?: boolean;
  choices: readonly Choice<K>[];
  value: K | null;
  onChange: (key: K) => void;
  placeholder?: string;
  error?: string | undefined;
  isDisabled?: boolean;
  className?: string;
}

export const itemLook =
  "flex min-h-(--control) cursor-default items-center gap-2 rounded-control px-2 text-body outline-none data-disabled:text-dim data-focused:bg-selected data-hovered:bg-selected";

/** A choice of one from a short list. */
export function Select<K extends string>(props: SelectProps<K>) {
  const { label, hideLabel, choices, value, onChange, placeholder = "Choose", error, isDisabled, className } = props;
  return (
    <Root
      {...(hideLabel ? { "aria-label": label } : {})}
      value={value}
      onChange={(key: Key | null) => key !== null && onChange(key as K)}
      isDisabled={isDisabled ?? false}
      isInvalid={Boolean(error)}
      validationBehavior="aria"
      placeholder={placeholder}
      className={classes("flex flex-col gap-1", className)}
    >
      {!hideLabel && <Label className={labelLook}>{label}</Label>}
      <Pressable className="flex h-(--control) items-center justify-between gap-2 rounded-control border border-field bg-bg px-2 text-body data-disabled:opacity-50 data-hovered:bg-panel">
        <SelectValue className="truncate data-placeholder:text-dim">
          {({ selectedText, defaultChildren }) => selectedText || defaultChildren}
        </SelectValue>
        <ChevronDown size={14} aria-hidden className="shrink-0 text-dim" />
      </Pressable>
      <FieldError className={errorLook}>{error}</FieldError>
      <Popover className="min-w-(--trigger-width) p-1">
        <ListBox className="outline-none" items={choices.map((choice) => ({ ...choice, id: choice.key }))}>
          {(choice) => (
            <ListBoxItem id={choice.key} textValue={choice.text} isDisabled={choice.isDisabled ?? false} className={itemLook}>
              {({ isSelected }) => (
                <>
                  <Check size={14} aria-hidden className={classes("shrink-0", !isSelected && "invisible")} />
                  <span className="grow truncate">{choice.text}</span>
                  {choice.note && <span className="text-label text-dim">{choice.note}</span>}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Root>
  );
}
