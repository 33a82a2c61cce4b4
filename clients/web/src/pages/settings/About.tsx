import type { PartStatus } from "@contract/causeway/platform/v1/part_service_pb";
import type { ReactNode } from "react";
import { Loaded } from "@/admin";
import { useParts, usePlatformInfo, useWhoAmI } from "@/data/reads/platform";
import { formatExact, plural, toMillis } from "@/format";
import { groupParts, PartMark } from "@/topology";
import { Command, Table, type Column } from "@/ui";

/** Versions, addresses and licences. */
export default function About() {
  const info = usePlatformInfo();
  const { data: me } = useWhoAmI();
  const served = toMillis(info.data?.serverTime);
  const rows: [string, ReactNode][] = [
    ["Platform", info.data?.version ?? "–"],
    ["This page", __VERSION__],
    ["Address", location.origin],
    ["Tunnel server", info.data?.tunnelUrl || "–"],
    ["Clock of the platform", served === undefined ? "–" : <span className="whitespace-pre-line">{formatExact(served)}</span>],
    ["Account", me?.account ?? "–"],
    ["Signed in as", me ? `${me.displayName || me.user} by ${me.credential}` : "–"],
  ];
  return (
    <div className="flex max-w-[880px] flex-col gap-6">
      <dl className="m-0 grid grid-cols-[max-content_1fr] gap-x-6 gap-y-1">
        {rows.map(([title, value]) => (
          <div key={title} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-dim">{title}</dt>
            <dd className="m-0 min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
      <Versions />
      <section className="flex flex-col gap-2">
        <h2 className="text-h2 font-semibold">Licences</h2>
        <p className="m-0">
          Causeway is licensed under Apache-2.0. <a href={__NOTICES__} target="_blank" rel="noopener" className="text-accent underline">Notices of what this page contains</a>
        </p>
        <Command>causeway version</Command>
      </section>
    </div>
  );
}

interface VersionRow {
  key: string;
  part: PartStatus;
  replicas: number;
  versions: string[];
}

const columns: readonly Column<VersionRow>[] = [
  { id: "part", title: "Part", isHeader: true, cell: ({ part }) => part.part },
  { id: "where", title: "Where", cell: ({ part }) => part.runtime || "platform" },
  { id: "health", title: "Health", cell: ({ part }) => <PartMark part={part} /> },
  { id: "replicas", title: "Replicas", align: "right", isSecondary: true, cell: ({ replicas }) => replicas },
  { id: "version", title: "Version", align: "right", cell: ({ versions }) => versions.join(", ") },
];

function Versions() {
  const read = useParts();
  return (
    <section>
      <h2 className="mb-1 text-h2 font-semibold">Parts</h2>
      <Loaded read={{ ...read, data: read.parts }} what="list parts">
        {(parts) => {
          const rows = versionRows(parts);
          const versions = new Set(parts.map((part) => part.version));
          return (
            <>
              {versions.size > 1 && <p className="mt-0 text-dim">{plural(versions.size, "version")} are running.</p>}
              <Table label="Parts and their versions" columns={columns} rows={rows} rowKey={({ key }) => key} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function versionRows(parts: readonly PartStatus[]): VersionRow[] {
  const places = [...new Set(parts.map((part) => part.runtime))];
  return places.flatMap((runtime) =>
    groupParts(parts.filter((part) => part.runtime === runtime)).flatMap(({ name, replicas }) => {
      const [part] = replicas;
      return part ? [{ key: `${runtime}/${name}`, part, replicas: replicas.length, versions: [...new Set(replicas.map((it) => it.version))] }] : [];
    }),
  );
}
