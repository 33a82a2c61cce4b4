import type { OpenPullRequestResponse, PullRequest } from "@contract/causeway/git/v1/pull_request_service_pb";
import { Revision } from "@/format";
import { StateShape } from "@/state";
import { CopyButton, ExternalLink, Link } from "@/ui";
import { useApp } from "../context";

export interface OpenedProps {
  opened: OpenPullRequestResponse;
  pullRequest: PullRequest;
  integration: string;
  repository: string;
}

/** The pull request that was opened, and what follows. */
export default function Opened({ opened: { commit, repeatedRequest }, pullRequest: { number, title, headBranch, baseBranch, url }, integration, repository }: OpenedProps) {
  const { key } = useApp();
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1" role="status">
        <StateShape state="healthy" />
        <span>Opened <ExternalLink href={url}>pull request {String(number)}</ExternalLink>{repeatedRequest && ", by an earlier request"}: <span className="font-medium">{title}</span></span>
      </div>
      <p className="m-0 text-dim">
        From <code className="font-mono text-label break-all text-text">{headBranch}</code> at <Revision>{commit}</Revision> <CopyButton text={commit} what="commit" /> into <code className="font-mono text-label text-text">{baseBranch}</code>.
        {" "}{key.name} changes once it is merged.
      </p>
      <p className="m-0"><Link to="/runtimes/$name/integrations/$integration" params={{ name: key.runtime, integration }} search={{ repository }}>Pull requests of the repository</Link></p>
    </div>
  );
}
