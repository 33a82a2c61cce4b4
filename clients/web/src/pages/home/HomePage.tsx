import { Page } from "@/shell";
import { EmptyState, Link, SkeletonRows, Command } from "@/ui";
import { FailureBanner, FailureState } from "@/failure";
import { useSummary } from "@/data";
import { Broken } from "./Broken";
import { Changed } from "./Changed";
import { Favourites } from "./Favourites";
import { StateCounts } from "./StateCounts";
import { Waiting } from "./Waiting";
import { countOf, type Summary } from "./summary";

/** Home: what is broken now, what waits, what changed. */
export default function HomePage() {
  const { data, error, refetch } = useSummary({ mostProblems: 20 }, { interval: 5_000 });
  const broken = data ? countOf(data.health, "Degraded") + countOf(data.health, "Missing") : 0;
  const retry = () => void refetch();
  return (
    <Page title="Home" badge={broken > 0 ? `▲ ${broken}` : undefined} actions={data && <StateCounts summary={data} />}>
      {error && data && <FailureBanner error={error} what="read the summary" onRetry={retry} />}
      {error && !data && <FailureState error={error} what="read the summary" onRetry={retry} />}
      {!data && !error && <SkeletonRows />}
      {data && (data.total === 0n && data.silentRuntimes.length === 0 ? <NothingYet /> : <Sections summary={data} />)}
    </Page>
  );
}

function Sections({ summary }: { summary: Summary }) {
  return (
    <div className="flex flex-col gap-6">
      <Broken summary={summary} />
      <Waiting summary={summary} />
      <Changed />
      <Favourites />
    </div>
  );
}

function NothingYet() {
  return (
    <EmptyState title="No applications yet" action={<Link to="/join">Join a runtime</Link>}>
      <p className="mb-2">
        Home shows what is broken, what waits for a person and what changed, over every Argo CD that joined. Join the first runtime to fill it.
      </p>
      <Command>causeway runtime token NAME</Command>
    </EmptyState>
  );
}
