import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { Menu as List, MenuItem as Item, MenuTrigger, Separator, Text, type Key, type PopoverProps } from "react-aria-components";
import { itemLook } from "./Select";
import { Popover } from "./Popover";
import { KeyHint } from "./KeyHint";
import { classes } from "./classes";

export interface MenuProps {
  label: string;
  /** The button that opens it. */
  trigger: ReactNode;
  children: ReactNode;
  onAction?: (key: Key) => void;
  placement?: PopoverProps["placement"];
  /** Set with onOpenChange where a key opens it, too. */
  isOpen?: boolean;
  onOpenChange?: (open: boolean) => void;
}

/** A button with a menu of actions. */
export function Menu({ label, trigger, children, onAction, placement = "bottom end", isOpen, onOpenChange }: MenuProps) {
  return (
    <MenuTrigger {...(isOpen === undefined ? {} : { isOpen })} {...(onOpenChange ? { onOpenChange } : {})}>
      {trigger}
      <Popover placement={placement} className="min-w-44 p-1">
        <List aria-label={label} className="outline-none" {...(onAction ? { onAction } : {})}>
          {children}
        </List>
      </Popover>
    </MenuTrigger>
  );
}

export interface MenuItemProps {
  id: string;
  children: string;
  icon?: ReactNode;
  /** The key that does the same. */
  shortcut?: string;
  /** Why it is disabled; the item stays in the list with this text. */
  reason?: string | undefined;
  isDanger?: boolean;
  isChecked?: boolean;
  onAction?: () => void;
}

/** One action; an action with a reason is disabled and shows it. */
export function MenuItem({ id, children, icon, shortcut, reason, isDanger, isChecked, onAction }: MenuItemProps) {
  return (
    <Item
      id={id}
      textValue={children}
      isDisabled={Boolean(reason)}
      {...(onAction ? { onAction } : {})}
      className={classes(itemLook, isDanger && "text-bad")}
    >
      {icon}
      <span className="flex grow flex-col py-1">
        <Text slot="label">{children}</Text>
        {reason && <Text slot="description" className="text-label text-dim">{reason}</Text>}
      </span>
      {isChecked && <Check size={14} aria-hidden />}
      {shortcut && <KeyHint keys={shortcut} />}
    </Item>
  );
}

/** A line between groups of actions. */
export function MenuLine() {
  return <Separator className="my-1 border-t border-line" />;
}
