import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, IconButton } from "./Button";
import { Tooltip } from "./Tooltip";

export interface CopyButtonProps {
  /** What goes to the clipboard. */
  text: string;
  /** Names the thing, such as "request id". */
  what: string;
  /** Shows a text button in place of the icon. */
  children?: string;
}

/** Copies a text and says so for two seconds. */
export function CopyButton({ text, what, children }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => void navigator.clipboard?.writeText(text).then(() => setCopied(true), () => setCopied(false));
  const label = isCopied ? `Copied ${what}` : `Copy ${what}`;
  const icon = isCopied ? <Check size={14} aria-hidden className="text-ok" /> : <Copy size={14} aria-hidden />;
  if (children) return <Button icon={icon} onPress={copy}>{isCopied ? "Copied" : children}</Button>;
  return (
    <Tooltip text={label}>
      <IconButton label={label} onPress={copy}>{icon}</IconButton>
    </Tooltip>
  );
}

/** A command to run in a terminal, with a copy button. */
export function Command({ children }: { children: string }) {
  return (
    <div className="flex items-center gap-2 rounded-control border border-line bg-panel py-1 pr-1 pl-3 text-left">
      <code className="min-w-0 grow font-mono text-label break-words whitespace-pre-wrap">{children}</code>
      <CopyButton text={children} what="command" />
    </div>
  );
}
