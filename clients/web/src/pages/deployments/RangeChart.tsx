import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { DeploymentBars } from "@/charts/DeploymentBars";
import { useDeploymentCounts } from "@/data";
import { toMillis, useNow } from "@/format";
import { rangeBounds, type Range } from "@/format/range";

interface RangeChartProps {
  range: Range;
  filter: { text: string; runtimes: string[] };
}

/** The deployments of the filter over time. */
export function RangeChart({ range, filter }: RangeChartProps) {
  const { from, to, intervals } = rangeBounds(range, useNow());
  const request = { filter, from: timestampFromMs(from), to: timestampFromMs(to), intervals };
  const { data, error } = useDeploymentCounts(request, { keepsPrevious: true, interval: 15_000 });
  // The table below tells what is wrong where neither can be read.
  if (error) return null;
  const bars = data?.intervals.map((it) => ({ from: toMillis(it.from) ?? 0, succeeded: Number(it.succeeded), failed: Number(it.failed) })) ?? [];
  return <div className="mb-2 min-h-36">{data && <DeploymentBars bars={bars} to={to} />}</div>;
}
