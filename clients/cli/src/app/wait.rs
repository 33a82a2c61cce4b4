//! `causeway app wait`, and how other commands wait for what they began.

mod condition;
mod until;

use anyhow::Context as _;
use causeway_proto::inventory::v1 as pb;
use tokio::time::Instant;

use super::{
    bulk::{self, TargetArgs},
    find,
    sync::choice::Resource,
};
use crate::{
    connection::Connection,
    failure::{Absent, ConditionUnmet},
    output::{self, Format},
};

use condition::Conditions;
pub(super) use until::{TimeoutArgs, WaitOptions, WaitState, wait_for_each};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct WaitArgs {
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    conditions: Conditions,
    /// Wait only for these resources: GROUP:KIND:NAME or GROUP:KIND:NAMESPACE/NAME
    ///
    /// At least one must exist. GROUP is empty for the core group, '*' is a wildcard, and a leading '!' excludes.
    #[arg(long, value_name = "RESOURCE", conflicts_with = "delete")]
    resource: Vec<Resource>,
    #[command(flatten)]
    timeout: TimeoutArgs,
}

/// All failures have the exit code of `argocd app wait`.
pub(super) async fn run(
    connection: &Connection,
    args: &WaitArgs,
    format: Format,
) -> anyhow::Result<()> {
    wait(connection, args, format).await.context(ConditionUnmet)
}

async fn wait(connection: &Connection, args: &WaitArgs, format: Format) -> anyhow::Result<()> {
    let (found, absent) = args.targets.find_existing(connection).await?;
    let targets = targets_to_wait_for(args.conditions, found, absent)?;
    if targets.is_empty() {
        return Ok(());
    }
    let began = Instant::now();
    let conditions = &args.conditions;
    let wanted = WaitOptions {
        targets,
        view: if args.resource.is_empty() {
            pb::ApplicationView::Basic
        } else {
            pb::ApplicationView::Full
        },
        timeout: args.timeout,
        format,
    };
    let reached = wait_for_each(connection, wanted, |_, now| {
        conditions.judge(now, &args.resource)
    })
    .await?;
    print(&reached, format)?;
    bulk::print_summary("are as wanted", reached, began, format)
}

fn print(reached: &bulk::Results<Option<pb::Application>>, format: Format) -> anyhow::Result<()> {
    let done = reached.iter().filter_map(|(target, done)| {
        let now = done.as_ref().ok()?;
        Some((target, now.as_ref()))
    });
    if format != Format::Table {
        let documents = done.map(|(target, now)| output::to_json(now.unwrap_or(target)));
        let documents: Vec<_> = documents.collect::<anyhow::Result<_>>()?;
        // The error of a single application is not a document.
        return match documents.as_slice() {
            [] => Ok(()),
            [..] => output::results(documents, format),
        };
    }
    for (target, now) in done {
        let line = match now {
            Some(now) => condition::line(now.status.as_ref()),
            None => "it has gone".to_owned(),
        };
        output::line(format!("{}: {line}", find::full_name(target)))?;
    }
    Ok(())
}

/// Returns the applications to wait for. An absent one is an error, unless its deletion is awaited.
fn targets_to_wait_for(
    conditions: Conditions,
    found: Vec<pb::Application>,
    absent: Vec<Absent>,
) -> anyhow::Result<Vec<pb::Application>> {
    if !conditions.delete {
        return match absent.into_iter().next() {
            Some(absent) => Err(absent.into()),
            None if found.is_empty() => Err(bulk::no_match().into()),
            None => Ok(found),
        };
    }
    let nothing = (found.is_empty() && absent.is_empty()).then(bulk::no_match);
    for absent in absent.into_iter().chain(nothing) {
        output::note(absent.to_string());
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
