//! Operations that a command began, until they end.

use std::{collections::BTreeMap, time::Duration};

use anyhow::anyhow;
use causeway_proto::inventory::v1 as pb;
use serde_json::json;

use super::{
    bulk::{self, Results},
    find,
    wait::{TimeoutArgs, WaitOptions, WaitState, wait_for_each},
};
use crate::{
    connection::Connection,
    failure::{self, Unsuccessful},
    output::{self, Cell, Format, Table},
    words,
};

/// What became of operations, and the words for their summary.
pub(super) struct Followed {
    pub(super) results: Results<()>,
    pub(super) what: &'static str,
}

/// Waits for the end of the operation that each request began, prints what came of them, and fails those that did not succeed.
/// Operations that the user may not watch are reported as started.
pub(super) async fn follow(
    connection: &Connection,
    accepted: Results<String>,
    timeout: TimeoutArgs,
    format: Format,
) -> anyhow::Result<Followed> {
    let what = "succeeded";
    let mut ids = BTreeMap::new();
    let (mut targets, mut results) = (Vec::new(), Vec::new());
    for (target, answer) in accepted {
        match answer {
            Ok(id) => {
                ids.insert(find::full_name(&target), id);
                targets.push(target);
            }
            Err(error) => results.push((target, Err(error))),
        }
    }
    if targets.is_empty() {
        return Ok(Followed { results, what });
    }
    let started = targets.clone();
    let one = targets.len() == 1 && results.is_empty();
    let wanted = WaitOptions {
        targets,
        // The full view has results of every resource, which are too many for several applications.
        view: if one {
            pb::ApplicationView::Full
        } else {
            pb::ApplicationView::Basic
        },
        timeout,
        format,
    };
    let ended = wait_for_each(connection, wanted, |target, now| {
        judge(now, ids.get(&find::full_name(target)))
    });
    let ended = tokio::select! {
        ended = ended => ended,
        () = bulk::interrupt() => {
            output::note(interrupted(&started));
            return Err(bulk::exit());
        }
    };
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) if is_denied(&error) => {
            note_denied(&error);
            print_started(&started, &ids, format)?;
            results.extend(started.into_iter().map(|target| (target, Ok(()))));
            let what = "are started";
            return Ok(Followed { results, what });
        }
        Err(error) => return Err(error),
    };
    print(&ended, one, format)?;
    results.extend(ended.into_iter().map(|(target, now)| {
        let succeeded = now.and_then(|now| match operation(now.as_ref()) {
            Some(operation) if succeeded(operation) => Ok(()),
            Some(_) => Err(Unsuccessful.into()),
            None => Err(anyhow!("the application has gone")),
        });
        (target, succeeded)
    }));
    Ok(Followed { results, what })
}

fn interrupted(started: &[pb::Application]) -> String {
    let names: Vec<_> = started.iter().map(find::full_name).collect();
    let names = names.join(" ");
    format!("interrupted: started operations go on; 'causeway app wait {names} --operation' waits")
}

/// True if the user may act but not watch.
pub(super) fn is_denied(error: &anyhow::Error) -> bool {
    let status = error.downcast_ref::<tonic::Status>();
    status.is_some_and(|status| status.code() == tonic::Code::PermissionDenied)
}

pub(super) fn note_denied(error: &anyhow::Error) {
    let why = failure::line(error, "the address of this context");
    output::note(format!("started, but its end cannot be watched: {why}"));
}

fn print_started(
    started: &[pb::Application],
    ids: &BTreeMap<String, String>,
    format: Format,
) -> anyhow::Result<()> {
    let (mut documents, mut lines) = (Vec::new(), Vec::new());
    for target in started {
        let name = find::full_name(target);
        let id = ids.get(&name).map_or("", String::as_str);
        lines.push(format!("{name}: started as request {id}"));
        documents.push(json!({
            "runtime": target.runtime,
            "namespace": target.namespace,
            "name": target.name,
            "requestId": id,
        }));
    }
    match format {
        Format::Table => lines.iter().try_for_each(output::line),
        Format::Json | Format::Yaml => output::results(documents, format),
    }
}

fn operation(application: Option<&pb::Application>) -> Option<&pb::Operation> {
    application?.status.as_ref()?.operation.as_ref()
}

fn succeeded(operation: &pb::Operation) -> bool {
    operation.phase() == pb::OperationPhase::Succeeded
}

fn judge(now: Option<&pb::Application>, id: Option<&String>) -> WaitState {
    let Some(now) = now else {
        return WaitState::Never("it was deleted while its operation ran".to_owned());
    };
    let ours = operation(Some(now)).filter(|it| Some(&it.request_id) == id);
    match ours {
        Some(operation) if operation.finished_at.is_some() => WaitState::Reached,
        Some(operation) if operation.phase() != pb::OperationPhase::Unspecified => {
            let message = words::plain(&operation.message);
            let line = format!("{:<12} {message}", words::phase(operation.phase()));
            WaitState::Waiting(line.trim_end().to_owned())
        }
        Some(_) | None => WaitState::Waiting("the operation is asked for".to_owned()),
    }
}

fn print(
    ended: &Results<Option<pb::Application>>,
    one: bool,
    format: Format,
) -> anyhow::Result<()> {
    let operations = ended.iter().filter_map(|(target, now)| {
        let now = now.as_ref().ok()?;
        Some((target, operation(now.as_ref())?))
    });
    if format == Format::Table && one {
        return operations
            .take(1)
            .try_for_each(|(target, it)| details(&target.name, it));
    }
    if format == Format::Table {
        return table(operations);
    }
    let documents = operations.map(|(target, it)| {
        let name = (&*target.runtime, &*target.namespace, &*target.name);
        output::named(it, name)
    });
    let documents: Vec<_> = documents.collect::<anyhow::Result<_>>()?;
    // The error of a single one is no document.
    if one && documents.is_empty() {
        return Ok(());
    }
    output::results(documents, format)
}

fn table<'a>(
    operations: impl Iterator<Item = (&'a pb::Application, &'a pb::Operation)>,
) -> anyhow::Result<()> {
    let headings = ["NAME", "RUNTIME", "PHASE", "REVISION", "TOOK", "MESSAGE"];
    let mut columns = Table::new(&headings);
    for (target, operation) in operations {
        columns.row(vec![
            Cell::new(&target.name),
            Cell::new(&target.runtime),
            Cell::state(&words::operation_phase(operation)),
            Cell::new(words::short_revisions(&operation.revisions)),
            Cell::new(took(operation).unwrap_or_default()),
            Cell::new(words::plain(&operation.message)),
        ]);
    }
    columns.print()
}

fn details(name: &str, operation: &pb::Operation) -> anyhow::Result<()> {
    for resource in &operation.resources {
        let name = format!("{}/{}", resource.kind, resource.name);
        let message = words::plain(&resource.message);
        let text = format!("  {name:<36} {:<12} {message}", resource.status);
        output::line(text.trim_end())?;
    }
    if !succeeded(operation) {
        output::line(format!("  {}", words::plain(&operation.message)))?;
    }
    let took = took(operation).map_or(String::new(), |took| format!(" in {took}"));
    let phase = words::operation_phase(operation);
    output::line(format!(
        "{name}: {phase} at {}{took}",
        words::short_revisions(&operation.revisions)
    ))
}

fn took(operation: &pb::Operation) -> Option<String> {
    let (start, end) = (operation.started_at?, operation.finished_at?);
    let seconds = u64::try_from(end.seconds - start.seconds).unwrap_or(0);
    Some(humantime::format_duration(Duration::from_secs(seconds)).to_string())
}
