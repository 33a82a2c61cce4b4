//! Resources of any kind as tables.

use anyhow::Context as _;
use causeway_proto::inventory::v1::{self as pb, live_resource::Detail};

use crate::{
    output::{self, Cell, Columns, Format, Headings, Table},
    words,
};

/// Columns of resources of any kind.
pub(super) struct Resources;

impl Columns for Resources {
    type Item = pb::LiveResource;
    const HEADINGS: Headings = &[
        "KIND",
        "NAME",
        "NAMESPACE",
        "RUNTIME",
        "APPLICATION",
        "HEALTH",
        "STATE",
        "AGE",
    ];
    const WIDE: Headings = &["CLUSTER", "IMAGES"];
    const NONE: &'static str = "none";

    fn cells(resource: &pb::LiveResource) -> Vec<Cell> {
        vec![
            Cell::new(&resource.kind),
            Cell::new(&resource.name),
            Cell::new(&resource.namespace),
            Cell::new(&resource.runtime),
            Cell::new(application(resource)),
            Cell::state(health(resource)),
            Cell::state(&state(resource)),
            Cell::new(words::age(resource.created_at.as_ref())),
            Cell::new(&resource.cluster),
            Cell::new(words::or_dash(&words::plain(&resource.images.join(", ")))),
        ]
    }
}

/// Returns the fields of every kind as names and values.
pub(crate) fn fields(resource: &pb::LiveResource) -> Table {
    let mut table = Table::plain();
    table.field("Name:", &resource.name);
    table.field(
        "Kind:",
        format!("{} ({})", resource.kind, resource.resource),
    );
    table.field(
        "Runtime:",
        format!("{} ({})", resource.runtime, resource.cluster),
    );
    table.field("Namespace:", words::or_dash(&resource.namespace));
    table.field("Application:", application(resource));
    for owner in &resource.owners {
        table.field("Owner:", format!("{}/{}", owner.kind, owner.name));
    }
    table.state("Health:", words::or_dash(health(resource)));
    let message = resource.health.as_ref().map(|it| words::plain(&it.message));
    table.field("Health says:", message.unwrap_or_default());
    table.state("State:", &state(resource));
    for image in &resource.images {
        table.field("Image:", words::plain(image));
    }
    table.field("Age:", words::age(resource.created_at.as_ref()));
    table
}

/// Returns the owning application as NAMESPACE/NAME.
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

/// Returns the state in the words of its kind; empty without one.
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

/// Prints a manifest.
pub(super) fn manifest(content: &[u8], format: Format) -> anyhow::Result<()> {
    if content.is_empty() {
        anyhow::bail!("its manifest is not reported");
    }
    let value = serde_json::from_slice(content).context("the manifest is no JSON")?;
    output::value(&value, format)
}
