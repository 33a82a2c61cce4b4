//! `causeway app deployment-count`: how many sync operations ended per interval, and in the period before.

use std::time::SystemTime;

use causeway_proto::{
    inventory::v1 as pb,
    time::{millis_to_timestamp, timestamp_to_millis, to_millis},
};

use super::deployments::PastFilterArgs;
use crate::{
    connection::Connection,
    moment::{Moment, moment},
    output::{self, Cell, Format, Table},
    words,
};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Deployments to count.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct DeploymentCountArgs {
    #[command(flatten)]
    filter: PastFilterArgs,
    /// Started at or after this time: today, 36h, a date or RFC 3339; 7d by default
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<Moment>,
    /// Started before this time; now by default
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Option<Moment>,
    /// Number of intervals of equal length, 1 to 200
    #[arg(long, value_name = "NUMBER", default_value = "7", value_parser = clap::value_parser!(u32).range(1..=200))]
    intervals: u32,
}

impl DeploymentCountArgs {
    fn request(&self) -> anyhow::Result<pb::CountDeploymentsRequest> {
        let until = self.until.as_ref().map(|moment| moment.0);
        let end = until
            .as_ref()
            .map_or_else(|| to_millis(SystemTime::now()), timestamp_to_millis);
        let since = self.since.as_ref().map(|moment| moment.0);
        Ok(pb::CountDeploymentsRequest {
            filter: Some(self.filter.to_filter()?),
            from: since.or_else(|| Some(millis_to_timestamp(end - 7 * DAY_MS))),
            to: until,
            intervals: self.intervals,
        })
    }
}

pub(super) async fn run(
    connection: &Connection,
    args: &DeploymentCountArgs,
    format: Format,
) -> anyhow::Result<()> {
    let mut client = connection.summaries();
    let counts = client
        .count_deployments(args.request()?)
        .await?
        .into_inner();
    output::show(&counts, format, |_| print(&counts))
}

fn print(counts: &pb::CountDeploymentsResponse) -> anyhow::Result<()> {
    let mut table = Table::new(&["FROM", "SUCCEEDED", "FAILED"]);
    let mut total = pb::DeploymentCounts::default();
    for interval in &counts.intervals {
        total.succeeded += interval.succeeded;
        total.failed += interval.failed;
        table.row(row(&words::moment(interval.from.as_ref()), interval));
    }
    table.row(row("all", &total));
    if let Some(before) = &counts.before {
        table.row(row("the period before", before));
    }
    table.print()
}

fn row(name: &str, counts: &pb::DeploymentCounts) -> Vec<Cell> {
    vec![
        Cell::new(name),
        Cell::new(counts.succeeded),
        Cell::new(counts.failed),
    ]
}
