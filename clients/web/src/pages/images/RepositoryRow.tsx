import { useState } from "react";
import type { ImageUser } from "@contract/causeway/inventory/v1/resource_service_pb";
import { Name, plural, shortDigest } from "@/format";
import { Button, Chip, CopyButton, Disclosure, Link, Table, type Column } from "@/ui";
import { isOutdated, type ImageVersion, type Repository } from "./images";

/** Applications shown before a button for the rest. */
const FEW = 6;

/** A repository that opens to its versions. */
export function RepositoryRow({ repository, startsOpen }: { repository: Repository; startsOpen: boolean }) {
  const { name, versions, userCount } = repository;
  const outdated = versions.filter((version) => isOutdated(version, repository)).length;
  return (
    <div className="border-b border-line">
      <Disclosure
        startsOpen={startsOpen}
        title={
          <span className="flex min-w-0 grow flex-wrap items-center gap-x-3 py-1">
            <code className="min-w-0 truncate font-mono text-label">{name}</code>
            <span className="numbers font-normal text-dim">
              {plural(versions.length, "version")} in {plural(userCount, "app")}
            </span>
            {outdated > 0 && <Chip tone="warn">{plural(outdated, "version")} behind {repository.newest}</Chip>}
          </span>
        }
      >
        <Table label={`Versions of ${name}`} className="mb-2" columns={columns(repository)} rows={versions} rowKey={({ tag, digest }) => `${tag}@${digest}`} />
      </Disclosure>
    </div>
  );
}

function columns(repository: Repository): readonly Column<ImageVersion>[] {
  return [
    { id: "tag", title: "Tag", isHeader: true, width: "16rem", cell: (version) => <Tag version={version} isOld={isOutdated(version, repository)} /> },
    { id: "digest", title: "Digest", isSecondary: true, width: "16rem", cell: ({ digest }) => <Digest digest={digest} /> },
    { id: "users", title: "Applications", cell: ({ users }) => <Users users={users} /> },
  ];
}

function Tag({ version, isOld }: { version: ImageVersion; isOld: boolean }) {
  return (
    <span className="flex items-center gap-2">
      <Name className="max-w-[24ch]">{version.tag || "no tag"}</Name>
      {isOld && <Chip tone="warn">not the newest</Chip>}
    </span>
  );
}

function Digest({ digest }: { digest: string }) {
  if (!digest) return <span className="text-dim">–</span>;
  return (
    <span className="flex items-center gap-1">
      <code title={digest} className="font-mono text-label">{shortDigest(digest)}</code>
      <CopyButton text={digest} what="digest" />
    </span>
  );
}

function Users({ users }: { users: readonly ImageUser[] }) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? users : users.slice(0, FEW);
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5 py-1">
      {shown.map(({ runtime, cluster, namespace, name }) => (
        <Link
          key={`${runtime}/${cluster}/${namespace}/${name}`}
          to="/apps/$runtime/$cluster/$namespace/$name"
          params={{ runtime, cluster, namespace, name }}
          title={`${runtime} / ${cluster} / ${namespace}`}
        >
          {name} <span className="text-dim">{runtime}</span>
        </Link>
      ))}
      {shown.length < users.length && <Button tone="quiet" onPress={() => setAll(true)}>{users.length - FEW} more</Button>}
    </span>
  );
}
