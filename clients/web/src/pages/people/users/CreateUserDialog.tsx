import { UserService } from "@contract/causeway/platform/v1/user_service_pb";
import { useEffect, useState } from "react";
import { ChangeDialog, useChange } from "@/admin";
import { notify } from "@/shell";
import { TextField } from "@/ui";
import { RolePicker } from "../RolePicker";

/** Creates a user with roles. */
export function CreateUserDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [user, setUser] = useState("");
  const [displayName, setDisplayName] = useState("");
  const [roles, setRoles] = useState<string[]>([]);
  useEffect(() => {
    if (!isOpen) return;
    setUser("");
    setDisplayName("");
    setRoles([]);
  }, [isOpen]);
  const change = useChange(UserService.method.createUser, {
    onDone: () => {
      onClose();
      notify({ state: "healthy", text: `Created ${user}. Link an identity, or create an API key, so that ${user} can sign in.` });
    },
  });
  const command = ["causeway user create", user || "USER", ...(displayName ? [`--display-name '${displayName}'`] : []), ...roles.map((role) => `--role ${role}`)].join(" ");
  return (
    <ChangeDialog
      title="Create a user"
      isOpen={isOpen}
      onClose={onClose}
      change={change}
      what={`create ${user}`}
      submit={user ? `Create ${user}` : "Create"}
      onSubmit={() => change.run({ user, displayName, roles })}
      isBlocked={user === ""}
      command={command}
    >
      <TextField label="User" value={user} onChange={setUser} error={change.failure?.fields["user"]} hint="a-z, 0-9 and -. It cannot change." autoFocus autoComplete="off" mono />
      <TextField label="Display name" value={displayName} onChange={setDisplayName} error={change.failure?.fields["display_name"]} autoComplete="off" />
      <RolePicker label="Roles" value={roles} onChange={setRoles} />
    </ChangeDialog>
  );
}
