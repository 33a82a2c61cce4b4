import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Button as Pressable, Disclosure as Root, DisclosurePanel, Heading } from "react-aria-components";

export interface DisclosureProps {
  title: ReactNode;
  children: ReactNode;
  isOpen?: boolean;
  onChange?: (open: boolean) => void;
  startsOpen?: boolean;
  /** Level of its heading in the page. */
  level?: 2 | 3 | 4;
}

/** A part that opens in place. */
export function Disclosure({ title, children, isOpen, onChange, startsOpen, level = 2 }: DisclosureProps) {
  return (
    <Root
      className="group"
      defaultExpanded={startsOpen ?? false}
      {...(isOpen === undefined ? {} : { isExpanded: isOpen })}
      {...(onChange ? { onExpandedChange: onChange } : {})}
    >
      <Heading level={level}>
        <Pressable slot="trigger" className="flex min-h-(--control) w-full items-center gap-1.5 rounded-control text-left font-medium data-hovered:text-accent">
          <ChevronRight size={14} aria-hidden className="shrink-0 text-dim transition-transform duration-100 group-data-expanded:rotate-90" />
          {title}
        </Pressable>
      </Heading>
      <DisclosurePanel className="pl-5">{children}</DisclosurePanel>
    </Root>
  );
}
