import type { ReactNode } from "react";
import { formatShortCount, plural, Time } from "@/format";
import { StateShape } from "@/state";
import { ConnectionMark, connectionState, isSilent, PartTrouble, partState, RuntimeStep, shortInstance, type PartGroup, type RuntimeNode, type Topology } from "@/topology";
import { Chip, classes } from "@/ui";
import { Reporters, RuntimeName } from "./RuntimeTable";

export interface TopologyPictureProps {
  topology: Topology;
  isShown: (name: string) => boolean;
  counts: ReadonlyMap<string, bigint>;
}

/** Platform, tunnel servers and runtimes from left to right; on small screens below each other. */
export function TopologyPicture({ topology, isShown, counts }: TopologyPictureProps) {
  const { platform, troubled, servers, detached } = topology;
  const lines = [
    ...servers.map(({ server, runtimes }) => ({ server, runtimes })),
    ...(detached.length > 0 ? [{ server: "", runtimes: detached }] : []),
  ];
  return (
    <div className="grid grid-cols-[minmax(240px,300px)_1fr] items-start gap-x-8 gap-y-4 max-desk:grid-cols-1">
      <section aria-label="Platform" className="rounded-card border border-edge bg-raised p-3">
        <h2 className="mb-2 font-semibold">Platform</h2>
        <PartList groups={platform} />
        {troubled.length > 0 && <ul className="m-0 mt-3 flex list-none flex-col gap-3 border-t border-line p-0 pt-3">{troubled.map((part) => <PartTrouble key={part.instance} part={part} />)}</ul>}
      </section>
      <ol className="relative m-0 flex min-w-0 list-none flex-col gap-4 p-0 before:absolute before:top-4 before:-left-8 before:w-8 before:border-t-2 before:border-edge max-desk:before:hidden">
        {lines.map(({ server, runtimes }) => (
          <ServerLine key={server} server={server}>
            {runtimes.filter(({ runtime }) => isShown(runtime.name)).map((node) => (
              <RuntimeBox key={node.runtime.runtimeId} node={node} server={server} apps={counts.get(node.runtime.name)} />
            ))}
          </ServerLine>
        ))}
      </ol>
    </div>
  );
}

/** Parts with the number of replicas that serve. */
export function PartList({ groups }: { groups: readonly PartGroup[] }) {
  return (
    <ul className="m-0 flex list-none flex-col gap-0.5 p-0">
      {groups.map((group) => {
        const worst = group.replicas.find((part) => partState(part.health).state !== "healthy") ?? group.replicas[0];
        return (
          <li key={group.name} className="flex items-center gap-2">
            {worst && <StateShape state={partState(worst.health).state} />}
            <span className="min-w-0 grow truncate">{group.name}</span>
            <span className="numbers text-label text-dim">{group.serving}/{group.replicas.length}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** Parts of a runtime in one line; of a silent one only those last known. */
function PartLine({ groups, isSilent }: { groups: readonly PartGroup[]; isSilent: boolean }) {
  if (groups.length === 0) return <p className="m-0 mt-1 text-label text-dim">No part has announced itself.</p>;
  return (
    <ul className="m-0 mt-1 flex list-none flex-wrap gap-x-3 gap-y-0.5 p-0 text-label text-dim">
      {groups.map((group) => {
        const worst = group.replicas.find((part) => partState(part.health).state !== "healthy") ?? group.replicas[0];
        return (
          <li key={group.name} className="inline-flex items-center gap-1.5">
            {worst && <StateShape state={isSilent ? "silent" : partState(worst.health).state} size={8} />}
            {group.name}
            {group.replicas.length > 1 && <span className="numbers">{group.serving}/{group.replicas.length}</span>}
          </li>
        );
      })}
    </ul>
  );
}

function ServerLine({ server, children }: { server: string; children: ReactNode }) {
  return (
    <li className={classes("relative border-l-2 pl-6 max-wide:pl-3", server ? "border-edge" : "border-dashed border-edge")}>
      <h2 className="mb-2 flex items-center gap-2 text-label font-medium text-dim">
        {server ? (
          <>
            tunnel-server <code title={server} className="font-mono text-text">{shortInstance(server)}</code>
          </>
        ) : (
          "without a tunnel session"
        )}
      </h2>
      <ul className="m-0 flex list-none flex-col gap-2 p-0">{children}</ul>
    </li>
  );
}

function RuntimeBox({ node, server, apps }: { node: RuntimeNode; server: string; apps: bigint | undefined }) {
  const { runtime, troubled } = node;
  const sessions = runtime.sessions.filter((session) => session.server === server).length;
  const isDashed = connectionState(runtime.connection).state === "silent";
  return (
    <li className={classes("relative rounded-card border bg-raised p-3", isDashed ? "border-dashed border-field" : "border-edge")}>
      <span aria-hidden className={classes("absolute top-5 -left-6 w-6 border-t-2 border-edge max-wide:-left-3 max-wide:w-3", isDashed && "border-dashed")} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="font-medium"><RuntimeName node={node} /></span>
        <ConnectionMark runtime={runtime} />
        {sessions > 0 && <span className="numbers text-dim">{plural(sessions, "session")}</span>}
        {node.parts.length > 0 && <span className="numbers text-dim">reporters <Reporters node={node} /></span>}
        <span className="numbers text-dim">{formatShortCount(apps ?? 0n)} {isSilent(runtime) ? "apps as last reported" : "apps"}</span>
        <span className="text-dim">{runtime.version}</span>
        <span className="grow" />
        <AllowedActions actions={runtime.allowedActions} />
        <span className="text-label text-dim">{runtime.lastSeenAt ? <>seen <Time at={runtime.lastSeenAt} /></> : <>joined <Time at={runtime.joinedAt} /></>}</span>
      </div>
      <PartLine groups={node.parts} isSilent={isSilent(runtime)} />
      {(troubled.length > 0 || !runtime.sessions.length) && (
        <div className="mt-2 flex flex-col gap-3 border-t border-line pt-2">
          <RuntimeStep runtime={runtime} />
          {troubled.length > 0 && !isSilent(runtime) && (
            <ul className="m-0 flex list-none flex-col gap-3 p-0">{troubled.map((part) => <PartTrouble key={part.instance} part={part} />)}</ul>
          )}
        </div>
      )}
    </li>
  );
}

/** What the runtime itself allows, whatever the roles say. */
export function AllowedActions({ actions }: { actions: readonly string[] }) {
  if (actions.length === 0) return null;
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      <span className="text-label text-dim">allows</span>
      {actions.map((action) => <Chip key={action}>{action}</Chip>)}
    </span>
  );
}
