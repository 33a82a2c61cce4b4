import { OperationPhase } from "@contract/causeway/inventory/v1/application_pb";
import { FolderTree, GitCommitHorizontal } from "lucide-react";
import { authorName, Elapsed, formatExact, Name, plainLine, Revision, Time } from "@/format";
import { healthState, phaseState, StateMark, syncState } from "@/state";
import { Banner, Button, CopyButton, ExternalLink, isWebAddress, Link, Tooltip } from "@/ui";
import { useApp } from "../context";
import { useParam } from "../data/search";
import { countOutOfSync, destinationOf, isRunning, shortImage } from "../model/facts";
import { Actions } from "./Actions";
import { Causes } from "./Causes";

/** What is wrong and why, what runs, and what one can do. */
export function Header() {
  const { at, isSilent } = useApp();
  return (
    <div className="flex shrink-0 flex-col gap-2 pt-3">
      {at !== undefined && <AsOfBar at={at} />}
      {isSilent && <SilentBar />}
      <Identity />
      <Causes />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Git />
        <Images />
        <span className="grow" />
        <Actions />
      </div>
    </div>
  );
}

function AsOfBar({ at }: { at: number }) {
  const [, setAt] = useParam("at", true);
  return (
    <Banner tone="info" actions={<Button onPress={() => setAt(undefined)}>Back to now</Button>}>
      <span className="numbers">As of {formatExact(at).split("\n")[0]} (<Time at={at} />). Nothing here acts.</span>
    </Banner>
  );
}

function SilentBar() {
  const { key, application } = useApp();
  return (
    <Banner tone="warn" actions={<Link to="/runtimes/$name" params={{ name: key.runtime }}>Why</Link>}>
      {key.runtime} is silent. What is shown is its last report (<Time at={application.receivedAt} />); the state now is not known.
    </Banner>
  );
}

function Identity() {
  const { key, application } = useApp();
  const { cluster, namespace } = destinationOf(application);
  const parent = application.status?.parent;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <span aria-hidden className="min-w-0 text-h1 font-semibold"><Name>{key.name}</Name></span>
      <States />
      <span className="numbers flex min-w-0 items-center gap-1.5 text-dim" title="Runtime / destination cluster / namespace">
        <Link to="/runtimes/$name" params={{ name: key.runtime }}>{key.runtime}</Link>
        <span className="text-edge">/</span>{cluster}<span className="text-edge">/</span>{namespace || "–"}
      </span>
      <span className="text-dim">project {application.spec?.project || "–"}</span>
      {parent && (
        <span className="inline-flex items-center gap-1 text-dim">
          <FolderTree size={14} aria-hidden /> parent
          <Link to="/apps/$runtime/$cluster/$namespace/$name" params={{ ...key, namespace: parent.namespace, name: parent.name }}>{parent.name}</Link>
        </span>
      )}
    </div>
  );
}

function States() {
  const { application, resources, isSilent } = useApp();
  const { health, sync, operation } = application.status ?? {};
  const differing = countOutOfSync(resources);
  if (isSilent) return <StateMark state="silent">Unknown, runtime silent</StateMark>;
  const running = isRunning(application) && operation ? phaseState(operation.phase) : undefined;
  return (
    <>
      <span className="inline-flex items-center gap-1.5">
        <StateMark state={application.deletionRequestedAt ? "progressing" : healthState(health?.status)}>{application.deletionRequestedAt ? "Deleting" : undefined}</StateMark>
        {health?.since && <span className="text-label text-dim">for <Elapsed since={health.since} /></span>}
      </span>
      <span className="inline-flex items-center gap-1.5">
        <StateMark state={syncState(sync?.status)} />
        {differing > 0 && <span className="text-label text-dim">{differing === 1 ? "1 resource" : `${differing} resources`}</span>}
      </span>
      {running && operation && (
        <span className="inline-flex items-center gap-1.5">
          <StateMark state={running.state}>{operation.phase === OperationPhase.TERMINATING ? "Terminating" : operation.dryRun ? "Dry run" : "Syncing"}</StateMark>
          <span className="text-label text-dim">for <Elapsed since={operation.startedAt} /> by {operation.automated ? "auto-sync" : operation.initiatedBy || "unknown"}</span>
        </span>
      )}
    </>
  );
}

function Git() {
  const { application } = useApp();
  const commit = application.status?.commit;
  const chart = application.status?.chart;
  const revision = application.status?.sync?.revisions[0];
  const target = application.spec?.sources[0]?.targetRevision;
  const sha = commit?.sha || revision;
  if (!sha && !chart) return <span className="text-dim">No revision is compared yet</span>;
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5">
      <GitCommitHorizontal size={16} aria-hidden className="shrink-0 text-dim" />
      {chart && <span>{chart.name} {chart.version}</span>}
      {sha && (commit?.url && isWebAddress(commit.url) ? <ExternalLink href={commit.url}><Revision>{sha}</Revision></ExternalLink> : <Revision>{sha}</Revision>)}
      {sha && <CopyButton text={sha} what="revision" />}
      {target && <span className="max-w-48 min-w-0 truncate text-dim" title={target}>{target}</span>}
      {commit && <span className="min-w-0 truncate" title={commit.message}>{plainLine(commit.message)}</span>}
      {commit && <span className="max-w-64 min-w-0 truncate text-dim">{authorName(commit.author)}, <Time at={commit.committedAt} /></span>}
    </span>
  );
}

/** More images than this are counted, and listed on hover. */
const SHOWN_IMAGES = 2;

function Images() {
  const { application } = useApp();
  const images = application.status?.images ?? [];
  if (images.length === 0) return null;
  return (
    <span className="inline-flex min-w-0 items-center gap-2 text-dim">
      {images.slice(0, SHOWN_IMAGES).map((image) => (
        <code key={image} title={image} className="min-w-0 truncate rounded-control bg-panel px-1.5 font-mono text-label text-text">{shortImage(image)}</code>
      ))}
      {images.length > SHOWN_IMAGES && (
        <Tooltip isStatic text={<span className="whitespace-pre-wrap">{images.slice(SHOWN_IMAGES).join("\n")}</span>}>
          <span className="text-label">+{images.length - SHOWN_IMAGES} images</span>
        </Tooltip>
      )}
    </span>
  );
}
