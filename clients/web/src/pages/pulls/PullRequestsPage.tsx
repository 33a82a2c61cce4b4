import { PullRequestService, PullRequestState, type PullRequest } from "@contract/causeway/git/v1/pull_request_service_pb";
import { ApplicationView } from "@contract/causeway/inventory/v1/application_service_pb";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Loaded } from "@/admin";
import { useApplicationPage, useRead } from "@/data";
import { Revision } from "@/format";
import { mergeabilityText, pullRequestState, repositoryBy, useGitReason, useIntegrations } from "@/git";
import type { Search } from "@/search";
import { Page } from "@/shell";
import { StateMark } from "@/state";
import { Banner, ChoiceBar, EmptyState, ExternalLink, GuardedButton, Select, Table, type Column } from "@/ui";
import { CloseDialog, MergeDialog } from "./Dialogs";

/** Applications that are asked for the repositories to choose from. */
const READ = 500;

/** The pull requests of a repository, by an integration. */
export default function PullRequestsPage() {
  const { name = "", integration = "" } = useParams({ strict: false }) as { name?: string; integration?: string };
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const set = (change: Search) => void navigate({ to: ".", search: (before: Search) => ({ ...before, ...change }) });
  const repositories = useRepositories(name, integration);
  const repository = search["repository"] ?? repositories?.[0];
  const all = search["state"] === "all";
  const crumbs = [
    { text: name, to: `/runtimes/${encodeURIComponent(name)}` },
    { text: "Integrations", to: `/runtimes/${encodeURIComponent(name)}/integrations` },
    { text: integration },
  ];
  const choices = [...new Set([...(repository ? [repository] : []), ...(repositories ?? [])])].map((url) => ({ key: url, text: url }));
  return (
    <Page title={`Pull requests by ${integration}`} crumbs={crumbs}>
      <div className="mb-3 flex flex-wrap items-end gap-3">
        {choices.length > 0 && <Select label="Repository" choices={choices} value={repository ?? null} onChange={(url) => set({ repository: url })} className="min-w-80 max-wide:w-full" />}
        <ChoiceBar label="State" choices={[{ key: "open", text: "Open" }, { key: "all", text: "All" }]} value={all ? "all" : "open"} onChange={(key) => set({ state: key === "all" ? "all" : undefined })} />
      </div>
      {repositories !== undefined && choices.length === 0 && <EmptyState title="No repository to choose">No application of {name} has its source under the URL of {integration}.</EmptyState>}
      {repository && <List place={{ runtime: name, integration, repository }} all={all} />}
    </Page>
  );
}

function List({ place, all }: { place: { runtime: string; integration: string; repository: string }; all: boolean }) {
  const reason = useGitReason(place.runtime);
  const [merged, setMerged] = useState<PullRequest>();
  const [closed, setClosed] = useState<PullRequest>();
  const read = useRead(PullRequestService.method.listPullRequests, { ...place, all }, { interval: 30_000, keepsPrevious: true });
  const isOpen = ({ state }: PullRequest) => (state === PullRequestState.OPEN ? undefined : "It is not open.");
  const columns: readonly Column<PullRequest>[] = [
    { id: "title", title: "Pull request", isHeader: true, cell: ({ number, title, url }) => <ExternalLink href={url}><span className="numbers">{String(number)}</span> {title}</ExternalLink> },
    { id: "state", title: "State", cell: ({ state }) => <StateMark state={pullRequestState(state).state}>{pullRequestState(state).word}</StateMark> },
    { id: "from", title: "From", cell: ({ headBranch }) => <code className="font-mono text-label break-all">{headBranch}</code> },
    { id: "to", title: "Into", cell: ({ baseBranch }) => <code className="font-mono text-label break-all">{baseBranch}</code> },
    { id: "head", title: "Commit", isSecondary: true, cell: ({ head }) => <Revision>{head}</Revision> },
    { id: "mergeable", title: "Can be merged", isSecondary: true, cell: (each) => (isOpen(each) ? "–" : mergeabilityText(each)) },
    {
      id: "actions",
      title: "",
      align: "right",
      cell: (each) => (
        <span className="inline-flex">
          <GuardedButton tone="quiet" aria-label={`Merge ${each.number}`} reason={isOpen(each) ?? reason("repository.merge-pull-request")} onPress={() => setMerged(each)}>Merge…</GuardedButton>
          <GuardedButton tone="quiet" aria-label={`Close ${each.number}`} reason={isOpen(each) ?? reason("repository.close-pull-request")} onPress={() => setClosed(each)}>Close…</GuardedButton>
        </span>
      ),
    },
  ];
  return (
    <>
      <Loaded read={read} what="list pull requests" rows={4}>
        {({ pullRequests, truncated }) =>
          pullRequests.length === 0 ? (
            <EmptyState title={all ? "No pull request" : "No open pull request"}>Commit to Git on the page of an application opens one in place of a commit.</EmptyState>
          ) : (
            <>
              {truncated && <Banner tone="info">The host has more; these are the newest.</Banner>}
              <Table label="Pull requests" columns={columns} rows={pullRequests} rowKey={({ number }) => String(number)} />
            </>
          )
        }
      </Loaded>
      {merged && <MergeDialog place={place} pullRequest={merged} onClose={() => setMerged(undefined)} />}
      {closed && <CloseDialog place={place} pullRequest={closed} onClose={() => setClosed(undefined)} />}
    </>
  );
}

/** The repositories of applications that the integration reaches; undefined while they load. */
function useRepositories(runtime: string, name: string): string[] | undefined {
  const { integrations } = useIntegrations(runtime);
  const { data } = useApplicationPage({ filter: { runtimes: [runtime] }, view: ApplicationView.BASIC, pageSize: READ });
  return useMemo(() => {
    const integration = integrations?.find((each) => each.name === name);
    if (!integration || !data) return undefined;
    const urls = data.applications.flatMap(({ spec }) => spec?.sources ?? []).flatMap(({ repositoryUrl }) => repositoryBy(integration, repositoryUrl) ?? []);
    return [...new Set(urls)].sort();
  }, [integrations, data, name]);
}
