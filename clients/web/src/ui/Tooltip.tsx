import type { ReactElement, ReactNode } from "react";
import { Focusable, Tooltip as Content, TooltipTrigger } from "react-aria-components";

export interface TooltipProps {
  text: ReactNode;
  /** A button, a link, or any element with isStatic. */
  children: ReactElement<any, any>;
  /** Set where the child is no control; it becomes focusable. */
  isStatic?: boolean;
}

/** A text on hover and on focus. */
export function Tooltip({ text, children, isStatic }: TooltipProps) {
  return (
    <TooltipTrigger delay={400} closeDelay={60}>
      {isStatic ? <Focusable>{children}</Focusable> : children}
      <Content
        offset={6}
        className="z-50 max-w-80 rounded-control border border-line bg-raised px-2 py-1 text-label text-text shadow-float data-entering:animate-fade"
      >
        {text}
      </Content>
    </TooltipTrigger>
  );
}
