//! Applications as tables and documents.

use causeway_proto::inventory::v1 as pb;

use super::{errors, sources};
use crate::{
    output::{self, Cell, Columns, Format, Headings, Table},
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
        let commit = status.and_then(|status| status.commit.as_ref());
        let message = words::plain(commit.map_or("", |commit| &commit.message));
        vec![
            Cell::new(&application.name),
            Cell::new(&application.runtime),
            Cell::new(&application.namespace),
            Cell::new(spec.map_or("", |spec| &spec.project)),
            Cell::state(words::sync(status)),
            Cell::state(words::health(status)),
            Cell::new(words::revision(status)),
            Cell::new(shortened(&message, 50)),
            Cell::new(&application.cluster),
            Cell::new(source.map_or("", |source| &source.target_revision)),
            Cell::new(source.map_or("", |source| &source.repository_url)),
            Cell::new(words::age(application.created_at.as_ref())),
        ]
    }
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
    table.row([Cell::new("Sync:"), Cell::state(words::sync(Some(status)))]);
    table.row([
        Cell::new("Health:"),
        Cell::state(words::health(Some(status))),
    ]);
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
    table
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

pub(super) fn history(application: &pb::Application, format: Format) -> anyhow::Result<()> {
    let status = application.status.as_ref();
    let mut history = status.map_or_else(Vec::new, |status| status.history.clone());
    history.reverse();
    if format == Format::Table {
        return output::table::<History>(&history);
    }
    let mut history = history.iter();
    history.try_for_each(|deployment| output::stream_document(deployment, format))
}

struct History;

impl Columns for History {
    type Item = pb::Deployment;
    const HEADINGS: Headings = &[
        "ID", "DEPLOYED", "REVISION", "BY", "AUTHOR", "MESSAGE", "LINK",
    ];
    const NONE: &'static str = "never deployed";

    fn cells(deployment: &pb::Deployment) -> Vec<Cell> {
        let commit = deployment.commit.clone().unwrap_or_default();
        vec![
            Cell::new(deployment.id),
            Cell::new(words::moment(deployment.deployed_at.as_ref())),
            Cell::new(words::short_revisions(&deployment.revisions)),
            Cell::new(initiator(deployment.automated, &deployment.initiated_by)),
            Cell::new(words::author_name(&commit.author)),
            Cell::new(words::plain(&commit.message)),
            Cell::new(&commit.url),
        ]
    }
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
