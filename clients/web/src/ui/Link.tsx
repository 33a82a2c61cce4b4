import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, ReactNode } from "react";
import { classes } from "./classes";

const look = "text-accent underline-offset-2 hover:underline rounded-control";

/** A link to a page of the UI; the router checks its target. */
export const Link = createLink(function InternalLink({ className, ...props }: AnchorHTMLAttributes<HTMLAnchorElement>) {
  return <a {...props} className={classes(look, className)} />;
});

/** A link without a look of its own: rows, cards and the rail. */
export const BareLink = createLink(function BareAnchor(props: AnchorHTMLAttributes<HTMLAnchorElement>) {
  return <a {...props} />;
});

interface ExternalLinkProps {
  /** Comes from clusters and Git, so it may be anything. */
  href: string;
  children: ReactNode;
  className?: string;
}

/** A link out of the UI; what is not http or https is shown as text. */
export function ExternalLink({ href, children, className }: ExternalLinkProps) {
  if (!isWebAddress(href)) return <span className={className}>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={classes(look, className)}>
      {children}
    </a>
  );
}

/** Reports if a text is an absolute http or https address. */
export function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol } = new URL(text);
  return protocol === "https:" || protocol === "http:";
}
