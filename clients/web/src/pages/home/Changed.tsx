import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { totals, type Bar, type Totals } from "@/charts/bars";
import { DeploymentBars } from "@/charts/DeploymentBars";
import { useDeploymentCounts, useDeployments } from "@/data";
import { FailureBanner } from "@/failure";
import { formatChange, formatCount, toMillis, useNow } from "@/format";
import { rangeBounds, ranges, readRange } from "@/format/range";
import { DeploymentTable } from "@/pages/deployments/DeploymentTable";
import type { Search } from "@/search";
import { ChoiceBar, Link, SkeletonRows } from "@/ui";
import { Section } from "./Section";

const choices = ranges.map((range) => ({ key: range, text: range }));

/** What changed: deployments over time, and the last ones. */
export function Changed() {
  const { range: text } = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const range = readRange(text);
  const setRange = (next: string) => void navigate({ to: ".", search: (search: Search) => ({ ...search, range: next }), resetScroll: false });
  return (
    <Section
      title="Changed"
      beside={
        <>
          <ChoiceBar label="Time span" choices={choices} value={range} onChange={setRange} />
          <span className="grow" />
          <Link to="/deployments" search={{ range }}>All deployments</Link>
        </>
      }
    >
      <Counts range={range} />
      <Latest />
    </Section>
  );
}

function Counts({ range }: { range: (typeof ranges)[number] }) {
  const { from, to, intervals } = rangeBounds(range, useNow());
  const request = { from: timestampFromMs(from), to: timestampFromMs(to), intervals };
  const { data, error, refetch } = useDeploymentCounts(request, { interval: 15_000, keepsPrevious: true });
  if (error) return <FailureBanner error={error} what="count deployments" onRetry={() => void refetch()} />;
  if (!data) return <div className="h-32" />;
  const bars: Bar[] = data.intervals.map((it) => ({ from: toMillis(it.from) ?? 0, succeeded: Number(it.succeeded), failed: Number(it.failed) }));
  const before = { succeeded: Number(data.before?.succeeded ?? 0n), failed: Number(data.before?.failed ?? 0n) };
  return (
    <div className="py-2">
      <Figures now={totals(bars)} before={before} />
      <DeploymentBars bars={bars} to={to} />
    </div>
  );
}

function Figures({ now, before }: { now: Totals; before: Totals }) {
  const change = formatChange(now.succeeded + now.failed, before.succeeded + before.failed);
  return (
    <p className="numbers mb-2 flex items-baseline gap-4">
      <span><span className="text-h1 font-semibold">{formatCount(now.succeeded)}</span> <span className="text-dim">succeeded</span></span>
      <span><span className="text-h1 font-semibold">{formatCount(now.failed)}</span> <span className="text-dim">failed</span></span>
      {change && <span className="text-dim">{change} against the same time before</span>}
    </p>
  );
}

function Latest() {
  const { data, error, refetch } = useDeployments({ pageSize: 10 }, { interval: 10_000 });
  if (error) return <FailureBanner error={error} what="list deployments" onRetry={() => void refetch()} />;
  if (!data) return <SkeletonRows count={5} />;
  const deployments = data.pages[0]?.deployments.slice(0, 10) ?? [];
  if (deployments.length === 0) return <p className="py-2 text-dim">No deployment is recorded yet.</p>;
  return <DeploymentTable deployments={deployments} />;
}
