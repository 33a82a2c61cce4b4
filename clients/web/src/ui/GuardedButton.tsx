import type { ReactNode } from "react";
import { Button, type ButtonProps } from "./Button";
import { Tooltip } from "./Tooltip";

export interface GuardedButtonProps extends ButtonProps {
  /** Why it does not act; undefined where it may. */
  reason: ReactNode | undefined;
}

/** A button that stays in place and focusable where it may not act, and tells why. */
export function GuardedButton({ reason, className, onPress, ...props }: GuardedButtonProps) {
  if (!reason) return <Button {...props} {...(onPress ? { onPress } : {})} {...(className ? { className } : {})} />;
  return (
    <Tooltip text={reason}>
      <Button {...props} aria-disabled="true" className={`${className ?? ""} opacity-50`} />
    </Tooltip>
  );
}
