//! `causeway summary`: what is wrong now, grouped by cause, and what waits.

use causeway_proto::inventory::v1 as pb;

use crate::{
    app::FilterArgs,
    connection::Connection,
    output::{self, Cell, Format, Table},
    selection::Selection,
    words,
};

/// Runtimes that a line names.
const NAMED: usize = 3;
const LONGEST_MESSAGE: usize = 80;

/// Show problems by cause, running operations, paused rollouts and silent runtimes
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct SummaryArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Maximum number of problems, 1 to 100
    #[arg(long, value_name = "NUMBER", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=100))]
    most: u32,
}

impl SummaryArgs {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let request = pb::GetSummaryRequest {
            filter: Some(self.filter.to_filter(None)),
            most_problems: self.most,
        };
        let mut client = connection.summaries();
        let summary = client.get_summary(request).await?.into_inner();
        if summary.total == 0 {
            let selection = Selection::from(&self.filter.to_filter(None));
            selection.check(connection).await?;
        }
        output::show(&summary, format, |_| print(&summary))
    }
}

fn print(summary: &pb::GetSummaryResponse) -> anyhow::Result<()> {
    output::line(states(summary))?;
    print_problems(summary)?;
    print_waiting(summary)
}

fn states(summary: &pb::GetSummaryResponse) -> String {
    let counts = summary.health.iter().chain(&summary.sync);
    let counts = counts.map(|it| format!("{} {}", it.count, words::or_dash(&it.value)));
    let drifted = format!("{} drifted", summary.drifted);
    let states = counts.chain([drifted]).collect::<Vec<_>>().join(", ");
    format!("{} applications: {states}", summary.total)
}

fn print_problems(summary: &pb::GetSummaryResponse) -> anyhow::Result<()> {
    if summary.problems.is_empty() {
        return Ok(());
    }
    output::line("")?;
    let mut table = Table::new(&["APPS", "TYPE", "PROBLEM", "SINCE", "RUNTIMES"]);
    for problem in &summary.problems {
        let since = problem.since.as_ref();
        let message = words::plain(&problem.message);
        table.row(vec![
            Cell::new(problem.count),
            Cell::new(words::plain(&problem.r#type)),
            Cell::new(message.chars().take(LONGEST_MESSAGE).collect::<String>()),
            Cell::new(since.map_or_else(|| "-".to_owned(), |since| words::ago(Some(since)))),
            Cell::new(runtimes(&problem.runtimes)),
        ]);
    }
    table.print()?;
    if summary.problems_left_off > 0 {
        let others = summary.problems_left_off;
        output::note(format!(
            "{others} more problems: raise --most, or narrow the selection"
        ));
    }
    Ok(())
}

fn runtimes(names: &[String]) -> String {
    let named = names.iter().take(NAMED).cloned().collect::<Vec<_>>();
    match names.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

fn print_waiting(summary: &pb::GetSummaryResponse) -> anyhow::Result<()> {
    let counts = [
        summary.silent_runtimes.len(),
        summary.running.len(),
        summary.paused_rollouts.len(),
    ];
    if counts == [0; 3] {
        return Ok(());
    }
    let mut table = Table::new(&["WAITING", "RUNTIME", "NAME", "SINCE"]);
    for it in &summary.silent_runtimes {
        let applications = format!("{} applications", it.applications);
        let since = words::ago(it.last_heard_at.as_ref());
        table.row(row(["silent runtime", &it.runtime, &applications, &since]));
    }
    for it in &summary.running {
        let name = format!("{}/{}", it.namespace, it.name);
        let operation = it.operation.clone().unwrap_or_default();
        let since = words::ago(operation.started_at.as_ref());
        table.row(row(["running operation", &it.runtime, &name, &since]));
    }
    for it in &summary.paused_rollouts {
        let name = format!("{}/{}", it.namespace, it.name);
        let since = words::ago(it.since.as_ref());
        table.row(row(["paused rollout", &it.runtime, &name, &since]));
    }
    output::line("")?;
    table.print()
}

fn row(cells: [&str; 4]) -> Vec<Cell> {
    cells
        .iter()
        .map(|text| Cell::new(words::plain(text)))
        .collect()
}
