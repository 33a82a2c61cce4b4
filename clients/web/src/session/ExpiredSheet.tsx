import { Dialog } from "@/ui/Dialog";
import { Button } from "@/ui/Button";
import { KeyForm } from "./KeyForm";
import { loadSession, useSession } from "./session";

/** Asks to sign in again over the page, which stays with all that was typed. */
export function ExpiredSheet() {
  const session = useSession();
  if (session.kind !== "expired") return null;
  const openWindow = () => window.open("/sign-in?window=1", "causeway-sign-in", "popup,width=480,height=640");
  return (
    <Dialog
      title="Your session ended"
      isOpen
      onClose={() => void loadSession()}
      size="small"
      role="alertdialog"
      actions={<Button tone="accent" onPress={openWindow}>Sign in in a new window</Button>}
    >
      <p className="mb-4 text-dim">
        This page stays as it is. After the sign-in its calls go on, as {session.user.displayName || session.user.user}.
      </p>
      <KeyForm onSignedIn={() => {}} />
    </Dialog>
  );
}
