import type { ReactNode } from "react";
import { Banner, Button, Command, Dialog } from "@/ui";

export interface SecretOnceProps {
  title: string;
  /** The secret; empty if it was returned before. */
  secret: string | undefined;
  onClose: () => void;
  /** What it is for. */
  children: ReactNode;
}

/** A secret that is returned once, with copy; it is stored nowhere. */
export function SecretOnce({ title, secret, onClose, children }: SecretOnceProps) {
  return (
    <Dialog title={title} isOpen={secret !== undefined} onClose={onClose} role="alertdialog" actions={<Button tone="accent" onPress={onClose}>I have stored it</Button>}>
      <div className="flex flex-col gap-3">
        {secret ? (
          <>
            <Banner tone="warn">This secret is shown only here. Copy it now.</Banner>
            <Command>{secret}</Command>
          </>
        ) : (
          <Banner tone="warn">It exists, but its secret was returned before. Rotate it to get a new one.</Banner>
        )}
        <div className="text-dim">{children}</div>
      </div>
    </Dialog>
  );
}
