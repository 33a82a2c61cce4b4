import { CommitService, type CommitChangeResponse } from "@contract/causeway/git/v1/commit_service_pb";
import { PullRequestService, type OpenPullRequestResponse } from "@contract/causeway/git/v1/pull_request_service_pb";
import { Provider } from "@contract/causeway/git/v1/integration_service_pb";
import { ApplicationActionService } from "@contract/causeway/proxy/v1/application_action_service_pb";
import { lazy, Suspense, useMemo, useState } from "react";
import { useChange } from "@/admin";
import { useRead } from "@/data";
import { FailureBanner, isOutcomeUnknown } from "@/failure";
import { hasPullRequests } from "@/git/pullRequests";
import { fitting, repositoryBy } from "@/git/repository";
import { useGitReason } from "@/git/useGitReason";
import { useIntegrations } from "@/git/useIntegrations";
import { Banner, Button, Dialog, GuardedButton } from "@/ui";
import { useApp } from "../context";
import { parseManifest, type Json } from "../diff/yaml";
import { scopeOf, withoutCluster } from "../model/names";
import { sourcesOf, type Source } from "../parameters/source";
import { branchOf, commandOf, firstEdit, isWhole, suggestedMessage, toFileEdit, type DraftEdit, type Way } from "./edits";
import { EditStep } from "./EditStep";
import { ReviewStep } from "./ReviewStep";

const Followed = lazy(() => import("./Followed"));
const Opened = lazy(() => import("./Opened"));
const { commitChange } = CommitService.method;

export interface CommitDialogProps {
  onClose: () => void;
  /** The source that is changed; the first one in Git without it. */
  position?: number;
  /** Edits to begin with. */
  edits?: readonly DraftEdit[];
  /** What cannot become an edit of a file. */
  left?: readonly string[];
}

/** Edits of files, their difference, the commit, and the sync that follows. */
export function CommitDialog(props: CommitDialogProps) {
  const { key } = useApp();
  const { sources, isLoading } = useGitSources();
  const chosen = sources.find(({ position }) => position === props.position) ?? sources[0];
  if (!chosen) {
    return (
      <Dialog title={`Commit to Git for ${key.name}`} isOpen onClose={props.onClose} actions={<Button onPress={props.onClose}>Close</Button>}>
        {isLoading ? <p className="text-dim">The sources are being read.</p> : <Banner tone="warn">No source of {key.name} is in Git.</Banner>}
      </Dialog>
    );
  }
  return <Form {...props} sources={sources} first={chosen} />;
}

function Form({ sources, first, edits: given, left = [], onClose }: CommitDialogProps & { sources: readonly Source[]; first: Source }) {
  const { key } = useApp();
  const reason = useGitReason(key.runtime);
  const [step, setStep] = useState<"edit" | "review">("edit");
  const [source, setSource] = useState(first);
  const [edits, setEdits] = useState<readonly DraftEdit[]>(given?.length ? given : [firstEdit(first)]);
  const [branch, setBranch] = useState(() => branchOf(first));
  const [name, setName] = useState<string>();
  const [typed, setMessage] = useState<string>();
  const [description, setDescription] = useState("");
  const [wants, setWants] = useState<Way>("commit");
  const [done, setDone] = useState<CommitChangeResponse>();
  const [opened, setOpened] = useState<OpenPullRequestResponse>();
  const commit = useChange(commitChange, { scope: scopeOf(key), onDone: setDone });
  const open = useChange(PullRequestService.method.openPullRequest, { scope: scopeOf(key), onDone: setOpened });

  const url = String(source.manifest["repoURL"] ?? "");
  const { integrations, ...read } = useIntegrations(key.runtime);
  const fits = useMemo(() => fitting(integrations ?? [], url), [integrations, url]);
  const integration = fits.find((each) => each.name === name) ?? fits[0];
  const repository = (integration && repositoryBy(integration, url)) ?? url;
  const message = typed ?? suggestedMessage(key.name, edits);
  const target = { runtime: key.runtime, integration: integration?.name ?? "", repository, branch: branch.trim(), edits: edits.map(toFileEdit) };
  const openReason = hasPullRequests(integration?.provider) ? reason("repository.open-pull-request") : "The host has no pull requests.";
  const way: Way = openReason ? "commit" : wants;
  const change = way === "commit" ? commit : open;
  const choose = (next: Source) => {
    setSource(next);
    setBranch(branchOf(next));
    setEdits([firstEdit(next)]);
  };
  const isReady = integration !== undefined && target.branch !== "" && edits.length > 0 && edits.every(isWhole) && !reason("repository.get");

  const preview = useRead(CommitService.method.previewChange, target, { enabled: step === "review" && !done && !opened });
  const isEmpty = preview.data?.files.length === 0;
  const refusal = (way === "commit" ? reason("repository.commit") : openReason) ?? (isEmpty ? "Nothing would change." : message.trim() === "" ? "It needs a message." : undefined);
  const title = `Commit to Git for ${key.name}`;
  if (done) {
    return (
      <Dialog title={title} isOpen onClose={onClose} actions={<Button tone="accent" onPress={onClose}>Close</Button>}>
        <Suspense><Followed done={done} provider={integration?.provider ?? Provider.GIT} repository={repository} branch={target.branch} onClose={onClose} /></Suspense>
      </Dialog>
    );
  }
  if (opened?.pullRequest) {
    return (
      <Dialog title={title} isOpen onClose={onClose} actions={<Button tone="accent" onPress={onClose}>Close</Button>}>
        <Suspense><Opened opened={opened} pullRequest={opened.pullRequest} integration={target.integration} repository={repository} /></Suspense>
      </Dialog>
    );
  }
  const submit = () => {
    const { branch: baseBranch, ...rest } = target;
    if (way === "commit") commit.run({ ...target, message });
    else open.run({ ...rest, baseBranch, title: message.split("\n")[0] ?? "", description });
  };
  const foot = step === "edit" ? (
    <>
      <Button onPress={onClose}>Cancel</Button>
      <Button tone="accent" isDisabled={!isReady} onPress={() => setStep("review")}>Show the difference</Button>
    </>
  ) : (
    <>
      <Button onPress={() => setStep("edit")} isDisabled={change.isPending} className="mr-auto">Back</Button>
      <Button onPress={onClose}>Cancel</Button>
      <GuardedButton tone="accent" reason={refusal} isDisabled={change.isPending || !preview.data} onPress={submit}>{way === "commit" ? `Commit to ${target.branch}` : "Open pull request"}</GuardedButton>
    </>
  );
  return (
    <Dialog title={title} isOpen onClose={onClose} size="large" actions={foot}>
      <div className="flex flex-col gap-4">
        {change.failure && <FailureBanner error={change.failure} what={way === "commit" ? "commit" : "open the pull request"} {...(isOutcomeUnknown(change.failure) ? { onRetry: change.again } : {})} />}
        {step === "edit" ? (
          <EditStep
            sources={sources}
            source={source}
            onSource={choose}
            url={url}
            read={{ data: integrations, error: read.error, refetch: read.refetch }}
            fits={fits}
            integration={integration}
            onIntegration={setName}
            branch={branch}
            onBranch={setBranch}
            edits={edits}
            onEdits={setEdits}
            left={left}
            way={way}
            onWay={setWants}
            openReason={openReason}
            reason={reason}
          />
        ) : (
          <ReviewStep branch={target.branch} preview={preview} message={message} onMessage={setMessage} way={way} description={description} onDescription={setDescription} command={commandOf({ ...target, message, way }, edits)} />
        )}
      </div>
    </Dialog>
  );
}

/** The sources in Git, as the runtime has them now, else as they were reported. */
function useGitSources(): { sources: Source[]; isLoading: boolean } {
  const { key, application } = useApp();
  const read = useRead(ApplicationActionService.method.getLiveApplication, withoutCluster(key));
  const sources = useMemo(() => {
    const manifest = parseManifest(read.data?.manifest);
    const reported = application.spec?.sources.map(({ repositoryUrl, targetRevision, path, chart }) => ({ repoURL: repositoryUrl, targetRevision, path, ...(chart ? { chart } : {}) }));
    const all = manifest ? sourcesOf(manifest) : sourcesOf({ spec: { sources: (reported ?? []) as Json[] } });
    return all.filter(({ manifest: each }) => each["chart"] === undefined && each["repoURL"] !== undefined);
    // The reported sources stand in only where the runtime does not answer.
  }, [read.data, application.spec]);
  return { sources: read.isLoading ? [] : sources, isLoading: read.isLoading };
}
