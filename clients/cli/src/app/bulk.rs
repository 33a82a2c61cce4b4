//! Bulk actions: selects applications, asks for confirmation, runs calls in parallel and sums up the results.

mod interrupt;
mod target;

use anyhow::bail;
use causeway_proto::inventory::v1 as pb;
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::time::Instant;
use tonic::{Response, Status};

use super::find;
use crate::{
    connection::Connection,
    failure::{self, Absent, Unsuccessful, WaitTimeout},
    output::{self, Cell, Format, NamedMessage, Progress, Table},
    words,
};

pub(super) use crate::request::{RequestIdArgs, send};
use interrupt::Calls;
pub(super) use interrupt::{exit, interrupt};
pub(super) use target::TargetArgs;

/// Results of the targets, in their order.
pub(super) type Results<T> = Vec<(pb::Application, anyhow::Result<T>)>;

/// Rule for the confirmation prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Confirmation {
    /// For a dry run: never.
    Never,
    /// If applications are selected by properties.
    IfSelected,
    /// Always.
    Always,
}

impl Confirmation {
    /// Asks for selected applications; a dry run never asks.
    pub(super) fn unless_dry_run(dry_run: bool) -> Self {
        if dry_run {
            Self::Never
        } else {
            Self::IfSelected
        }
    }
}

/// Runs `act` for each target with bounded parallelism.
///
/// # Errors
/// It was interrupted by Ctrl-C.
pub(super) async fn run_each<T>(
    targets: Vec<pb::Application>,
    args: &TargetArgs,
    act: impl AsyncFn(&pb::Application) -> anyhow::Result<T>,
) -> anyhow::Result<Results<T>> {
    let calls = Calls::new(targets.len());
    tokio::select! {
        results = run_all(targets, args.parallel.get(), &calls, act) => Ok(results),
        () = interrupt() => Err(calls.interrupted()),
    }
}

async fn run_all<T>(
    targets: Vec<pb::Application>,
    parallel: usize,
    states: &Calls,
    act: impl AsyncFn(&pb::Application) -> anyhow::Result<T>,
) -> Results<T> {
    let progress = Progress::items("asking", targets.len());
    let (act, asked) = (&act, &progress);
    let numbered = targets.into_iter().enumerate();
    let calls = stream::iter(numbered).map(|(number, target)| async move {
        let name = find::full_name(&target);
        states.send(&name);
        let done = act(&target).await;
        match &done {
            Ok(_) => states.accept(&name),
            Err(_) => states.fail(&name),
        }
        asked.advance(1);
        (number, target, done)
    });
    let mut results: Vec<_> = calls.buffer_unordered(parallel).collect().await;
    drop(progress);
    results.sort_by_key(|(number, ..)| *number);
    let results = results.into_iter();
    results.map(|(_, target, done)| (target, done)).collect()
}

/// Converts the successful results.
pub(super) fn map_results<T, U>(results: Results<T>, convert: impl Fn(T) -> U) -> Results<U> {
    let results = results.into_iter();
    results
        .map(|(target, done)| (target, done.map(&convert)))
        .collect()
}

/// Calls `call` for each target, with the id of its request, until its outcome is known.
pub(super) async fn call_each<T>(
    targets: Vec<pb::Application>,
    args: &TargetArgs,
    ids: RequestIdArgs,
    call: impl AsyncFn(&pb::Application, String) -> Result<Response<T>, Status>,
) -> anyhow::Result<Results<T>> {
    let requests = ids.for_many(args.may_be_many())?;
    let results = run_each(targets, args, async |target| {
        let id = requests.request_id(&find::full_name(target));
        send(&requests.retry_command(), async || {
            call(target, id.clone()).await
        })
        .await
    });
    results.await
}

/// Texts for accepted calls.
#[derive(Clone, Copy)]
pub(super) struct CallText {
    /// Of one, for example "the sync is accepted".
    pub(super) one: &'static str,
    /// Of many, for example "syncs are accepted".
    pub(super) many: &'static str,
    /// True if nothing is changed, which documents say too.
    pub(super) dry_run: bool,
}

/// Prints the responses of calls as documents, or a line for one and the number of many.
pub(super) fn print_responses<M: NamedMessage>(
    text: CallText,
    responses: Results<M>,
    began: Instant,
    format: Format,
) -> anyhow::Result<()> {
    match (format, responses.as_slice()) {
        (Format::Table, [(target, Ok(_))]) => {
            output::line(format!("{}: {}", target.name, text.one))?;
        }
        (Format::Table, _) => {}
        (Format::Json | Format::Yaml, [(_, Err(_))]) => {}
        (Format::Json | Format::Yaml, responses) => {
            let documents = responses.iter().map(|(target, it)| result(target, it));
            let mut documents: Vec<_> = documents.collect::<anyhow::Result<_>>()?;
            if text.dry_run {
                documents
                    .iter_mut()
                    .for_each(|it| it["dryRun"] = true.into());
            }
            output::results(documents, format)?;
        }
    }
    print_summary(text.many, responses, began, format)
}

/// The document of a result: the response, or the error, with the name of its application.
pub(super) fn result<M: NamedMessage>(
    target: &pb::Application,
    result: &anyhow::Result<M>,
) -> anyhow::Result<Value> {
    let (runtime, namespace, name) = (&target.runtime, &target.namespace, &target.name);
    match result {
        Ok(message) => output::named(message, (runtime, namespace, name)),
        Err(error) => Ok(json!({
            "runtime": runtime,
            "namespace": namespace,
            "name": name,
            "error": failure::line(error, "the address of this context"),
        })),
    }
}

/// Fails with the error of a single target; for several, prints each error and a summary.
pub(super) fn print_summary<T>(
    what: &str,
    results: Results<T>,
    began: Instant,
    format: Format,
) -> anyhow::Result<()> {
    let all = results.len();
    if let [_] = results.as_slice() {
        return results.into_iter().try_for_each(|(_, done)| done.map(drop));
    }
    let (mut failed, mut broken, mut late) = (0, 0, 0);
    for (target, error) in results.iter().filter_map(failure) {
        failed += 1;
        if !failure::is_reported(error) {
            broken += 1;
            late += usize::from(error.is::<WaitTimeout>());
            let line = failure::line(error, "the address of this context");
            output::note(format!("{}: {line}", find::full_name(target)));
        }
    }
    if format == Format::Table {
        let done = all - failed;
        let failures = match failed {
            0 => String::new(),
            number => format!(", {number} failed"),
        };
        let seconds = began.elapsed().as_secs_f64();
        output::note(format!(
            "{done} of {all} {what}{failures} in {seconds:.1} s"
        ));
    }
    match (failed, broken) {
        (0, _) => Ok(()),
        (_, 0) => Err(Unsuccessful.into()),
        _ if late == failed => {
            Err(WaitTimeout(format!("{late} of {all} are not as wanted in time")).into())
        }
        _ => bail!("{failed} of {all} failed; what failed is named above"),
    }
}

fn failure<T>(
    result: &(pb::Application, anyhow::Result<T>),
) -> Option<(&pb::Application, &anyhow::Error)> {
    let (target, done) = result;
    Some((target, done.as_ref().err()?))
}

/// Selects the applications and asks for confirmation; fails if there are none or the user declines.
pub(super) async fn confirm_targets(
    connection: &Connection,
    args: &TargetArgs,
    what: &str,
    question: Confirmation,
) -> anyhow::Result<Vec<pb::Application>> {
    let targets = args.find(connection).await?;
    if targets.is_empty() {
        return Err(no_match().into());
    }
    let asked = match question {
        Confirmation::Never => false,
        Confirmation::IfSelected => args.is_selection(),
        Confirmation::Always => true,
    };
    if !asked || args.confirm.yes {
        return Ok(targets);
    }
    output::note(plan(&targets));
    let ask = format!("{what} {} applications?", targets.len());
    let ask = match targets.as_slice() {
        [only] => format!("{what} {}?", find::full_name(only)),
        _ => ask,
    };
    args.confirm.confirm(&ask)?;
    Ok(targets)
}

/// Prints the selected applications for a dry run.
pub(super) async fn print_plan(
    connection: &Connection,
    args: &TargetArgs,
    what: &str,
    format: Format,
) -> anyhow::Result<()> {
    let targets = args.find(connection).await?;
    if targets.is_empty() {
        return Err(no_match().into());
    }
    match format {
        Format::Table => output::line(format!("(dry run) {what}\n{}", plan(&targets))),
        Format::Json | Format::Yaml => {
            let targets = targets.iter().map(output::to_json);
            let targets = targets.collect::<anyhow::Result<Vec<_>>>()?;
            output::value(&json!({ "dryRun": true, "applications": targets }), format)
        }
    }
}

/// Error of a selection without matches.
pub(super) fn no_match() -> Absent {
    let text = "no application is so: see 'causeway app list' with the same flags";
    Absent(text.to_owned())
}

fn plan(targets: &[pb::Application]) -> String {
    let mut table = Table::new(&["NAME", "RUNTIME", "NAMESPACE", "PROJECT", "SYNC", "HEALTH"]);
    for target in targets {
        table.row([
            Cell::new(&target.name),
            Cell::new(&target.runtime),
            Cell::new(&target.namespace),
            Cell::new(target.spec.as_ref().map_or("", |spec| &spec.project)),
            Cell::state(&words::reported_sync(target)),
            Cell::state(&words::reported_health(target)),
        ]);
    }
    table.text()
}

#[cfg(test)]
mod tests;
