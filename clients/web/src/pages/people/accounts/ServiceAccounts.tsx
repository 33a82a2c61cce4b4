import type { ServiceAccount } from "@contract/causeway/platform/v1/service_account_service_pb";
import { Ellipsis, Plus } from "lucide-react";
import { useState } from "react";
import { Loaded, useGuard } from "@/admin";
import { useServiceAccounts } from "@/data/reads/platform";
import { plural, Time } from "@/format";
import { EmptyState, GuardedButton, IconButton, Menu, MenuItem, MenuLine, Table, type Column } from "@/ui";
import { Toolbar, useFilter } from "../Toolbar";
import { Roles, UserState } from "../users/Users";
import { UserDialogs, type UserQuestion } from "../users/UserDialogs";
import { AccountEditor } from "./AccountEditor";
import { trustSentence } from "./trust";

/** Users for CI systems, which sign in with tokens of trusted issuers. */
export default function ServiceAccounts() {
  const read = useServiceAccounts();
  const guard = useGuard();
  const [q] = useFilter();
  const [edited, setEdited] = useState<ServiceAccount | "new">();
  const [question, setQuestion] = useState<UserQuestion>();
  const columns: readonly Column<ServiceAccount>[] = [
    { id: "user", title: "Service account", isHeader: true, cell: ({ displayName, user }) => displayName || user },
    { id: "roles", title: "Roles", cell: ({ roles }) => <Roles roles={roles} /> },
    { id: "trust", title: "Signs in", cell: ({ trustRules }) => <ul className="m-0 list-none p-0 py-1">{trustRules.map((rule, index) => <li key={index}>{trustSentence(rule)}</li>)}</ul> },
    { id: "state", title: "State", isSecondary: true, cell: (account) => <UserState user={account} /> },
    { id: "created", title: "Created", align: "right", isSecondary: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { id: "menu", title: "", align: "right", width: "48px", cell: (account) => <AccountMenu account={account} onAsk={setQuestion} onEdit={() => setEdited(account)} /> },
  ];
  return (
    <Loaded read={{ ...read, data: read.serviceAccounts }} what="list service accounts">
      {(accounts) => {
        const shown = accounts.filter((account) => `${account.user} ${account.displayName}`.toLowerCase().includes(q.toLowerCase()));
        return (
          <>
            <Toolbar label="Filter service accounts" count={plural(shown.length, "service account")}>
              <GuardedButton tone="accent" icon={<Plus size={14} aria-hidden />} reason={guard("service-account.create")} onPress={() => setEdited("new")}>
                Create a service account
              </GuardedButton>
            </Toolbar>
            {shown.length > 0 ? (
              <Table label="Service accounts" columns={columns} rows={shown} rowKey={(account) => account.user} />
            ) : (
              <EmptyState title={q ? `No service account matches ${q}` : "No service account"}>
                A pipeline signs in with the token that its CI system issues, so that no secret has to be stored there.
              </EmptyState>
            )}
            <AccountEditor account={edited} onClose={() => setEdited(undefined)} />
            <UserDialogs question={question} onClose={() => setQuestion(undefined)} />
          </>
        );
      }}
    </Loaded>
  );
}

interface AccountMenuProps {
  account: ServiceAccount;
  onAsk: (question: UserQuestion) => void;
  onEdit: () => void;
}

function AccountMenu({ account, onAsk, onEdit }: AccountMenuProps) {
  const guard = useGuard();
  const ask = (kind: UserQuestion["kind"]) => onAsk({ kind, user: account });
  return (
    <Menu label={`Actions on ${account.user}`} trigger={<IconButton label={`Actions on ${account.user}`}><Ellipsis size={16} aria-hidden /></IconButton>}>
      <MenuItem id="trust" reason={guard("service-account.update")} onAction={onEdit}>Set trust rules…</MenuItem>
      <MenuItem id="roles" reason={guard("user.set-roles")} onAction={() => ask("roles")}>Set roles…</MenuItem>
      <MenuItem id="switch" reason={guard(account.disabledAt ? "user.enable" : "user.disable")} onAction={() => ask(account.disabledAt ? "enable" : "disable")}>
        {account.disabledAt ? "Enable…" : "Disable…"}
      </MenuItem>
      <MenuLine />
      <MenuItem id="delete" isDanger reason={guard("user.delete")} onAction={() => ask("delete")}>Delete…</MenuItem>
    </Menu>
  );
}
