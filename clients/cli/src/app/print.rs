//! Applications as tables and documents.

use causeway_proto::inventory::v1 as pb;
use comfy_table::Cell;

use super::{errors, sources};
use crate::{
    output::{self, Columns, Format, Lines, Text, state_cell},
    words,
};

const APPLICATION: &str = "causeway.inventory.v1.Application";
const DEPLOYMENT: &str = "causeway.inventory.v1.Deployment";

/// The columns of a list.
pub(super) fn lines() -> Lines {
    let headings = [
        "NAME",
        "RUNTIME",
        "NAMESPACE",
        "PROJECT",
        "SYNC",
        "HEALTH",
        "REVISION",
        "MESSAGE",
    ];
    Lines::new(&headings, &["CLUSTER", "TARGET", "SOURCE", "AGE"])
}

pub(super) fn row(application: &pb::Application) -> Vec<Text> {
    let status = application.status.as_ref();
    let spec = application.spec.as_ref();
    let project = spec.map_or("", |spec| spec.project.as_str());
    let source = spec.and_then(|spec| spec.sources.first());
    let commit = status.and_then(|status| status.commit.as_ref());
    let message = commit
        .map(|commit| words::plain(&commit.message))
        .unwrap_or_default();
    vec![
        Text::new(application.name.as_str()),
        Text::new(application.runtime.as_str()),
        Text::new(application.namespace.as_str()),
        Text::new(project),
        Text::state(words::sync(status)),
        Text::state(words::health(status)),
        Text::new(words::revision(status)),
        Text::new(shortened(&message, 50)),
        Text::new(application.cluster.as_str()),
        Text::new(source.map_or("", |source| source.target_revision.as_str())),
        Text::new(source.map_or("", |source| source.repository_url.as_str())),
        Text::new(words::age(application.created_at.as_ref())),
    ]
}

pub(super) fn one(application: &pb::Application, format: Format) -> anyhow::Result<()> {
    output::document(APPLICATION, application, format)
}

pub(super) fn one_of_stream(application: &pb::Application, format: Format) -> anyhow::Result<()> {
    output::stream_document(APPLICATION, application, format)
}

pub(super) fn details(application: &pb::Application) -> Columns {
    let empty = pb::ApplicationStatus::default();
    let status = application.status.as_ref().unwrap_or(&empty);
    let mut columns = Columns::plain();
    let mut add = |name: &str, cell: Cell| columns.row(vec![Cell::new(name), cell]);
    add("Name:", Cell::new(&application.name));
    add(
        "Runtime:",
        Cell::new(format!("{} ({})", application.runtime, application.cluster)),
    );
    add("Namespace:", Cell::new(&application.namespace));
    spec_rows(application.spec.as_ref(), &mut add);
    if let Some(parent) = &status.parent {
        add(
            "Parent:",
            Cell::new(format!("{}/{}", parent.namespace, parent.name)),
        );
    }
    add("Sync:", state_cell(words::sync(Some(status))));
    add("Health:", state_cell(words::health(Some(status))));
    if let Some(message) = status
        .health
        .as_ref()
        .map(|health| &health.message)
        .filter(|text| !text.is_empty())
    {
        add("Health message:", Cell::new(words::plain(message)));
    }
    commit_rows(status, &mut add);
    source_rows(status, &mut add);
    hydration_rows(status.hydration.as_ref(), &mut add);
    operation_rows(status.operation.as_ref(), &mut add);
    for (heading, text) in errors::lines(status) {
        add(heading, Cell::new(text));
    }
    for line in errors::left_out(status) {
        add("Left out:", Cell::new(line));
    }
    add("Resources:", Cell::new(status.resources.len()));
    if !status.images.is_empty() {
        add("Images:", Cell::new(status.images.join(", ")));
    }
    add(
        "Reported:",
        Cell::new(format!(
            "{} ago",
            words::age(application.received_at.as_ref())
        )),
    );
    columns
}

fn spec_rows(spec: Option<&pb::ApplicationSpec>, add: &mut impl FnMut(&str, Cell)) {
    let Some(spec) = spec else { return };
    add("Project:", Cell::new(&spec.project));
    for source in &spec.sources {
        let place = [&source.path, &source.chart]
            .into_iter()
            .find(|text| !text.is_empty());
        let place = place.map(|place| format!(" {place}")).unwrap_or_default();
        add(
            "Source:",
            Cell::new(format!(
                "{}{place} @ {}",
                source.repository_url, source.target_revision
            )),
        );
    }
    if let Some(destination) = &spec.destination {
        let cluster = [&destination.name, &destination.server]
            .into_iter()
            .find(|text| !text.is_empty());
        let cluster = cluster.map_or("", String::as_str);
        add(
            "Destination:",
            Cell::new(format!("{cluster} {}", destination.namespace).trim()),
        );
    }
}

fn commit_rows(status: &pb::ApplicationStatus, add: &mut impl FnMut(&str, Cell)) {
    let revisions = status
        .sync
        .as_ref()
        .map(|sync| sync.revisions.join(", "))
        .unwrap_or_default();
    add("Revision:", Cell::new(revisions));
    let Some(commit) = &status.commit else { return };
    add("Author:", Cell::new(words::plain(&commit.author)));
    add("Message:", Cell::new(words::plain(&commit.message)));
    for (heading, address) in [("Link:", &commit.url), ("Avatar:", &commit.avatar_url)] {
        if !address.is_empty() {
            add(heading, Cell::new(address));
        }
    }
}

/// The chart, and what each of several sources is at.
fn source_rows(status: &pb::ApplicationStatus, add: &mut impl FnMut(&str, Cell)) {
    if let Some(chart) = &status.chart {
        add("Chart:", Cell::new(sources::chart(chart)));
    }
    for (number, source) in status.sources.iter().enumerate() {
        let heading = format!("Source {}:", number + 1);
        add(&heading, Cell::new(sources::line(source)));
    }
}

/// How what the source is rendered to comes to be committed.
fn hydration_rows(hydration: Option<&pb::Hydration>, add: &mut impl FnMut(&str, Cell)) {
    let Some(hydration) = hydration else { return };
    let phase = words::hydration(hydration.phase());
    let [dry, hydrated] = [&hydration.dry_revision, &hydration.hydrated_revision];
    let to = match hydrated.as_str() {
        "" => String::new(),
        hydrated => format!(" as {}", words::short(hydrated)),
    };
    add(
        "Hydration:",
        Cell::new(format!("{phase} {}{to}", words::short(dry))),
    );
    if !hydration.message.is_empty() {
        add(
            "Hydration says:",
            Cell::new(words::plain(&hydration.message)),
        );
    }
}

fn operation_rows(operation: Option<&pb::Operation>, add: &mut impl FnMut(&str, Cell)) {
    let Some(operation) =
        operation.filter(|operation| operation.phase() != pb::OperationPhase::Unspecified)
    else {
        return;
    };
    add("Operation:", state_cell(words::phase(operation.phase())));
    add(
        "Started:",
        Cell::new(words::moment(operation.started_at.as_ref())),
    );
    add(
        "Started by:",
        Cell::new(initiator(operation.automated, &operation.initiated_by)),
    );
    if !operation.message.is_empty() {
        add(
            "Operation says:",
            Cell::new(words::plain(&operation.message)),
        );
    }
}

pub(super) fn history(application: &pb::Application) -> anyhow::Result<()> {
    let deployments = deployments(application);
    if deployments.is_empty() {
        output::note("never deployed");
        return Ok(());
    }
    let headings = [
        "ID", "DEPLOYED", "REVISION", "BY", "AUTHOR", "MESSAGE", "LINK",
    ];
    let mut columns = Columns::new(&headings);
    for deployment in deployments.iter().rev() {
        let revisions: Vec<_> = deployment
            .revisions
            .iter()
            .map(|revision| words::short(revision))
            .collect();
        let commit = deployment.commit.as_ref();
        columns.row(vec![
            Cell::new(deployment.id),
            Cell::new(words::moment(deployment.deployed_at.as_ref())),
            Cell::new(revisions.join(",")),
            Cell::new(initiator(deployment.automated, &deployment.initiated_by)),
            Cell::new(
                commit
                    .map(|commit| words::author_name(&commit.author))
                    .unwrap_or_default(),
            ),
            Cell::new(
                commit
                    .map(|commit| words::plain(&commit.message))
                    .unwrap_or_default(),
            ),
            Cell::new(commit.map_or("", |commit| commit.url.as_str())),
        ]);
    }
    columns.print()
}

pub(super) fn history_documents(
    application: &pb::Application,
    format: Format,
) -> anyhow::Result<()> {
    let mut deployments = deployments(application).iter().rev();
    deployments.try_for_each(|deployment| output::stream_document(DEPLOYMENT, deployment, format))
}

fn deployments(application: &pb::Application) -> &[pb::Deployment] {
    application
        .status
        .as_ref()
        .map(|status| status.history.as_slice())
        .unwrap_or_default()
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
