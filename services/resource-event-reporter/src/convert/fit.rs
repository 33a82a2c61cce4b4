//! Truncates fields to the inventory's limits, so that no object is rejected for its size.

use causeway_proto::inventory::v1::{self as pb, resource_state::Detail};

use super::cut;

const MAX_NAME_BYTES: usize = 253;
const LONGEST_LABEL: usize = 512;
const MOST_LABELS: usize = 1_000;
const LONGEST_IMAGE: usize = 512;
/// Maximum number of children of all nodes of a Workflow together.
const MAX_CHILDREN: usize = 5_000;

pub(super) fn fit(state: &mut pb::ResourceState) {
    names([&mut state.group, &mut state.version, &mut state.kind]);
    let fits =
        |label: &str, value: &str| label.len() <= LONGEST_LABEL && value.len() <= LONGEST_LABEL;
    state.labels.retain(|label, value| fits(label, value));
    while state.labels.len() > MOST_LABELS {
        state.labels.pop_last();
    }
    for owner in &mut state.owners {
        names([
            &mut owner.group,
            &mut owner.kind,
            &mut owner.name,
            &mut owner.uid,
        ]);
    }
    images(&mut state.images);
    match &mut state.detail {
        Some(Detail::Rollout(it)) => rollout(it),
        Some(Detail::Workflow(it)) => workflow(it),
        Some(Detail::Event(it)) => event(it),
        Some(Detail::ReplicaSet(_) | Detail::AnalysisRun(_)) | None => {}
    }
}

fn rollout(rollout: &mut pb::Rollout) {
    names([&mut rollout.stable_revision, &mut rollout.current_revision]);
    for revision in &mut rollout.revisions {
        names([&mut revision.replica_set, &mut revision.pod_template_hash]);
        images(&mut revision.images);
        for run in &mut revision.analysis_runs {
            names([&mut run.name, &mut run.phase]);
        }
    }
}

fn workflow(workflow: &mut pb::Workflow) {
    names([&mut workflow.template_reference]);
    let mut room = MAX_CHILDREN;
    for node in &mut workflow.nodes {
        node.children.truncate(room);
        room -= node.children.len();
        names([&mut node.id]);
        node.children.iter_mut().for_each(|child| names([child]));
    }
}

fn event(event: &mut pb::KubernetesEvent) {
    if let Some(regarding) = &mut event.regarding {
        names([
            &mut regarding.group,
            &mut regarding.kind,
            &mut regarding.namespace,
            &mut regarding.name,
            &mut regarding.uid,
        ]);
    }
}

/// Removes images that are too long: a truncated name would be another image.
fn images(images: &mut Vec<String>) {
    images.retain(|image| image.len() <= LONGEST_IMAGE);
}

fn names<const COUNT: usize>(names: [&mut String; COUNT]) {
    for name in names {
        if name.len() > MAX_NAME_BYTES {
            *name = cut(name, MAX_NAME_BYTES);
        }
    }
}
