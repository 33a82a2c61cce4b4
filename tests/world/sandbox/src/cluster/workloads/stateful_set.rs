//! StatefulSets: numbered pods, one after the other.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    super::{
        object::{is_deleting, metadata_text},
        refusal::Refusal,
    },
    controller::{Controller, desired, is_ready, label, pod_from, template_hash, without_zeros},
};

const REVISION: &str = "controller-revision-hash";

pub(super) fn reconcile(
    controller: &mut Controller<'_>,
    set: &Value,
) -> Result<Option<Duration>, Refusal> {
    if is_deleting(set) {
        return Ok(None);
    }
    let name = metadata_text(set, "name");
    let revision = format!("{name}-{}", template_hash(&set["spec"]["template"]));
    let wanted = desired(set, "replicas");
    let is_parallel = set["spec"]["podManagementPolicy"] == "Parallel";
    let mut pods: Vec<(u64, Value)> = controller
        .owned(set, "pods")
        .into_iter()
        .filter_map(|pod| Some((ordinal(name, &pod)?, pod)))
        .collect();
    pods.sort_by_key(|(ordinal, _)| *ordinal);
    let is_calm = pods.iter().all(|(_, pod)| is_ready(pod));
    let missing = (0..wanted).find(|number| pods.iter().all(|(ordinal, _)| ordinal != number));
    let stale = pods
        .iter()
        .rev()
        .find(|(_, pod)| label(pod, REVISION) != revision);
    if let Some((_, surplus)) = pods.last().filter(|(ordinal, _)| *ordinal >= wanted) {
        controller.delete("pods", surplus)?;
    } else if let Some(number) = missing.filter(|_| is_calm || is_parallel) {
        add_pod(controller, set, number, &revision)?;
    } else if let Some((_, stale)) = stale.filter(|(_, pod)| is_calm || !is_ready(pod)) {
        controller.delete("pods", stale)?;
    }
    report(controller, set, &revision)?;
    Ok(None)
}

fn ordinal(name: &str, pod: &Value) -> Option<u64> {
    metadata_text(pod, "name")
        .strip_prefix(name)?
        .strip_prefix('-')?
        .parse()
        .ok()
}

fn add_pod(
    controller: &mut Controller<'_>,
    set: &Value,
    number: u64,
    revision: &str,
) -> Result<(), Refusal> {
    let name = format!("{}-{number}", metadata_text(set, "name"));
    let labels = [
        (REVISION, revision),
        ("statefulset.kubernetes.io/pod-name", name.as_str()),
    ];
    let mut pod = pod_from(set, &labels);
    pod["metadata"]["name"] = name.as_str().into();
    controller
        .create("pods", metadata_text(set, "namespace"), pod)
        .map(drop)
}

fn report(controller: &mut Controller<'_>, set: &Value, revision: &str) -> Result<(), Refusal> {
    let pods = controller.owned(set, "pods");
    let ready = pods.iter().filter(|pod| is_ready(pod)).count();
    let updated = pods
        .iter()
        .filter(|pod| label(pod, REVISION) == revision)
        .count();
    let is_done = updated == pods.len() && ready == pods.len();
    let known = set["status"]["currentRevision"]
        .as_str()
        .unwrap_or(revision);
    let current = if is_done { revision } else { known };
    let counted = pods
        .iter()
        .filter(|pod| label(pod, REVISION) == current)
        .count();
    let mut status = without_zeros(json!({
        "observedGeneration": set["metadata"]["generation"],
        "readyReplicas": ready,
        "currentReplicas": counted,
        "updatedReplicas": updated,
        "currentRevision": current,
        "updateRevision": revision,
    }));
    status["replicas"] = pods.len().into();
    status["availableReplicas"] = ready.into();
    status["collisionCount"] = 0.into();
    controller
        .write_status("statefulsets.apps", set, status)
        .map(drop)
}
