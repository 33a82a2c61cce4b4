import { ApplicationActionService } from "@contract/causeway/proxy/v1/application_action_service_pb";
import { Plus, X } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useAction } from "@/data";
import { FailureBanner } from "@/failure";
import { notify } from "@/shell";
import { Banner, Button, Checkbox, ExternalLink, GuardedButton, IconButton, Tabs, TextField } from "@/ui";
import { useApp } from "../context";
import { VirtualLines } from "../diff/VirtualLines";
import { YamlLine } from "../diff/YamlLine";
import { toYaml } from "../diff/yaml";
import { scopeOf, withoutCluster } from "../model/names";
import { useCommitReason } from "../commit/useCommitReason";
import { editsOfForm } from "../commit/edits";
import { changesOf, type Parameter, type Source, type SourceForm } from "./source";

const CommitDialog = lazy(() => import("../commit/CommitDialog").then((module) => ({ default: module.CommitDialog })));

/** One source as a form and as YAML. */
export function SourceCard({ source, onChanged }: { source: Source; onChanged: () => void }) {
  const [tab, setTab] = useState("form");
  const { manifest, position } = source;
  const repository = String(manifest["repoURL"] ?? "");
  const place = manifest["chart"] ? `chart ${String(manifest["chart"])}` : `path ${String(manifest["path"] ?? ".")}`;
  return (
    <section aria-label={`Source ${position || 1}`} className="flex flex-col gap-2 rounded-card border border-line p-4">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3">
        <h2 className="text-h2 font-semibold">Source {position || ""}</h2>
        <ExternalLink href={repository} className="min-w-0 truncate">{repository}</ExternalLink>
        <span className="text-dim">{place}</span>
      </div>
      <Tabs label={`Source ${position || 1}`} tabs={[{ id: "form", text: "Form" }, { id: "yaml", text: "YAML" }]} value={tab} onChange={setTab}>
        {tab === "form" ? <Form source={source} onChanged={onChanged} /> : <Yaml text={toYaml(manifest)} />}
      </Tabs>
    </section>
  );
}

function Yaml({ text }: { text: string }) {
  const lines = text.split("\n");
  return <VirtualLines label="Source as YAML" count={lines.length} maxHeight={480} line={(index) => <span className="block h-5 px-3 whitespace-pre"><YamlLine text={lines[index] ?? ""} /></span>} />;
}

function Form({ source, onChanged }: { source: Source; onChanged: () => void }) {
  const { key, reason } = useApp();
  const [form, setForm] = useState(source.form);
  const [force, setForce] = useState(false);
  const [isCommitting, setCommitting] = useState(false);
  const commitReason = useCommitReason() ?? (source.manifest["chart"] ? "A chart of a Helm repository has no file in Git." : undefined);
  const check = useAction(ApplicationActionService.method.setApplicationSource, { scope: `${scopeOf(key)}/${source.position}/check` });
  const save = useAction(ApplicationActionService.method.setApplicationSource, { scope: `${scopeOf(key)}/${source.position}` });
  const set = (change: Partial<SourceForm>) => {
    check.reset();
    setForm({ ...form, ...change });
  };
  const changes = changesOf(source.form, form);
  const isChanged = Object.keys(changes).length > 0;
  const request = { ...withoutCluster(key), sourcePosition: source.position, force, ...changes };
  const submit = async () => {
    const end = await save.run(request);
    if (end.kind !== "accepted") return;
    notify({ text: `Changed ${end.response.changedFields.length} fields of ${key.name}.`, state: "healthy" });
    onChanged();
  };
  const problem = save.problem ?? check.problem;
  const refusal = reason("application.update") ?? (isChanged ? undefined : "Nothing is changed.");
  return (
    <div className="flex flex-col gap-4">
      <TextField label={source.manifest["chart"] ? "Chart version" : "Target revision"} value={form.targetRevision} onChange={(targetRevision) => set({ targetRevision })} error={problem?.fields["target_revision"]} mono className="max-w-80" />
      {source.tool === "helm" && <Helm form={form} onChange={set} />}
      {source.tool === "kustomize" && <TextField label="Images" hint="One a line, as [OLD=]IMAGE[:TAG][@DIGEST]" rows={4} value={form.images} onChange={(images) => set({ images })} error={problem?.fields["kustomize_images"]} mono className="max-w-xl" />}
      {source.tool === "directory" && (
        <div className="flex flex-wrap items-end gap-4">
          <Checkbox isSelected={form.recurse} onChange={(recurse) => set({ recurse })}>Read folders recursively</Checkbox>
          <TextField label="Include" placeholder="*.yaml" value={form.include} onChange={(include) => set({ include })} mono className="w-52" />
          <TextField label="Exclude" value={form.exclude} onChange={(exclude) => set({ exclude })} mono className="w-52" />
        </div>
      )}
      {source.tool === "other" && <p className="text-dim">A plugin renders it; only its revision can be changed here.</p>}
      {check.state.kind === "accepted" && (
        <Banner tone="info">
          {check.state.response.changedFields.length === 0 ? "Nothing would change." : <>Changes {check.state.response.changedFields.map((field) => <code key={field} className="mr-2 font-mono text-label">{field}</code>)}</>}
        </Banner>
      )}
      {problem && <FailureBanner error={problem} what={`change ${key.name}`} onRetry={() => void (save.problem ? save : check).askAgain()} />}
      <div className="flex flex-wrap items-center gap-3">
        <GuardedButton reason={refusal} onPress={() => void check.run({ ...request, dryRun: true })}>Show what changes</GuardedButton>
        <GuardedButton tone="accent" reason={refusal} onPress={() => void submit()}>Save</GuardedButton>
        <GuardedButton reason={commitReason} onPress={() => setCommitting(true)}>Commit to Git…</GuardedButton>
        <Checkbox isSelected={force} onChange={setForce}>Force: change it even if Git owns it; the next sync of its parent reverts it</Checkbox>
        {isChanged && <Button tone="quiet" onPress={() => set(source.form)}>Discard</Button>}
      </div>
      {isCommitting && <Suspense><CommitDialog position={source.position} {...editsOfForm(source, form)} onClose={() => setCommitting(false)} /></Suspense>}
    </div>
  );
}

function Helm({ form, onChange }: { form: SourceForm; onChange: (change: Partial<SourceForm>) => void }) {
  const replace = (index: number, change: Partial<Parameter>) => onChange({ helm: form.helm.map((each, place) => (place === index ? { ...each, ...change } : each)) });
  return (
    <>
      <fieldset className="flex flex-col gap-2">
        <legend className="pb-1 text-label font-medium text-dim">Helm parameters</legend>
        {form.helm.map((parameter, index) => (
          <div key={index} className="flex flex-wrap items-end gap-2">
            <TextField label="Name" value={parameter.name} onChange={(name) => replace(index, { name })} mono className="w-64" />
            <TextField label="Value" value={parameter.value} onChange={(value) => replace(index, { value })} mono className="w-64" />
            <Checkbox className="h-(--control)" isSelected={parameter.forceString} onChange={(forceString) => replace(index, { forceString })}>As string</Checkbox>
            <IconButton label={`Remove ${parameter.name || "parameter"}`} onPress={() => onChange({ helm: form.helm.filter((_, place) => place !== index) })}><X size={14} aria-hidden /></IconButton>
          </div>
        ))}
        <Button tone="quiet" className="self-start" icon={<Plus size={14} aria-hidden />} onPress={() => onChange({ helm: [...form.helm, { name: "", value: "", forceString: false }] })}>Add a parameter</Button>
      </fieldset>
      <TextField label="Value files" hint="One a line" rows={3} value={form.valueFiles} onChange={(valueFiles) => onChange({ valueFiles })} mono className="max-w-xl" />
    </>
  );
}
