import type { Integration } from "@contract/causeway/git/v1/integration_service_pb";
import { Plus, X } from "lucide-react";
import type { Read } from "@/admin";
import { FailureState } from "@/failure";
import { factsOf } from "@/git/providers";
import type { GitPermission } from "@/git/useGitReason";
import { Banner, Button, IconButton, Link, RadioGroup, Select, Skeleton, TextField } from "@/ui";
import { useApp } from "../context";
import type { Source } from "../parameters/source";
import { editKinds, fileOf, firstEdit, type DraftEdit, type EditKind, type Way } from "./edits";

export interface EditStepProps {
  sources: readonly Source[];
  source: Source;
  onSource: (source: Source) => void;
  /** The repository, as the application names it. */
  url: string;
  read: Read<Integration[]>;
  /** The integrations that reach the repository. */
  fits: readonly Integration[];
  integration: Integration | undefined;
  onIntegration: (name: string) => void;
  branch: string;
  onBranch: (branch: string) => void;
  edits: readonly DraftEdit[];
  onEdits: (edits: readonly DraftEdit[]) => void;
  left: readonly string[];
  way: Way;
  onWay: (way: Way) => void;
  /** Why no pull request can be opened. */
  openReason: string | undefined;
  reason: (permission: GitPermission) => string | undefined;
}

/** Where the change goes, and what it edits. */
export function EditStep(props: EditStepProps) {
  const { sources, source, onSource, url, read, edits, onEdits, left, reason } = props;
  const refusal = reason("repository.get") ?? reason("repository.commit");
  const replace = (index: number, change: Partial<DraftEdit>) => onEdits(edits.map((each, place) => (place === index ? { ...each, ...change } : each)));
  return (
    <div className="flex flex-col gap-4">
      {refusal && <Banner tone="warn">{refusal}</Banner>}
      {read.error && <FailureState error={read.error} what="list integrations" onRetry={() => void read.refetch()} />}
      {sources.length > 1 && (
        <Select
          label="Source"
          choices={sources.map(({ position, manifest }) => ({ key: String(position), text: `${position}: ${String(manifest["path"] ?? ".")}`, note: String(manifest["repoURL"] ?? "") }))}
          value={String(source.position)}
          onChange={(position) => onSource(sources.find((each) => String(each.position) === position) ?? source)}
        />
      )}
      <div className="flex flex-col gap-1">
        <span className="text-label font-medium text-dim">Repository</span>
        <code className="font-mono break-all">{url}</code>
      </div>
      {read.data === undefined && !read.error ? <Skeleton className="w-1/2" /> : <Place {...props} />}
      <fieldset className="m-0 flex min-w-0 flex-col gap-3 border-0 p-0">
        <legend className="pb-1 text-label font-medium text-dim">Edits, made together or not at all</legend>
        {edits.map((edit, index) => (
          <Edit
            key={index}
            edit={edit}
            position={index + 1}
            onChange={(change) => replace(index, change)}
            onKind={(kind) => replace(index, { kind, file: fileOf(source, kind) || edit.file })}
            onRemove={edits.length > 1 ? () => onEdits(edits.filter((_, place) => place !== index)) : undefined}
          />
        ))}
        <Button tone="quiet" className="self-start" icon={<Plus size={14} aria-hidden />} onPress={() => onEdits([...edits, firstEdit(source)])}>Add an edit</Button>
      </fieldset>
      {left.length > 0 && (
        <Banner tone="info">No file of this source holds its {left.join(", ")}. They are fields of the Application: change them where that is in Git.</Banner>
      )}
    </div>
  );
}

/** Integration and branch, or how to get an integration. */
function Place({ read, fits, url, integration, onIntegration, branch, onBranch, source, way, onWay, openReason, reason }: EditStepProps) {
  const { key } = useApp();
  if (fits.length === 0 && !read.error) {
    return (
      <Banner
        tone="warn"
        actions={<Link to="/runtimes/$name/integrations" params={{ name: key.runtime }} search={{ repository: url }}>{reason("integration.create") ? "Integrations" : "Create one"}</Link>}
      >
        No integration of {key.runtime} reaches this repository. {reason("integration.create") ?? "With one, its changes are committed from here."}
      </Banner>
    );
  }
  const isCommit = source.form.targetRevision.trim() !== "" && branch === "";
  return (
    <>
      <div className="grid grid-cols-2 gap-3 max-wide:grid-cols-1">
        <Select
          label="Integration"
          choices={fits.map(({ name, provider }) => ({ key: name, text: name, note: factsOf(provider)?.name ?? "" }))}
          value={integration?.name ?? null}
          onChange={onIntegration}
        />
        <TextField
          label="Branch"
          value={branch}
          onChange={onBranch}
          hint={isCommit ? "The application follows a commit, so it changes only when its target revision does." : "It must exist."}
          autoComplete="off"
          mono
        />
      </div>
      <RadioGroup<Way>
        label="As"
        orientation="horizontal"
        choices={[{ key: "commit", text: `a commit to ${branch || "the branch"}` }, { key: "pull-request", text: "a pull request for it", isDisabled: openReason !== undefined }]}
        value={way}
        onChange={onWay}
        {...(openReason ? { hint: `No pull request: ${openReason}` } : {})}
      />
    </>
  );
}

interface Words {
  at: string;
  atExample: string;
  value?: string;
  valueExample?: string;
}

const words: Record<EditKind, Words> = {
  value: { at: "Path of the value", atExample: "spec.replicas", value: "Value", valueExample: "3, true, or a text" },
  image: { at: "Path of the image", atExample: "spec.template.spec.containers[name=web].image", value: "Image", valueExample: "registry.example.com/web:v2" },
  kustomize: { at: "Image name", atExample: "web", value: "Tag, digest or image", valueExample: "v2" },
  chart: { at: "Dependency", atExample: "redis", value: "Version", valueExample: "1.2.3" },
  remove: { at: "Path of the value", atExample: "spec.paused" },
};

interface EditProps {
  edit: DraftEdit;
  position: number;
  onChange: (change: Partial<DraftEdit>) => void;
  onKind: (kind: EditKind) => void;
  onRemove: (() => void) | undefined;
}

function Edit({ edit, position, onChange, onKind, onRemove }: EditProps) {
  const word = words[edit.kind];
  return (
    <div role="group" aria-label={`Edit ${position}`} className="flex min-w-0 flex-col gap-3 rounded-card border border-line p-3">
      <div className="flex flex-wrap items-end gap-3">
        <Select label="What" choices={editKinds} value={edit.kind} onChange={onKind} className="w-52 max-wide:grow" />
        <TextField label="File" value={edit.file} onChange={(file) => onChange({ file })} placeholder="apps/web/values.yaml" autoComplete="off" mono className="min-w-0 grow basis-60 max-wide:order-last" />
        {onRemove && <IconButton label={`Remove edit ${position}`} onPress={onRemove}><X size={14} aria-hidden /></IconButton>}
      </div>
      <div className="grid grid-cols-2 gap-3 max-wide:grid-cols-1">
        <TextField label={word.at} value={edit.at} onChange={(at) => onChange({ at })} placeholder={word.atExample} autoComplete="off" mono />
        {word.value && <TextField label={word.value} value={edit.value} onChange={(value) => onChange({ value })} {...(word.valueExample ? { placeholder: word.valueExample } : {})} autoComplete="off" mono />}
      </div>
    </div>
  );
}
