//! ReplicaSets: as many pods as are wanted.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    super::{
        object::{is_deleting, metadata_text},
        refusal::Refusal,
    },
    controller::{Controller, desired, is_ready, pod_from, without_zeros},
};

pub(super) fn reconcile(
    controller: &mut Controller<'_>,
    set: &Value,
) -> Result<Option<Duration>, Refusal> {
    if is_deleting(set) {
        return Ok(None);
    }
    let mut pods = active(controller.owned(set, "pods"));
    let wanted = usize::try_from(desired(set, "replicas")).unwrap_or(usize::MAX);
    while pods.len() < wanted {
        pods.push(add_pod(controller, set)?);
    }
    // unready and young ones go first
    pods.sort_by_key(|pod| (!is_ready(pod), std::cmp::Reverse(age_key(pod))));
    pods.sort_by_key(|pod| !is_ready(pod));
    for surplus in pods.drain(wanted..).collect::<Vec<_>>() {
        controller.delete("pods", &surplus)?;
    }
    let ready = pods.iter().filter(|pod| is_ready(pod)).count();
    let mut status = without_zeros(json!({
        "fullyLabeledReplicas": pods.len(),
        "readyReplicas": ready,
        "availableReplicas": ready,
        "observedGeneration": set["metadata"]["generation"],
    }));
    status["replicas"] = pods.len().into();
    controller.write_status("replicasets.apps", set, status)?;
    Ok(None)
}

fn age_key(pod: &Value) -> String {
    metadata_text(pod, "creationTimestamp").to_owned()
}

fn add_pod(controller: &mut Controller<'_>, set: &Value) -> Result<Value, Refusal> {
    let mut pod = pod_from(set, &[]);
    pod["metadata"]["generateName"] = format!("{}-", metadata_text(set, "name")).into();
    controller.create("pods", metadata_text(set, "namespace"), pod)
}

/// Pods that still count.
pub(super) fn active(mut pods: Vec<Value>) -> Vec<Value> {
    pods.retain(|pod| pod["status"]["phase"] != "Failed" && pod["status"]["phase"] != "Succeeded");
    pods
}
