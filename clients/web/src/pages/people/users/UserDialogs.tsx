import { ApiKeyService } from "@contract/causeway/platform/v1/api_key_service_pb";
import { ServiceAccountService } from "@contract/causeway/platform/v1/service_account_service_pb";
import { SessionService } from "@contract/causeway/platform/v1/session_service_pb";
import { UserService } from "@contract/causeway/platform/v1/user_service_pb";
import { useEffect, useState } from "react";
import { ChangeDialog, ConfirmDialog, useChange } from "@/admin";
import { RolePicker } from "../RolePicker";
import { IdentitiesDialog } from "./IdentitiesDialog";

/** A user or service account, as questions need it. */
export interface Named {
  user: string;
  roles: readonly string[];
}

export interface UserQuestion {
  kind: "roles" | "disable" | "enable" | "delete" | "identities";
  user: Named;
}

interface QuestionProps {
  user: Named | undefined;
  onClose: () => void;
}

const affects = [ApiKeyService, ServiceAccountService, SessionService];

/** The question that is asked about a user, if any. */
export function UserDialogs({ question, onClose }: { question: UserQuestion | undefined; onClose: () => void }) {
  const of = (kind: UserQuestion["kind"]) => (question?.kind === kind ? question.user : undefined);
  return (
    <>
      <RolesDialog user={of("roles")} onClose={onClose} />
      <DisableDialog user={of("disable")} onClose={onClose} />
      <EnableDialog user={of("enable")} onClose={onClose} />
      <DeleteDialog user={of("delete")} onClose={onClose} />
      <IdentitiesDialog user={of("identities")?.user} onClose={onClose} />
    </>
  );
}

/** Keeps what is shown while a dialog closes. */
function useShown(user: Named | undefined): Named {
  const [shown, setShown] = useState<Named>({ user: "", roles: [] });
  useEffect(() => {
    if (user) setShown(user);
  }, [user]);
  return user ?? shown;
}

function RolesDialog({ user, onClose }: QuestionProps) {
  const shown = useShown(user);
  const [roles, setRoles] = useState<string[]>([]);
  useEffect(() => {
    if (user) setRoles([...user.roles]);
  }, [user]);
  const change = useChange(UserService.method.setUserRoles, { affects, onDone: onClose });
  const isSame = roles.length === shown.roles.length && roles.every((role) => shown.roles.includes(role));
  return (
    <ChangeDialog
      title={`Roles of ${shown.user}`}
      isOpen={user !== undefined}
      onClose={onClose}
      change={change}
      what={`set the roles of ${shown.user}`}
      submit="Set roles"
      onSubmit={() => change.run({ user: shown.user, roles })}
      isBlocked={isSame}
      command={["causeway user set-roles", shown.user, ...roles].join(" ")}
    >
      <p className="m-0 text-dim">They apply at once, to open streams and sessions, too.</p>
      <RolePicker label="Roles" value={roles} onChange={setRoles} />
    </ChangeDialog>
  );
}

function DisableDialog({ user, onClose }: QuestionProps) {
  const shown = useShown(user);
  const change = useChange(UserService.method.disableUser, { affects, onDone: onClose });
  return (
    <ConfirmDialog title={`Disable ${shown.user}`} isOpen={user !== undefined} onClose={onClose} change={change} onConfirm={() => change.run({ user: shown.user })} command={`causeway user disable ${shown.user}`}>
      <p className="m-0">Sessions end. API keys and unused join tokens of {shown.user} are revoked for good: enabling does not bring them back.</p>
    </ConfirmDialog>
  );
}

function EnableDialog({ user, onClose }: QuestionProps) {
  const shown = useShown(user);
  const change = useChange(UserService.method.enableUser, { affects, onDone: onClose });
  return (
    <ChangeDialog title={`Enable ${shown.user}`} isOpen={user !== undefined} onClose={onClose} change={change} what={`enable ${shown.user}`} submit={`Enable ${shown.user}`} onSubmit={() => change.run({ user: shown.user })} command={`causeway user enable ${shown.user}`} size="small">
      <p className="m-0">{shown.user} may sign in again. Former API keys stay revoked.</p>
    </ChangeDialog>
  );
}

function DeleteDialog({ user, onClose }: QuestionProps) {
  const shown = useShown(user);
  const change = useChange(UserService.method.deleteUser, { affects, onDone: onClose });
  return (
    <ConfirmDialog title={`Delete ${shown.user}`} isOpen={user !== undefined} onClose={onClose} change={change} onConfirm={() => change.run({ user: shown.user })} typedName={shown.user} command={`causeway user delete ${shown.user}`}>
      <p className="m-0">Sessions end; API keys, linked identities and unused join tokens go. An admin may give the name to another user later; the audit log has the deletion and the creation.</p>
    </ConfirmDialog>
  );
}
