import { timestampMs } from "@bufbuild/protobuf/wkt";
import { RolloutRole, type AnalysisRun, type Rollout, type RolloutRevision } from "@contract/causeway/inventory/v1/resource_pb";
import type { LiveResource } from "@contract/causeway/inventory/v1/resource_service_pb";
import { Check } from "lucide-react";
import { Elapsed, formatDuration, Name, plural, useNow } from "@/format";
import { StateMark, StateShape } from "@/state";
import { Banner, classes, ProgressBar, Table, type Column } from "@/ui";
import type { State } from "@/words";
import { shortImage } from "../model/facts";
import { RolloutActions } from "./RolloutActions";
import { pauseLength, stepsOf } from "./steps";

/** One rollout with everything that decides how it goes on. */
export function RolloutCard({ resource, runs }: { resource: LiveResource; runs: readonly LiveResource[] }) {
  if (resource.detail.case !== "rollout") return null;
  const rollout = resource.detail.value;
  const strategy = rollout.strategy === 2 ? "blue-green" : "canary";
  return (
    <section aria-label={`Rollout ${resource.name}`} className="flex flex-col gap-4 rounded-card border border-line p-4">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="text-h2 font-semibold"><Name>{resource.name}</Name></h2>
        <StateMark state={phaseShape(rollout)}>{rollout.aborted ? "Aborted" : rollout.phase}</StateMark>
        <span className="text-dim">{strategy}</span>
        {rollout.actualWeight !== undefined && <span className="numbers text-dim">{rollout.actualWeight} % of traffic{rollout.desiredWeight !== undefined && rollout.desiredWeight !== rollout.actualWeight && ` of ${rollout.desiredWeight} % wanted`}</span>}
        <span className="grow" />
        <RolloutActions resource={resource} rollout={rollout} />
      </div>
      {rollout.message && rollout.message !== rollout.pause?.reason && <Banner tone={rollout.phase === "Degraded" ? "bad" : "info"}>{rollout.message}</Banner>}
      <PauseLine rollout={rollout} />
      <Steps rollout={rollout} />
      <ProgressBar label="Pods of the new revision" percent={rollout.desiredReplicas === 0 ? 0 : (rollout.updatedReplicas / rollout.desiredReplicas) * 100} text={`${rollout.updatedReplicas} new of ${rollout.desiredReplicas}, ${rollout.availableReplicas} available`} />
      <Revisions revisions={rollout.revisions} />
      <Analyses runs={runs} />
    </section>
  );
}

function phaseShape({ phase, aborted }: Rollout): State {
  if (aborted || phase === "Degraded") return "degraded";
  if (phase === "Healthy") return "healthy";
  return phase === "Paused" ? "waiting" : "progressing";
}

function PauseLine({ rollout }: { rollout: Rollout }) {
  const now = useNow();
  if (!rollout.pause) return null;
  const since = rollout.pause.since && timestampMs(rollout.pause.since);
  const length = pauseLength(rollout.steps[rollout.currentStep ?? -1]);
  const left = length !== undefined && since !== undefined ? Math.max(0, since + length - now) : undefined;
  return (
    <p className="flex flex-wrap items-center gap-2" role="status">
      <StateShape state="waiting" />
      {rollout.pause.reason === "spec.paused" ? "A user paused it" : "Paused by its step"}
      {since !== undefined && <span className="text-dim">for <Elapsed since={since} /></span>}
      {left === undefined ? <span className="text-dim">Promote it to go on.</span> : <span className="numbers text-dim">goes on in {formatDuration(left)}</span>}
    </p>
  );
}

function Steps({ rollout }: { rollout: Rollout }) {
  const steps = stepsOf(rollout.steps, rollout.currentStep);
  if (steps.length === 0) return null;
  return (
    <ol aria-label="Steps" className="flex flex-wrap items-center gap-y-2">
      {steps.map((step, index) => (
        <li key={index} aria-current={step.state === "current" ? "step" : undefined} className="flex items-center">
          {index > 0 && <span aria-hidden className={classes("h-0.5 w-4", step.state === "waiting" ? "bg-line" : "bg-accent")} />}
          <span
            className={classes(
              "numbers inline-flex h-7 items-center gap-1 rounded-chip border px-2.5 text-label whitespace-nowrap",
              step.state === "done" && "border-transparent bg-accent-fill text-accent",
              step.state === "current" && "border-accent font-medium text-accent",
              step.state === "waiting" && "border-line text-dim",
            )}
          >
            {step.state === "done" && <Check size={12} aria-label="done" />}
            {step.text}
          </span>
        </li>
      ))}
    </ol>
  );
}

const roles: Record<RolloutRole, string> = {
  [RolloutRole.UNSPECIFIED]: "",
  [RolloutRole.STABLE]: "stable",
  [RolloutRole.CANARY]: "canary",
  [RolloutRole.ACTIVE]: "active",
  [RolloutRole.PREVIEW]: "preview",
};

const revisionColumns: Column<RolloutRevision>[] = [
  { id: "number", title: "Revision", isHeader: true, cell: ({ number }) => <span className="numbers">{number.toString()}</span>, width: "9ch" },
  { id: "role", title: "Role", cell: (each) => each.roles.map((role) => roles[role]).join(", ") || <span className="text-dim">old</span> },
  { id: "images", title: "Images", cell: ({ images }) => <span title={images.join("\n")} className="font-mono text-label">{images.map(shortImage).join(", ")}</span> },
  { id: "pods", title: "Pods", align: "right", cell: ({ readyReplicas, desiredReplicas }) => `${readyReplicas}/${desiredReplicas}` },
  { id: "analysis", title: "Analysis", isSecondary: true, cell: ({ analysisRuns }) => analysisRuns.map(({ phase }) => phase).join(", ") || "–" },
];

/** Revisions beyond these serve nothing. */
const SHOWN = 6;

function Revisions({ revisions }: { revisions: readonly RolloutRevision[] }) {
  if (revisions.length === 0) return null;
  return <Table label="Revisions" columns={revisionColumns} rows={revisions.slice(0, SHOWN)} rowKey={({ replicaSet }) => replicaSet} className="rounded-card border border-line" />;
}

function Analyses({ runs }: { runs: readonly LiveResource[] }) {
  const shown = runs.flatMap(({ name, detail }) => (detail.case === "analysisRun" ? [{ name, run: detail.value }] : [])).slice(0, SHOWN);
  if (shown.length === 0) return null;
  return (
    <section aria-label="Analysis runs" className="flex flex-col gap-2">
      <h3 className="text-label font-semibold text-dim">{plural(runs.length, "analysis run")}</h3>
      {shown.map(({ name, run }) => <Analysis key={name} name={name} run={run} />)}
    </section>
  );
}

function Analysis({ name, run }: { name: string; run: AnalysisRun }) {
  return (
    <div className="rounded-card border border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <StateMark state={analysisShape(run.phase)}>{run.phase}</StateMark>
        <Name>{name}</Name>
        {run.message && <span className="text-dim">{run.message}</span>}
      </div>
      {run.metrics.map((metric) => (
        <div key={metric.name} className="numbers flex flex-wrap items-center gap-x-3 text-dim">
          <StateShape state={analysisShape(metric.phase)} />
          <span className="text-text">{metric.name}</span>
          {metric.lastValue && <span>last value <code className="font-mono text-label text-text">{metric.lastValue}</code></span>}
          <span>{metric.successful} successful, {metric.failed} failed{metric.errors > 0 && `, ${plural(metric.errors, "error")}`}</span>
          {metric.message && <span className="w-full text-label">{metric.message}</span>}
        </div>
      ))}
    </div>
  );
}

function analysisShape(phase: string): State {
  if (phase === "Successful") return "healthy";
  if (phase === "Failed" || phase === "Error") return "degraded";
  return phase === "Inconclusive" ? "unknown" : "progressing";
}
