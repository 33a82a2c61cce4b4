//! Applications as tables and documents.

use causeway_proto::inventory::v1 as pb;

use super::{errors, sources};
use crate::{
    output::{Cell, Columns, Headings, Table},
    words,
};

/// Columns of a list of applications.
pub(super) struct Applications;

impl Columns for Applications {
    type Item = pb::Application;
    const HEADINGS: Headings = &[
        "NAME",
        "RUNTIME",
        "NAMESPACE",
        "PROJECT",
        "SYNC",
        "HEALTH",
        "REVISION",
        "MESSAGE",
    ];
    const WIDE: Headings = &["CLUSTER", "TARGET", "SOURCE", "AGE"];
    const NONE: &'static str = "no applications";

    fn cells(application: &pb::Application) -> Vec<Cell> {
        let status = application.status.as_ref();
        let spec = application.spec.as_ref();
        let source = spec.and_then(|spec| spec.sources.first());
        vec![
            Cell::new(&application.name),
            Cell::new(&application.runtime),
            Cell::new(&application.namespace),
            Cell::new(spec.map_or("", |spec| &spec.project)),
            Cell::state(&words::reported_sync(application)),
            Cell::state(&words::reported_health(application)),
            Cell::new(words::revision(status)),
            Cell::new(shortened(&message(status), 50)),
            Cell::new(&application.cluster),
            Cell::new(source.map_or("", |source| &source.target_revision)),
            Cell::new(source.map_or("", |source| &source.repository_url)),
            Cell::new(words::age(application.created_at.as_ref())),
        ]
    }
}

/// What a line says of an application: what is wrong with it, or else its commit.
fn message(status: Option<&pb::ApplicationStatus>) -> String {
    let Some(status) = status else {
        return String::new();
    };
    let problem = condition(status)
        .or_else(|| health_problem(status))
        .or_else(|| operation_problem(status));
    let commit = status.commit.as_ref().map(|it| it.message.clone());
    words::plain(&problem.or(commit).unwrap_or_default())
}

/// The first condition; errors come before warnings.
fn condition(status: &pb::ApplicationStatus) -> Option<String> {
    let is_error = |it: &&pb::Condition| it.r#type.ends_with("Error");
    let mut conditions = status.conditions.iter();
    let error = conditions.find(is_error);
    let condition = error.or(status.conditions.first())?;
    Some(format!("{}: {}", condition.r#type, condition.message))
}

fn health_problem(status: &pb::ApplicationStatus) -> Option<String> {
    let health = status.health.as_ref()?;
    let is_bad = matches!(
        health.status(),
        pb::HealthStatus::Degraded | pb::HealthStatus::Missing
    );
    (is_bad && !health.message.is_empty()).then(|| health.message.clone())
}

fn operation_problem(status: &pb::ApplicationStatus) -> Option<String> {
    let operation = status.operation.as_ref()?;
    let is_bad = matches!(
        operation.phase(),
        pb::OperationPhase::Failed | pb::OperationPhase::Error
    );
    (is_bad && !operation.message.is_empty()).then(|| operation.message.clone())
}

/// All that is shown of one application, as names and values. After a dry run, `last` is the last operation that changed something.
pub(super) fn details(application: &pb::Application, last: Option<&pb::Operation>) -> Table {
    let empty = pb::ApplicationStatus::default();
    let status = application.status.as_ref().unwrap_or(&empty);
    let mut table = Table::plain();
    table.required("Name:", &application.name);
    table.field(
        "Runtime:",
        format!("{} ({})", application.runtime, application.cluster),
    );
    table.required("Namespace:", &application.namespace);
    if let Some(spec) = &application.spec {
        spec_rows(spec, &mut table);
    }
    if let Some(parent) = &status.parent {
        table.field("Parent:", format!("{}/{}", parent.namespace, parent.name));
    }
    let sync = Cell::state(&words::reported_sync(application));
    table.row([Cell::new("Sync:"), sync]);
    let health = Cell::state(&words::reported_health(application));
    table.row([Cell::new("Health:"), health]);
    let health = status.health.as_ref();
    table.field(
        "Health message:",
        words::plain(health.map_or("", |it| &it.message)),
    );
    commit_rows(status, &mut table);
    if let Some(chart) = &status.chart {
        table.field("Chart:", sources::chart(chart));
    }
    for (source, number) in status.sources.iter().zip(1..) {
        table.field(&format!("Source {number}:"), sources::line(source));
    }
    if let Some(hydration) = &status.hydration {
        hydration_rows(hydration, &mut table);
    }
    match &status.operation {
        Some(dry_run) if dry_run.dry_run => {
            if let Some(last) = last {
                operation_rows(last, &mut table);
            }
            let phase = words::phase(dry_run.phase());
            let at = words::moment(dry_run.started_at.as_ref());
            table.field("Dry run:", format!("{phase}, started {at}"));
            table.field("Dry run says:", words::plain(&dry_run.message));
        }
        Some(operation) => operation_rows(operation, &mut table),
        None => {}
    }
    for (heading, text) in errors::lines(status) {
        table.field(heading, text);
    }
    for line in errors::left_out(status) {
        table.field("Left out:", line);
    }
    table.field("Resources:", status.resources.len());
    table.field("Images:", status.images.join(", "));
    let age = words::age(application.received_at.as_ref());
    table.field("Reported:", format!("{age} ago"));
    if let Some(since) = &application.stale_since {
        table.state("Stale:", &stale_line(&application.runtime, since));
    }
    table
}

fn stale_line(runtime: &str, since: &prost_types::Timestamp) -> String {
    let age = words::age(Some(since));
    format!("runtime {runtime} reports nothing since {age}; see 'causeway runtime list'")
}

fn spec_rows(spec: &pb::ApplicationSpec, table: &mut Table) {
    table.required("Project:", &spec.project);
    for source in &spec.sources {
        let location = [&source.path, &source.chart];
        let location = location.into_iter().find(|text| !text.is_empty());
        let location = location.map_or_else(String::new, |it| format!(" {it}"));
        let (url, revision) = (&source.repository_url, &source.target_revision);
        table.field("Source:", format!("{url}{location} @ {revision}"));
    }
    if let Some(destination) = &spec.destination {
        let cluster = [&destination.name, &destination.server];
        let cluster = cluster.into_iter().find(|text| !text.is_empty());
        let cluster = cluster.map_or("", String::as_str);
        let text = format!("{cluster} {}", destination.namespace);
        table.required("Destination:", text.trim());
    }
}

fn commit_rows(status: &pb::ApplicationStatus, table: &mut Table) {
    let revisions = status.sync.as_ref().map(|sync| sync.revisions.join(", "));
    table.required("Revision:", revisions.unwrap_or_default());
    let Some(commit) = &status.commit else { return };
    table.required("Author:", words::plain(&commit.author));
    table.required("Message:", words::plain(&commit.message));
    table.field("Link:", &commit.url);
    table.field("Avatar:", &commit.avatar_url);
}

/// Adds the state of the source hydrator.
fn hydration_rows(hydration: &pb::Hydration, table: &mut Table) {
    let phase = words::hydration(hydration.phase());
    let dry = words::short(&hydration.dry_revision);
    let hydrated = match words::short(&hydration.hydrated_revision) {
        "" => String::new(),
        hydrated => format!(" as {hydrated}"),
    };
    table.field("Hydration:", format!("{phase} {dry}{hydrated}"));
    table.field("Hydration says:", words::plain(&hydration.message));
}

fn operation_rows(operation: &pb::Operation, table: &mut Table) {
    if operation.phase() == pb::OperationPhase::Unspecified {
        return;
    }
    table.state("Operation:", words::phase(operation.phase()));
    table.field("Started:", words::moment(operation.started_at.as_ref()));
    let initiator = initiator(operation.automated, &operation.initiated_by);
    table.field("Started by:", initiator);
    table.field("Operation says:", words::plain(&operation.message));
}

pub(super) fn initiator(automated: bool, name: &str) -> &str {
    match name {
        _ if automated => "automated",
        "" => "-",
        name => name,
    }
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}
