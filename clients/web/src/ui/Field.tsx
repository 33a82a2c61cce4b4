import { Search, X } from "lucide-react";
import type { Ref } from "react";
import {
  Button as Pressable,
  FieldError,
  Input,
  Label,
  SearchField as SearchRoot,
  type SearchFieldProps as SearchRootProps,
  Text,
  TextArea,
  TextField as TextRoot,
  type TextFieldProps as TextRootProps,
} from "react-aria-components";
import { classes } from "./classes";

export const labelLook = "text-label font-medium text-dim";
export const hintLook = "text-label text-dim";
export const errorLook = "text-label text-bad";
export const boxLook =
  "h-(--control) w-full min-w-0 rounded-control border border-field bg-bg px-2 text-control text-text placeholder:text-dim data-disabled:opacity-50 data-invalid:border-bad";

interface Texts {
  label: string;
  /** Explains what belongs here. */
  hint?: string;
  /** The server's words about this field. */
  error?: string | undefined;
}

export interface TextFieldProps extends Omit<TextRootProps, "className" | "style" | "children">, Texts {
  placeholder?: string;
  /** Sets hashes, names and YAML in the mono font. */
  mono?: boolean;
  /** Rows of a field with several lines. */
  rows?: number;
  className?: string;
}

/** A labelled text field with a hint and an error. */
export function TextField({ label, hint, error, placeholder, mono, rows, className, ...props }: TextFieldProps) {
  const look = classes(boxLook, mono && "font-mono text-body!", rows !== undefined && "h-auto! py-1.5");
  return (
    // The server's words about a field must not keep the form from being sent again.
    <TextRoot validationBehavior="aria" {...props} isInvalid={Boolean(error) || props.isInvalid === true} className={classes("flex flex-col gap-1", className)}>
      <Label className={labelLook}>{label}</Label>
      {rows === undefined ? (
        <Input placeholder={placeholder} className={look} />
      ) : (
        <TextArea rows={rows} placeholder={placeholder} className={look} />
      )}
      {hint && <Text slot="description" className={hintLook}>{hint}</Text>}
      <FieldError className={errorLook}>{error}</FieldError>
    </TextRoot>
  );
}

export interface SearchFieldProps extends Omit<SearchRootProps, "className" | "style" | "children"> {
  label: string;
  placeholder?: string;
  className?: string;
  inputRef?: Ref<HTMLInputElement>;
}

/** A filter or search field with a button that clears it; its label is for screen readers. */
export function SearchField({ label, placeholder, className, inputRef, ...props }: SearchFieldProps) {
  return (
    <SearchRoot {...props} aria-label={label} className={classes("group relative flex items-center", className)}>
      <Search size={14} aria-hidden className="pointer-events-none absolute left-2 text-dim" />
      <Input
        {...(inputRef ? { ref: inputRef } : {})}
        placeholder={placeholder}
        className={classes(boxLook, "pr-7 pl-7 [&::-webkit-search-cancel-button]:hidden")}
      />
      <Pressable className="absolute right-1 flex size-6 items-center justify-center rounded-control text-dim group-data-empty:hidden data-hovered:text-text">
        <X size={14} aria-hidden />
      </Pressable>
    </SearchRoot>
  );
}
