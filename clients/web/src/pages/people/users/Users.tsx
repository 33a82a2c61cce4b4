import type { User } from "@contract/causeway/platform/v1/user_service_pb";
import { Ellipsis, Plus } from "lucide-react";
import { useState } from "react";
import { Loaded, useGuard } from "@/admin";
import { useUsers } from "@/data/reads/platform";
import { initials, plural, Time } from "@/format";
import { StateMark } from "@/state";
import { Chip, EmptyState, GuardedButton, IconButton, Menu, MenuItem, MenuLine, Table, type Column } from "@/ui";
import { Toolbar, useFilter } from "../Toolbar";
import { CreateUserDialog } from "./CreateUserDialog";
import { UserDialogs, type UserQuestion } from "./UserDialogs";

/** The users of the account and their roles. */
export default function Users() {
  const read = useUsers();
  const guard = useGuard();
  const [q] = useFilter();
  const [isCreating, setCreating] = useState(false);
  const [question, setQuestion] = useState<UserQuestion>();
  const columns = userColumns((user) => <UserMenu user={user} onAsk={setQuestion} />);
  return (
    <Loaded read={{ ...read, data: read.users }} what="list users">
      {(users) => {
        const shown = users.filter((user) => `${user.user} ${user.displayName} ${user.roles.join(" ")}`.toLowerCase().includes(q.toLowerCase()));
        return (
          <>
            <Toolbar label="Filter users" count={plural(shown.length, "user")}>
              <GuardedButton tone="accent" icon={<Plus size={14} aria-hidden />} reason={guard("user.create")} onPress={() => setCreating(true)}>
                Create a user
              </GuardedButton>
            </Toolbar>
            {shown.length === 0 ? <EmptyState title={`No user matches ${q}`} /> : <Table label="Users" columns={columns} rows={shown} rowKey={(user) => user.user} />}
            <CreateUserDialog isOpen={isCreating} onClose={() => setCreating(false)} />
            <UserDialogs question={question} onClose={() => setQuestion(undefined)} />
          </>
        );
      }}
    </Loaded>
  );
}

function userColumns(menu: (user: User) => React.ReactNode): readonly Column<User>[] {
  return [
    { id: "user", title: "User", isHeader: true, cell: (user) => <Person user={user} /> },
    { id: "roles", title: "Roles", cell: ({ roles }) => <Roles roles={roles} /> },
    { id: "state", title: "State", cell: (user) => <UserState user={user} />, isSecondary: true },
    { id: "created", title: "Created", align: "right", isSecondary: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { id: "menu", title: "", align: "right", width: "48px", cell: menu },
  ];
}

function Person({ user: { user, displayName, disabledAt } }: { user: User }) {
  return (
    <span className="flex min-w-0 items-center gap-2 py-1">
      <span aria-hidden className="flex size-6 shrink-0 items-center justify-center rounded-chip bg-accent-fill text-[10px] font-semibold text-accent">{initials(displayName || user)}</span>
      <span className="flex min-w-0 flex-col">
        <span className="truncate">{displayName || user}</span>
        {displayName && displayName !== user && <span className="truncate text-label font-normal text-dim">{user}</span>}
        {disabledAt && <span className="text-label font-normal text-warn wide:hidden">disabled</span>}
      </span>
    </span>
  );
}

export function Roles({ roles }: { roles: readonly string[] }) {
  if (roles.length === 0) return <span className="text-dim">none</span>;
  return <span className="flex flex-wrap gap-1">{roles.map((role) => <Chip key={role}>{role}</Chip>)}</span>;
}

export function UserState({ user: { disabledAt } }: { user: Pick<User, "disabledAt"> }) {
  if (!disabledAt) return <StateMark state="healthy">active</StateMark>;
  return <StateMark state="suspended">disabled <Time at={disabledAt} /></StateMark>;
}

function UserMenu({ user, onAsk }: { user: User; onAsk: (question: UserQuestion) => void }) {
  const guard = useGuard();
  const ask = (kind: UserQuestion["kind"]) => onAsk({ kind, user });
  return (
    <Menu label={`Actions on ${user.user}`} trigger={<IconButton label={`Actions on ${user.user}`}><Ellipsis size={16} aria-hidden /></IconButton>}>
      <MenuItem id="roles" reason={guard("user.set-roles")} onAction={() => ask("roles")}>Set roles…</MenuItem>
      {user.disabledAt ? (
        <MenuItem id="enable" reason={guard("user.enable")} onAction={() => ask("enable")}>Enable…</MenuItem>
      ) : (
        <MenuItem id="disable" reason={guard("user.disable")} onAction={() => ask("disable")}>Disable…</MenuItem>
      )}
      <MenuItem id="identities" reason={guard("identity.list")} onAction={() => ask("identities")}>Linked identities…</MenuItem>
      <MenuLine />
      <MenuItem id="delete" isDanger reason={guard("user.delete")} onAction={() => ask("delete")}>Delete…</MenuItem>
    </Menu>
  );
}
