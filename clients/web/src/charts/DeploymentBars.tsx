import { useState } from "react";
import { formatClock, formatCount, formatDate, formatWeekday, plural, useNow } from "@/format";
import { Button } from "@/ui/Button";
import { Table, type Column } from "@/ui/Table";
import { axisEnd, type Bar } from "./bars";

export interface DeploymentBarsProps {
  bars: readonly Bar[];
  /** End of the last interval, in milliseconds since 1970. */
  to: number;
}

const HEIGHT = 100;

/** Deployments by interval as bars from zero, and the same numbers as a table behind a button. */
export function DeploymentBars({ bars, to }: DeploymentBarsProps) {
  const [isTable, setTable] = useState(false);
  const label = useTimeLabel(bars, to);
  return (
    <figure className="m-0 flex flex-col gap-1">
      {isTable ? <NumbersTable bars={bars} label={label} /> : <Drawing bars={bars} to={to} label={label} />}
      <Button tone="quiet" className="self-end text-label! font-normal!" onPress={() => setTable(!isTable)}>
        {isTable ? "Show chart" : "Show numbers"}
      </Button>
    </figure>
  );
}

interface DrawingProps extends DeploymentBarsProps {
  label: (at: number) => string;
}

function Drawing({ bars, to, label }: DrawingProps) {
  const end = axisEnd(bars);
  const first = bars[0]?.from ?? to;
  return (
    <div className="numbers grid grid-cols-[max-content_1fr] gap-x-2 text-label text-dim">
      <div className="flex h-24 flex-col justify-between text-right leading-none" aria-hidden>
        <span>{formatCount(end)}</span>
        <span>0</span>
      </div>
      <div className="h-24 border-b border-edge">
        <svg viewBox={`0 0 ${Math.max(1, bars.length)} ${HEIGHT}`} preserveAspectRatio="none" width="100%" height="100%" role="img" aria-label="Deployments over time">
          {bars.map((bar, index) => <DrawnBar key={bar.from} bar={bar} index={index} end={end} label={label} />)}
        </svg>
      </div>
      <span />
      <div className="flex justify-between pt-1">
        <span>{label(first)}</span>
        <span>{label(to)}</span>
      </div>
    </div>
  );
}

function DrawnBar({ bar, index, end, label }: { bar: Bar; index: number; end: number; label: (at: number) => string }) {
  const ok = (bar.succeeded / end) * HEIGHT;
  const bad = (bar.failed / end) * HEIGHT;
  return (
    <g className="group">
      <title>{`${label(bar.from)}: ${plural(bar.succeeded, "deployment")} succeeded, ${formatCount(bar.failed)} failed`}</title>
      <rect x={index} y={0} width={1} height={HEIGHT} className="fill-transparent group-hover:fill-panel" />
      <rect x={index + 0.12} y={HEIGHT - ok} width={0.76} height={ok} className="fill-accent opacity-80" />
      <rect x={index + 0.12} y={HEIGHT - ok - bad} width={0.76} height={bad} className="fill-bad" />
    </g>
  );
}

function NumbersTable({ bars, label }: { bars: readonly Bar[]; label: (at: number) => string }) {
  const columns: readonly Column<Bar>[] = [
    { id: "from", title: "From", isHeader: true, cell: (bar) => label(bar.from) },
    { id: "succeeded", title: "Succeeded", align: "right", cell: (bar) => formatCount(bar.succeeded) },
    { id: "failed", title: "Failed", align: "right", cell: (bar) => formatCount(bar.failed) },
  ];
  return <Table label="Deployments over time" className="max-h-64 overflow-y-auto" columns={columns} rows={bars} rowKey={(bar) => String(bar.from)} />;
}

const HOUR = 3_600_000;

/** Writes times of a chart: the time of day, with the weekday over half a day, and the day over two days. */
function useTimeLabel(bars: readonly Bar[], to: number): (at: number) => string {
  const now = useNow();
  const length = to - (bars[0]?.from ?? to);
  if (length <= 12 * HOUR) return (at) => formatClock(at);
  if (length <= 48 * HOUR) return (at) => `${formatWeekday(at)} ${formatClock(at)}`;
  return (at) => formatDate(at, now);
}
