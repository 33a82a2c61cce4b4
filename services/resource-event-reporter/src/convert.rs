//! Converts domain types to protobuf messages. Equal inputs give equal bytes and an equal root digest.

mod fit;
mod health;
mod rollout;

use causeway_argocd::application::to_millis;
use causeway_proto::{inventory::v1 as pb, time::millis_to_timestamp};
use causeway_reporting::Digest;
use prost::Message as _;
use prost_types::Timestamp;

use crate::{
    detail::{AnalysisRun, Detail, Event, MetricResult, Node, ReplicaSet, Workflow},
    object::{Object, Owner},
    owners::{ApplicationName, Owners},
};

/// Maximum bytes of a text.
const MAX_TEXT_BYTES: usize = 4096;
const LONGEST_VALUE: usize = 256;
const MOST_NODES: usize = 500;
const MOST_METRICS: usize = 100;
const MOST_OWNERS: usize = 16;
const MOST_IMAGES: usize = 100;

/// Returns the full state with its root digest.
pub(crate) fn to_state(object: &Object, owners: &Owners) -> (pb::ResourceState, Digest) {
    let mut state = pb::ResourceState {
        root_digest: bytes::Bytes::new(),
        labels: object.labels.clone(),
        created_at_ms: to_millis(object.created_at.as_deref()).unwrap_or(0),
        deletion_requested_at_ms: to_millis(object.deletion_requested_at.as_deref()).unwrap_or(0),
        group: object.name.group.clone(),
        version: object.name.version.clone(),
        kind: object.name.kind.clone(),
        owners: object
            .owners
            .iter()
            .take(MOST_OWNERS)
            .map(to_owner)
            .collect(),
        application: owners.application.as_ref().map(to_application),
        health: health::to_health(object),
        images: object
            .detail
            .images()
            .into_iter()
            .take(MOST_IMAGES)
            .collect(),
        manifest_digest: object
            .manifest
            .as_ref()
            .map(|it| it.digest.to_bytes())
            .unwrap_or_default(),
        detail: to_detail(object, owners),
    };
    fit::fit(&mut state);
    let root = Digest::compute(&state.encode_to_vec());
    state.root_digest = root.to_bytes();
    (state, root)
}

fn to_detail(object: &Object, owners: &Owners) -> Option<pb::resource_state::Detail> {
    use pb::resource_state::Detail as To;
    Some(match &object.detail {
        Detail::Rollout(rollout) => To::Rollout(rollout::to_rollout(rollout, &owners.children)),
        Detail::ReplicaSet(set) => To::ReplicaSet(to_replica_set(object, set)),
        Detail::AnalysisRun(run) => To::AnalysisRun(to_analysis_run(run)),
        Detail::Workflow(workflow) => To::Workflow(to_workflow(workflow)),
        Detail::Event(event) => To::Event(to_event(event)),
        Detail::Other(_) => return None,
    })
}

fn to_owner(owner: &Owner) -> pb::ResourceOwner {
    pb::ResourceOwner {
        group: owner.of.group.clone(),
        kind: owner.of.kind.clone(),
        name: owner.name.clone(),
        uid: owner.uid.clone(),
        controller: owner.controller,
    }
}

fn to_application(name: &ApplicationName) -> pb::ApplicationReference {
    pb::ApplicationReference {
        cluster: name.cluster.clone(),
        namespace: name.namespace.clone(),
        name: name.name.clone(),
    }
}

fn to_replica_set(object: &Object, set: &ReplicaSet) -> pb::ReplicaSet {
    pb::ReplicaSet {
        revision: object.revision,
        desired_replicas: count(set.spec.replicas.unwrap_or(1)),
        ready_replicas: count(set.status.ready_replicas),
        available_replicas: count(set.status.available_replicas),
    }
}

fn to_analysis_run(run: &AnalysisRun) -> pb::AnalysisRun {
    let status = &run.status;
    let metrics = status.metric_results.iter().take(MOST_METRICS);
    pb::AnalysisRun {
        phase: short(&status.phase),
        message: short(&status.message),
        started_at: timestamp(status.started_at.as_deref()),
        metrics: metrics.map(to_metric).collect(),
    }
}

fn to_metric(metric: &MetricResult) -> pb::AnalysisMetric {
    let last = metric.measurements.last();
    pb::AnalysisMetric {
        name: short(&metric.name),
        phase: short(&metric.phase),
        message: short(&metric.message),
        successful: count(metric.successful),
        failed: count(metric.failed),
        inconclusive: count(metric.inconclusive),
        errors: count(metric.error),
        last_value: last.map_or_else(String::new, |it| cut(&it.value, LONGEST_VALUE)),
    }
}

fn to_workflow(workflow: &Workflow) -> pb::Workflow {
    let status = &workflow.status;
    let mut nodes: Vec<(&String, &Node)> = status.nodes.iter().collect();
    nodes.sort_by_key(|(id, node)| (to_millis(node.started_at.as_deref()), *id));
    pb::Workflow {
        phase: short(&status.phase),
        message: short(&status.message),
        progress: short(&status.progress),
        started_at: timestamp(status.started_at.as_deref()),
        finished_at: timestamp(status.finished_at.as_deref()),
        template_reference: workflow.spec.workflow_template_ref.name.clone(),
        nodes: nodes.into_iter().take(MOST_NODES).map(to_node).collect(),
        node_count: u32::try_from(status.nodes.len()).unwrap_or(u32::MAX),
    }
}

fn to_node((id, node): (&String, &Node)) -> pb::WorkflowNode {
    pb::WorkflowNode {
        id: id.clone(),
        name: cut(&node.display_name, LONGEST_VALUE),
        r#type: cut(&node.kind, LONGEST_VALUE),
        phase: cut(&node.phase, LONGEST_VALUE),
        message: cut(&node.message, LONGEST_VALUE),
        template: cut(&node.template_name, LONGEST_VALUE),
        children: node.children.iter().take(MOST_NODES).cloned().collect(),
        started_at: timestamp(node.started_at.as_deref()),
        finished_at: timestamp(node.finished_at.as_deref()),
    }
}

fn to_event(event: &Event) -> pb::KubernetesEvent {
    let first = event.first_timestamp.as_ref().or(event.event_time.as_ref());
    let series = event.series.last_observed_time.as_ref();
    let last = series.or(event.last_timestamp.as_ref()).or(first);
    let component = match event.reporting_component.as_str() {
        "" => &event.source.component,
        _ => &event.reporting_component,
    };
    let regarding = &event.involved_object;
    pb::KubernetesEvent {
        r#type: short(&event.kind),
        reason: short(&event.reason),
        message: short(&event.message),
        count: count(event.count.max(event.series.count).max(1)),
        first_seen: timestamp(first.map(String::as_str)),
        last_seen: timestamp(last.map(String::as_str)),
        reporting_component: short(component),
        regarding: Some(pb::ObjectReference {
            group: regarding.of().group,
            kind: regarding.kind.clone(),
            namespace: regarding.namespace.clone(),
            name: regarding.name.clone(),
            uid: regarding.uid.clone(),
        }),
    }
}

fn short(text: &str) -> String {
    cut(text, MAX_TEXT_BYTES)
}

/// Truncates a text to `longest` bytes.
fn cut(text: &str, longest: usize) -> String {
    if text.len() <= longest {
        text.to_owned()
    } else {
        let end = text.floor_char_boundary(longest - '…'.len_utf8());
        format!("{}…", &text[..end])
    }
}

fn count(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

fn timestamp(text: Option<&str>) -> Option<Timestamp> {
    to_millis(text).map(millis_to_timestamp)
}

#[cfg(test)]
mod tests;
