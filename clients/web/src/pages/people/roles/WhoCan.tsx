import type { MessageInitShape } from "@bufbuild/protobuf";
import { PermissionService, type CheckPermissionResponse, type GrantingRule, type TargetSchema } from "@contract/causeway/platform/v1/permission_service_pb";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Loaded, SameCommand } from "@/admin";
import type { CallError } from "@/data/problem";
import { usePermissions, useUsers } from "@/data/reads/platform";
import { call } from "@/data/transport";
import { plural } from "@/format";
import type { Search } from "@/search";
import { StateMark } from "@/state";
import { EmptyState, Select, Table, TextField, type Column } from "@/ui";
import { conditions, ruleSentence } from "./sentence";

/** More users are not asked about one by one. */
const MOST_USERS = 500;
const ANY_USER = "*";
const fields = ["runtime", "project", "namespace", "name"] as const;

interface Answer {
  user: string;
  response: CheckPermissionResponse;
}

/** "Who can" and "can X do Y" in one box; the question is in the URL. */
export default function WhoCan() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const { permissions } = usePermissions();
  const { users } = useUsers();
  const set = (change: Search) => void navigate({ to: ".", search: (before: Search) => ({ ...before, ...change }), replace: true });
  const { permission, user = ANY_USER } = search;
  const target = Object.fromEntries(fields.map((field) => [field, search[field] ?? ""]));
  const people = [{ key: ANY_USER, text: "Any user" }, { key: "", text: "I, with this credential" }, ...(users ?? []).map((it) => ({ key: it.user, text: it.displayName || it.user, note: it.user }))];
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(160px,1fr))] items-end gap-3">
        <Select label="Who" choices={people} value={user} onChange={(key) => set({ user: key === ANY_USER ? undefined : key })} />
        <Select
          label="May do what"
          choices={(permissions ?? []).map((it) => ({ key: it.permission, text: it.permission }))}
          value={permission ?? null}
          onChange={(key) => set({ permission: key })}
          placeholder="Choose a permission"
        />
        {fields.map((field) => (
          <TextField key={field} label={`${field === "name" ? "To the object" : `In ${field}`}`} placeholder="any" value={search[field] ?? ""} onChange={(text) => set({ [field]: text || undefined })} mono autoComplete="off" />
        ))}
      </div>
      {permission ? (
        <Answers permission={permission} user={user} target={target} allUsers={users?.map((it) => it.user)} />
      ) : (
        <EmptyState title="Who can do what, and by which rule">
          Choose a permission. Fields that are left empty count as any: the answer then names the conditions of the rules.
        </EmptyState>
      )}
    </div>
  );
}

interface AnswersProps {
  permission: string;
  user: string;
  target: MessageInitShape<typeof TargetSchema>;
  allUsers: readonly string[] | undefined;
}

function Answers({ permission, user, target, allUsers }: AnswersProps) {
  const asked = user === ANY_USER ? allUsers?.slice(0, MOST_USERS) : [user];
  const read = useQuery<Answer[], CallError>({
    queryKey: [PermissionService.typeName, "who", permission, asked, target],
    queryFn: ({ signal }) => Promise.all((asked ?? []).map((one) => check(permission, target, one, signal))),
    enabled: asked !== undefined,
    retry: false,
  });
  return (
    <>
      <Loaded read={read} what="check the permission" rows={3}>
        {(answers) => {
          const allowed = answers.filter(({ response }) => response.allowed);
          if (user !== ANY_USER) return answers[0] ? <OneAnswer answer={answers[0]} /> : null;
          return (
            <>
              <p className="m-0 mb-2" role="status">{plural(allowed.length, "user")} of {answers.length} may do it{answers.some(({ response }) => response.rules.some((rule) => rule.conditional)) ? ", some only where a rule selects the object" : ""}.</p>
              {allowed.length > 0 && <Table label="Who can" columns={columns} rows={allowed} rowKey={(answer) => answer.user} />}
            </>
          );
        }}
      </Loaded>
      <SameCommand>{canCommand(permission, user, target)}</SameCommand>
    </>
  );
}

async function check(permission: string, target: MessageInitShape<typeof TargetSchema>, user: string, signal: AbortSignal): Promise<Answer> {
  return { user, response: await call(PermissionService.method.checkPermission, { permission, target, user }, { signal }) };
}

const columns: readonly Column<Answer>[] = [
  { id: "user", title: "User", isHeader: true, cell: ({ user }) => user },
  { id: "by", title: "By", cell: ({ response }) => <RuleList rules={response.rules} /> },
];

function OneAnswer({ answer: { response } }: { answer: Answer }) {
  const isOnlySome = response.allowed && response.rules.every((rule) => rule.conditional);
  return (
    <section className="flex flex-col gap-2 rounded-card border border-line p-3" role="status">
      <span className="text-h2 font-semibold">
        {response.allowed ? <StateMark state="healthy">{isOnlySome ? "yes, where a rule selects it" : "yes"}</StateMark> : <StateMark state="refused">no</StateMark>}
      </span>
      {response.reason && <p className="m-0 break-words">{response.reason}</p>}
      <RuleList rules={response.rules} />
      {response.limits.length > 0 && <><p className="m-0 text-dim">The role of the API key allows it, too:</p><RuleList rules={response.limits} /></>}
    </section>
  );
}

function RuleList({ rules }: { rules: readonly GrantingRule[] }) {
  return (
    <ul className="m-0 list-none p-0 py-1">
      {rules.map(({ role, number, rule, conditional }) => (
        <li key={`${role}/${number}`}>
          <span className="text-dim">role {role}, rule {number}:</span> {rule && ruleSentence(rule)}
          {conditional && rule?.selector && <span className="text-warn"> only {conditions(rule.selector).join(" ")}</span>}
        </li>
      ))}
    </ul>
  );
}

/** The command that answers the same for one user. */
function canCommand(permission: string, user: string, { runtime, project, namespace, name }: MessageInitShape<typeof TargetSchema>): string {
  const [entity = "", verb = ""] = permission.split(".");
  const words = [`causeway can-i ${verb} ${name ? `${entity}/${name}` : entity}`];
  if (runtime) words.push(`--runtime ${runtime}`);
  if (project) words.push(`--project ${project}`);
  if (namespace) words.push(`--namespace ${namespace}`);
  if (user) words.push(`--as ${user === ANY_USER ? "USER" : user}`);
  return words.join(" ");
}
