import { RoleService, type Role } from "@contract/causeway/platform/v1/role_service_pb";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ConfirmDialog, Loaded, useChange, useGuard } from "@/admin";
import { useRoles } from "@/data/reads/platform";
import { plural, Time } from "@/format";
import { Chip, Disclosure, EmptyState, GuardedButton, Table, type Column } from "@/ui";
import { Toolbar, useFilter } from "../Toolbar";
import { ruleText } from "./draft";
import { RoleEditor } from "./RoleEditor";
import { ruleSentence } from "./sentence";

/** Roles as lists of sentences; those of the account can be edited. */
export default function Roles() {
  const read = useRoles();
  const guard = useGuard();
  const [q] = useFilter();
  const [edited, setEdited] = useState<Role | "new">();
  const [deleted, setDeleted] = useState<Role>();
  return (
    <Loaded read={{ ...read, data: read.roles }} what="list roles">
      {(roles) => {
        const shown = roles.filter((role) => textOf(role).includes(q.toLowerCase()));
        return (
          <>
            <Toolbar label="Filter roles by name or rule" count={plural(shown.length, "role")}>
              <GuardedButton tone="accent" icon={<Plus size={14} aria-hidden />} reason={guard("role.create")} onPress={() => setEdited("new")}>
                Create a role
              </GuardedButton>
            </Toolbar>
            {shown.length === 0 && <EmptyState title={`No role matches ${q}`} />}
            <div className="flex flex-col gap-3">
              {shown.map((role) => <RoleCard key={role.name} role={role} onEdit={() => setEdited(role)} onDelete={() => setDeleted(role)} />)}
            </div>
            <RoleEditor role={edited} onClose={() => setEdited(undefined)} />
            <DeleteRole role={deleted} onClose={() => setDeleted(undefined)} />
          </>
        );
      }}
    </Loaded>
  );
}

function textOf(role: Role): string {
  return [role.name, role.description, ...role.rules.map(ruleText), ...role.rules.map(ruleSentence)].join("\n").toLowerCase();
}

interface NumberedRule {
  number: number;
  sentence: string;
  text: string;
}

const columns: readonly Column<NumberedRule>[] = [
  { id: "number", title: "Rule", width: "56px", cell: ({ number }) => number },
  { id: "sentence", title: "Members", isHeader: true, cell: ({ sentence }) => <span className="font-normal">{sentence}</span> },
  { id: "text", title: "As typed", isSecondary: true, cell: ({ text }) => <code className="font-mono text-label text-dim">{text}</code> },
];

function RoleCard({ role, onEdit, onDelete }: { role: Role; onEdit: () => void; onDelete: () => void }) {
  const guard = useGuard();
  const { name, description, builtIn, rules, updatedAt } = role;
  const fixed = builtIn ? "Built-in roles cannot be changed." : undefined;
  const numbered = rules.map((rule, index) => ({ number: index + 1, sentence: ruleSentence(rule), text: ruleText(rule) }));
  return (
    <section aria-label={`Role ${name}`} className="rounded-card border border-line">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 pt-2 pb-1">
        <h2 className="text-h2 font-semibold">{name}</h2>
        {builtIn && <Chip>built in</Chip>}
        <span className="min-w-0 grow text-dim">{description}</span>
        {updatedAt && <span className="text-label text-dim">changed <Time at={updatedAt} /></span>}
        <GuardedButton tone="quiet" reason={fixed ?? guard("role.update")} onPress={onEdit}>Edit…</GuardedButton>
        <GuardedButton tone="quiet" reason={fixed ?? guard("role.delete")} onPress={onDelete}>Delete…</GuardedButton>
      </header>
      {numbered.length > 8 ? (
        <div className="px-3 pb-2"><Disclosure title={plural(numbered.length, "rule")}><Table label={`Rules of ${name}`} columns={columns} rows={numbered} rowKey={(rule) => String(rule.number)} /></Disclosure></div>
      ) : (
        <Table label={`Rules of ${name}`} columns={columns} rows={numbered} rowKey={(rule) => String(rule.number)} className="[&_tr:last-child]:border-0" />
      )}
    </section>
  );
}

function DeleteRole({ role, onClose }: { role: Role | undefined; onClose: () => void }) {
  const change = useChange(RoleService.method.deleteRole, { onDone: onClose });
  const name = role?.name ?? "";
  return (
    <ConfirmDialog title={`Delete ${name}`} isOpen={role !== undefined} onClose={onClose} change={change} onConfirm={() => change.run({ name })} typedName={name} command={`causeway role delete ${name}`}>
      <p className="m-0">It must not be assigned to a user, a group or an API key: the platform refuses otherwise.</p>
    </ConfirmDialog>
  );
}
