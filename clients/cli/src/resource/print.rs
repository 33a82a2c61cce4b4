//! Resources of any kind as tables.

use anyhow::Context as _;
use causeway_proto::inventory::v1::{self as pb, live_resource::Detail};
use comfy_table::Cell;

use crate::{
    output::{self, Columns, Format, state_cell},
    words,
};

pub(super) fn list(resources: &[pb::LiveResource]) -> Columns {
    let headings = [
        "KIND",
        "NAME",
        "NAMESPACE",
        "RUNTIME",
        "APPLICATION",
        "HEALTH",
        "STATE",
        "AGE",
    ];
    let mut columns = Columns::with_wide(&headings, &["CLUSTER", "IMAGES"]);
    for resource in resources {
        columns.row(vec![
            Cell::new(&resource.kind),
            Cell::new(&resource.name),
            Cell::new(&resource.namespace),
            Cell::new(&resource.runtime),
            Cell::new(application(resource)),
            state_cell(health(resource)),
            state_cell(&state(resource)),
            Cell::new(words::age(resource.created_at.as_ref())),
            Cell::new(&resource.cluster),
            Cell::new(words::or_dash(&words::plain(&resource.images.join(", ")))),
        ]);
    }
    columns
}

/// What every kind has, as names and values.
pub(crate) fn fields(resource: &pb::LiveResource) -> Columns {
    let mut columns = Columns::plain();
    let mut add = |name: &str, cell: Cell| columns.row(vec![Cell::new(name), cell]);
    add("Name:", Cell::new(&resource.name));
    add(
        "Kind:",
        Cell::new(format!("{} ({})", resource.kind, resource.resource)),
    );
    add(
        "Runtime:",
        Cell::new(format!("{} ({})", resource.runtime, resource.cluster)),
    );
    add("Namespace:", Cell::new(words::or_dash(&resource.namespace)));
    add("Application:", Cell::new(application(resource)));
    for owner in &resource.owners {
        add(
            "Owner:",
            Cell::new(format!("{}/{}", owner.kind, owner.name)),
        );
    }
    add("Health:", state_cell(words::or_dash(health(resource))));
    let message = resource
        .health
        .as_ref()
        .map(|health| words::plain(&health.message));
    if let Some(message) = message.filter(|message| !message.is_empty()) {
        add("Health says:", Cell::new(message));
    }
    let state = state(resource);
    if !state.is_empty() {
        add("State:", state_cell(&state));
    }
    for image in &resource.images {
        add("Image:", Cell::new(words::plain(image)));
    }
    add("Age:", Cell::new(words::age(resource.created_at.as_ref())));
    columns
}

/// The application that it belongs to, as NAMESPACE/NAME.
pub(crate) fn application(resource: &pb::LiveResource) -> String {
    resource.application.as_ref().map_or_else(
        || "-".to_owned(),
        |application| format!("{}/{}", application.namespace, application.name),
    )
}

pub(super) fn state_line(resource: &pb::LiveResource) -> String {
    let kind = format!("{}/{}", resource.kind, resource.name);
    let (health, state) = (health(resource), state(resource));
    format!("{kind:<40} {health:<12} {state}")
        .trim_end()
        .to_owned()
}

fn health(resource: &pb::LiveResource) -> &'static str {
    let health = resource.health.as_ref();
    health.map_or("", |health| words::health_status(health.status()))
}

/// Where it stands in the words of its kind; empty where it has none.
fn state(resource: &pb::LiveResource) -> String {
    match &resource.detail {
        Some(Detail::Rollout(rollout)) => words::plain(&rollout.phase),
        Some(Detail::AnalysisRun(run)) => words::plain(&run.phase),
        Some(Detail::Workflow(workflow)) => words::plain(&workflow.phase),
        Some(Detail::ReplicaSet(set)) => {
            format!("{}/{} ready", set.ready_replicas, set.desired_replicas)
        }
        None => String::new(),
    }
}

/// A manifest as JSON, or as YAML where that is asked for.
pub(super) fn manifest(content: &[u8], format: Format) -> anyhow::Result<()> {
    if content.is_empty() {
        anyhow::bail!("its manifest is not reported");
    }
    let value = serde_json::from_slice(content).context("the manifest is no JSON")?;
    output::value(&value, format)
}
