import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Dialog as Content, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button, IconButton } from "./Button";
import { classes } from "./classes";

const veil =
  "fixed inset-0 z-40 flex items-start justify-center bg-veil p-4 pt-[10vh] data-entering:animate-fade max-wide:items-end max-wide:p-0";
const surface =
  "flex max-h-[80vh] w-full flex-col overflow-hidden rounded-dialog border border-line bg-raised text-text shadow-float outline-none data-entering:animate-rise max-wide:max-h-[90dvh] max-wide:rounded-b-none";

const widths = { small: "max-w-[440px]", medium: "max-w-[640px]", large: "max-w-[960px]" };

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** Buttons at the foot; the accent one last. */
  actions?: ReactNode;
  size?: keyof typeof widths;
  role?: "dialog" | "alertdialog";
}

/** A modal dialog with a title, a body that scrolls and a foot of buttons. */
export function Dialog({ title, isOpen, onClose, children, actions, size = "medium", role = "dialog" }: DialogProps) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={role === "dialog"}
      className={veil}
    >
      <Modal className={classes(surface, widths[size])}>
        <Content role={role} className="flex min-h-0 flex-col outline-none">
          <header className="flex items-center justify-between gap-4 border-b border-line py-2 pr-2 pl-4">
            <Heading slot="title" className="text-h2 font-semibold">{title}</Heading>
            <IconButton label="Close" onPress={onClose}><X size={16} aria-hidden /></IconButton>
          </header>
          <div className="min-h-0 overflow-auto p-4">{children}</div>
          {actions && <footer className="flex flex-wrap justify-end gap-2 border-t border-line bg-panel px-4 py-3">{actions}</footer>}
        </Content>
      </Modal>
    </ModalOverlay>
  );
}

export interface AlertDialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** What will happen. */
  children: ReactNode;
  /** The verb and its object, such as "Revoke prod-eu". */
  confirm: string;
  onConfirm: () => void;
  isDanger?: boolean;
  isPending?: boolean;
  /** Keeps the button off until what must be typed is typed. */
  isBlocked?: boolean;
}

/** A question before an action that cannot be undone. */
export function AlertDialog(props: AlertDialogProps) {
  const { title, isOpen, onClose, children, confirm, onConfirm, isDanger, isPending, isBlocked } = props;
  const actions = (
    <>
      <Button onPress={onClose}>Cancel</Button>
      <Button
        tone={isDanger ? "danger" : "accent"}
        onPress={onConfirm}
        isDisabled={isPending === true || isBlocked === true}
      >
        {confirm}
      </Button>
    </>
  );
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} size="small" role="alertdialog" actions={actions}>
      {children}
    </Dialog>
  );
}
