//! Pages of those who search, and counts.

use std::io::Write;

use causeway_inventory::{
    Inventory,
    application::{FacetQuery, Field, Filter, Health, Sort, Sync, Text, Visible},
};
use causeway_proto::ids::AccountId;
use serde_json::json;
use tokio::time::Instant;

use super::{Args, Reader, SHORT_PAGE};
use crate::figure::quantile;

/// Somebody who counts again and again.
pub(super) struct Counter {
    what: &'static str,
    filter: Filter,
    /// Milliseconds.
    times: Vec<f64>,
    total: u64,
}

impl Counter {
    pub(super) async fn read(
        &mut self,
        inventory: &Inventory,
        account: &AccountId,
    ) -> anyhow::Result<()> {
        for _ in 0..10 {
            let begin = Instant::now();
            let query = FacetQuery {
                fields: Field::ALL.to_vec(),
                most: 20,
                ..FacetQuery::default()
            };
            let counts = inventory.counts(account, &self.filter, &query);
            self.total = counts.await?.facets.total;
            self.times.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        Ok(())
    }
}

fn asked(selector: &str, text: &str, sort: Sort) -> anyhow::Result<Filter> {
    Ok(Filter {
        labels: selector.parse()?,
        text: Text::new(text),
        sort,
        ..Filter::within(Visible::everything())
    })
}

pub(super) fn searches() -> anyhow::Result<Vec<Reader>> {
    let of_project: causeway_assertion::Scope =
        serde_json::from_value(json!({"rules": [{"projects": ["p-1*"]}]}))?;
    let cases = [
        ("everything, by runtime", asked("", "", Sort::Runtime)?),
        ("everything, by health", asked("", "", Sort::Health)?),
        (
            "everything, the newest first",
            asked("", "", Sort::Changed)?,
        ),
        (
            "text app-0123 (100 have it), by name",
            asked("", "app-0123", Sort::Name)?,
        ),
        (
            "text team-4, the newest first",
            asked("", "team-4", Sort::Changed)?,
        ),
        (
            "text that none has, by health",
            asked("", "zebra", Sort::Health)?,
        ),
        (
            "text 77 and degraded (2 %), by name",
            Filter {
                health: vec![Health::Degraded],
                ..asked("", "77", Sort::Name)?
            },
        ),
        (
            "text 7, out of sync, one project of 50, by health",
            Filter {
                sync: vec![Sync::OutOfSync],
                project: "p-07".to_owned(),
                ..asked("", "7", Sort::Health)?
            },
        ),
        (
            "label on every 20th, text 42, by namespace",
            asked("team=t-3", "42", Sort::Namespace)?,
        ),
        (
            "label on every 1000th, by project",
            asked("tier=gold", "", Sort::Project)?,
        ),
        (
            "labels tier!=iron,team in (t-1,t-2), by name",
            asked("tier!=iron,team in (t-1,t-2)", "", Sort::Name)?,
        ),
        (
            "projects p-1* alone in scope, degraded, text 5, by name",
            Filter {
                visible: Visible::new(&of_project),
                health: vec![Health::Degraded],
                ..asked("", "5", Sort::Name)?
            },
        ),
    ];
    let reader = |(what, filter)| Reader {
        what,
        filter,
        limit: SHORT_PAGE,
        from: None,
        times: Vec::new(),
        told: 0,
        passes: 0,
    };
    Ok(cases.into_iter().map(reader).collect())
}

pub(super) fn counters() -> anyhow::Result<Vec<Counter>> {
    let one: causeway_assertion::Scope =
        serde_json::from_value(json!({"rules": [{"projects": ["p-07"]}]}))?;
    let cases = [
        ("everything", asked("", "", Sort::Runtime)?),
        ("text 77", asked("", "77", Sort::Runtime)?),
        ("label on every 20th", asked("team=t-3", "", Sort::Runtime)?),
        (
            "one project of 50 in scope",
            Filter::within(Visible::new(&one)),
        ),
    ];
    let counter = |(what, filter)| Counter {
        what,
        filter,
        times: Vec::new(),
        total: 0,
    };
    Ok(cases.into_iter().map(counter).collect())
}

pub(super) fn print(args: &Args, readers: &[Reader], counters: &[Counter]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let (number, goal) = (args.applications, if args.postgres { 80 } else { 50 });
    writeln!(
        out,
        "| pages of {SHORT_PAGE} of {number} applications, searched | rows a page | pages to the end | p50 in ms | p99 in ms (goal {goal} or less) |\n|---|---|---|---|---|"
    )?;
    for reader in readers {
        let pages = reader.times.len();
        let to_end = match reader.passes {
            0 => "–".to_owned(),
            passes => format!("{:.0}", pages as f64 / passes as f64),
        };
        writeln!(
            out,
            "| {} | {:.1} | {to_end} | {:.2} | {:.2} |",
            reader.what,
            reader.told as f64 / pages as f64,
            quantile(&reader.times, 0.5),
            quantile(&reader.times, 0.99),
        )?;
    }
    writeln!(
        out,
        "\n| counts of {number} applications by 7 fields | counted | p50 in ms | p99 in ms |\n|---|---|---|---|"
    )?;
    for counter in counters {
        writeln!(
            out,
            "| {} | {} | {:.1} | {:.1} |",
            counter.what,
            counter.total,
            quantile(&counter.times, 0.5),
            quantile(&counter.times, 0.99),
        )?;
    }
    writeln!(out)?;
    Ok(())
}
