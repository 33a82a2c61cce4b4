//! Workflows as tables, and one as a tree of its nodes.

use std::collections::{BTreeMap, BTreeSet};

use causeway_proto::{
    inventory::v1::{self as pb, live_resource::Detail},
    time::timestamp_to_millis,
};
use prost_types::Timestamp;

use crate::{
    output::{Cell, Columns, Headings, Table, Tree},
    resource::{ReportedKind, application, fields},
    words,
};

pub(super) struct Workflows;

impl Columns for Workflows {
    type Item = pb::LiveResource;
    const HEADINGS: Headings = &[
        "NAME",
        "NAMESPACE",
        "RUNTIME",
        "APPLICATION",
        "STATUS",
        "PROGRESS",
        "STARTED",
        "TOOK",
        "MESSAGE",
    ];
    const NONE: &'static str = "none";

    fn cells(resource: &pb::LiveResource) -> Vec<Cell> {
        let workflow = workflow_of(resource);
        vec![
            Cell::new(&resource.name),
            Cell::new(&resource.namespace),
            Cell::new(&resource.runtime),
            Cell::new(application(resource)),
            Cell::state(words::or_dash(&words::plain(&workflow.phase))),
            Cell::new(words::plain(&workflow.progress)),
            Cell::new(words::ago(workflow.started_at.as_ref())),
            Cell::new(took(&workflow.started_at, &workflow.finished_at)),
            Cell::new(words::plain(&workflow.message)),
        ]
    }
}

impl ReportedKind for Workflows {
    const RESOURCE: &'static str = "workflows.argoproj.io";

    fn details(resource: &pb::LiveResource) -> String {
        let workflow = workflow_of(resource);
        let mut table = fields(resource);
        table.field("Message:", words::plain(&workflow.message));
        table.field("Progress:", words::plain(&workflow.progress));
        table.field("Template:", words::plain(&workflow.template_reference));
        table.field("Started:", words::moment(workflow.started_at.as_ref()));
        table.field("Finished:", words::moment(workflow.finished_at.as_ref()));
        table.field("Took:", took(&workflow.started_at, &workflow.finished_at));
        let shown = u32::try_from(workflow.nodes.len()).unwrap_or(u32::MAX);
        if workflow.node_count > shown {
            let all = workflow.node_count;
            table.field("Nodes:", format!("{shown} of {all} are reported"));
        }
        format!("{}\n\n{}", table.text(), tree(&workflow).text())
    }
}

fn workflow_of(resource: &pb::LiveResource) -> pb::Workflow {
    match &resource.detail {
        Some(Detail::Workflow(workflow)) => workflow.clone(),
        Some(Detail::ReplicaSet(_) | Detail::AnalysisRun(_) | Detail::Rollout(_)) | None => {
            pb::Workflow::default()
        }
    }
}

/// Returns the phase; empty if unknown.
pub(super) fn phase(resource: &pb::LiveResource) -> String {
    words::plain(&workflow_of(resource).phase)
}

/// Where it stands, in one line.
pub(super) fn line(resource: &pb::LiveResource) -> String {
    let workflow = workflow_of(resource);
    let phase = phase(resource);
    let progress = words::plain(&workflow.progress);
    let line = format!("{} {progress}", words::or_dash(&phase));
    match words::plain(&workflow.message).as_str() {
        "" => line.trim_end().to_owned(),
        message => format!("{} - {message}", line.trim_end()),
    }
}

/// "12s" or "3m 5s"; "-" for what has not ended.
fn took(from: &Option<Timestamp>, to: &Option<Timestamp>) -> String {
    let (Some(from), Some(to)) = (from, to) else {
        return "-".to_owned();
    };
    let seconds = (timestamp_to_millis(to) - timestamp_to_millis(from)).max(0) / 1000;
    match seconds {
        ..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {}s", seconds / 60, seconds % 60),
        _ => format!("{}h {}m", seconds / 3_600, seconds / 60 % 60),
    }
}

fn tree(workflow: &pb::Workflow) -> Table {
    let mut table = Table::new(&["NODE", "TYPE", "TEMPLATE", "STATUS", "TOOK", "MESSAGE"]);
    for (prefix, node) in tree_lines(&workflow.nodes) {
        table.row(vec![
            Cell::new(format!("{prefix}{}", words::plain(&node.name))),
            Cell::new(words::plain(&node.r#type)),
            Cell::new(words::plain(&node.template)),
            Cell::state(&words::plain(&node.phase)),
            Cell::new(took(&node.started_at, &node.finished_at)),
            Cell::new(words::plain(&node.message)),
        ]);
    }
    table
}

/// Draws each node once, below its first predecessor.
fn tree_lines(nodes: &[pb::WorkflowNode]) -> Vec<(String, &pb::WorkflowNode)> {
    let known: BTreeMap<&str, usize> = nodes
        .iter()
        .zip(0..)
        .map(|(node, index)| (node.id.as_str(), index))
        .collect();
    let below: BTreeSet<usize> = nodes
        .iter()
        .flat_map(|node| &node.children)
        .filter_map(|id| known.get(id.as_str()).copied())
        .collect();
    let children = |index: usize| {
        let children = nodes[index].children.iter();
        let children = children.filter_map(|id| known.get(id.as_str()).copied());
        children.collect()
    };
    let mut tree = Tree::new(nodes, children);
    let roots = (0..nodes.len()).filter(|index| !below.contains(index));
    // Nodes of a circle, which are below themselves, follow the roots.
    for index in roots.chain(0..nodes.len()) {
        tree.draw_root(index);
    }
    tree.into_lines()
}

#[cfg(test)]
mod tests;
