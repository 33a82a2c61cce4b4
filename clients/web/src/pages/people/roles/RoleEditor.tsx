import { RoleService, type Role, type Rule } from "@contract/causeway/platform/v1/role_service_pb";
import { Plus, X } from "lucide-react";
import { useEffect, useState } from "react";
import { ChangeDialog, useChange } from "@/admin";
import { usePermissions } from "@/data/reads/platform";
import { notify } from "@/shell";
import { Button, IconButton, TextField } from "@/ui";
import { draftOf, emptyDraft, parseRule, ruleText, type RuleDraft } from "./draft";
import { emptyReason, ruleSentence } from "./sentence";

export interface RoleEditorProps {
  /** The role to change, or "new"; undefined while closed. */
  role: Role | "new" | undefined;
  onClose: () => void;
}

/** Creates a role or replaces its rules; each rule is read back as a sentence while it is typed. */
export function RoleEditor({ role, onClose }: RoleEditorProps) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [drafts, setDrafts] = useState<RuleDraft[]>([emptyDraft]);
  const isNew = role === "new";
  useEffect(() => {
    if (role === undefined) return;
    setName(isNew ? "" : role.name);
    setDescription(isNew ? "" : role.description);
    setDrafts(isNew ? [emptyDraft] : role.rules.map(draftOf));
  }, [role, isNew]);
  const onDone = () => {
    onClose();
    notify({ state: "healthy", text: isNew ? `Created the role ${name}.` : `The rules of ${name} apply from now on.` });
  };
  const creation = useChange(RoleService.method.createRole, { onDone });
  const update = useChange(RoleService.method.updateRole, { onDone });
  const change = isNew ? creation : update;
  const parsed = drafts.map(parseRule);
  const rules = parsed.filter((rule): rule is Rule => typeof rule !== "string");
  const command = ["causeway role", isNew ? "create" : "update", name || "ROLE", ...rules.map((rule) => `--rule '${ruleText(rule)}'`)].join(" ");
  const setDraft = (index: number, draft: RuleDraft) => setDrafts(drafts.map((other, at) => (at === index ? draft : other)));
  return (
    <ChangeDialog
      title={isNew ? "Create a role" : `Edit ${name}`}
      isOpen={role !== undefined}
      onClose={onClose}
      change={change}
      what={isNew ? `create the role ${name}` : `update the role ${name}`}
      submit={isNew ? "Create role" : "Replace rules"}
      onSubmit={() => change.run({ name, description, rules })}
      isBlocked={name === "" || drafts.length === 0 || rules.length < drafts.length}
      command={command}
      size="large"
    >
      <div className="grid grid-cols-[200px_1fr] gap-3 max-wide:grid-cols-1">
        <TextField label="Name" value={name} onChange={setName} isDisabled={!isNew} error={change.failure?.fields["name"]} autoComplete="off" mono />
        <TextField label="Description" value={description} onChange={setDescription} error={change.failure?.fields["description"]} autoComplete="off" />
      </div>
      <ol className="m-0 flex list-none flex-col gap-4 p-0">
        {drafts.map((draft, index) => (
          <RuleFields
            key={index}
            number={index + 1}
            draft={draft}
            parsed={parsed[index] ?? ""}
            onChange={(next) => setDraft(index, next)}
            onRemove={() => setDrafts(drafts.filter((_, at) => at !== index))}
          />
        ))}
      </ol>
      <div><Button icon={<Plus size={14} aria-hidden />} onPress={() => setDrafts([...drafts, emptyDraft])}>Add a rule</Button></div>
    </ChangeDialog>
  );
}

interface RuleFieldsProps {
  number: number;
  draft: RuleDraft;
  parsed: Rule | string;
  onChange: (draft: RuleDraft) => void;
  onRemove: () => void;
}

function RuleFields({ number, draft, parsed, onChange, onRemove }: RuleFieldsProps) {
  const { permissions } = usePermissions();
  const isEmpty = draft.actions === "" && draft.entities === "" && draft.where === "";
  const warning = typeof parsed === "string" ? undefined : emptyReason(parsed, permissions?.map(({ permission }) => permission) ?? []);
  return (
    <li className="flex flex-col gap-1 border-l-2 border-edge pl-3">
      <div className="grid grid-cols-[1fr_1fr_2fr_auto] items-end gap-2 max-wide:grid-cols-1">
        <TextField label={`Rule ${number}: actions`} placeholder="get,sync or *" value={draft.actions} onChange={(actions) => onChange({ ...draft, actions })} mono autoComplete="off" />
        <TextField label="Entities" placeholder="application or *" value={draft.entities} onChange={(entities) => onChange({ ...draft, entities })} mono autoComplete="off" />
        <TextField label="Where" placeholder="project=shop runtime=prod-* label:team=a" value={draft.where} onChange={(where) => onChange({ ...draft, where })} mono autoComplete="off" />
        <IconButton label={`Remove rule ${number}`} onPress={onRemove}><X size={14} aria-hidden /></IconButton>
      </div>
      {typeof parsed !== "string" ? (
        <p className="m-0 text-ok" aria-live="polite">{ruleSentence(parsed)}</p>
      ) : (
        !isEmpty && <p className="m-0 text-bad" aria-live="polite">{parsed}</p>
      )}
      {warning && <p className="m-0 text-warn">{warning}</p>}
    </li>
  );
}
