import { Popover as Root, type PopoverProps as RootProps } from "react-aria-components";
import { classes } from "./classes";

export { DialogTrigger as PopoverTrigger, Dialog as PopoverContent } from "react-aria-components";

export const floatLook =
  "rounded-card border border-line bg-raised text-text shadow-float outline-none data-entering:animate-rise data-exiting:opacity-0 data-exiting:transition-opacity data-exiting:duration-90";

export interface PopoverProps extends Omit<RootProps, "className" | "style"> {
  className?: string;
}

/** A surface that floats beside what opened it. */
export function Popover({ className, ...props }: PopoverProps) {
  return <Root offset={4} {...props} className={classes(floatLook, "max-w-[min(480px,calc(100vw-16px))] overflow-auto", className)} />;
}
