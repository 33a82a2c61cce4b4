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
      {data && isEmpty(data) ? (
        <NothingYet />
      ) : (
        <div className="flex flex-col gap-6">
          {error && data && <FailureBanner error={error} what="read the summary" onRetry={retry} />}
          {error && !data && <FailureState error={error} what="read the summary" onRetry={retry} />}
          {!data && !error && <SkeletonRows />}
          {data && <Broken summary={data} />}
          {data && <Waiting summary={data} />}
          <Changed />
          <Favourites />
        </div>
      )}
    </Page>
  );
}

function isEmpty({ total, silentRuntimes }: Summary): boolean {
  return total === 0n && silentRuntimes.length === 0;
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
