//! DaemonSets: one pod on the one node.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    super::{
        object::{is_deleting, metadata_text},
        refusal::Refusal,
    },
    controller::{Controller, is_ready, label, pod_from, template_hash},
};

const REVISION: &str = "controller-revision-hash";

pub(super) fn reconcile(
    controller: &mut Controller<'_>,
    set: &Value,
) -> Result<Option<Duration>, Refusal> {
    if is_deleting(set) {
        return Ok(None);
    }
    let revision = template_hash(&set["spec"]["template"]);
    let is_current = |pod: &Value| label(pod, REVISION) == revision;
    for stale in controller
        .owned(set, "pods")
        .iter()
        .filter(|pod| !is_current(pod))
    {
        controller.delete("pods", stale)?;
    }
    let mut pods = controller.owned(set, "pods");
    if pods.is_empty() {
        let mut pod = pod_from(set, &[(REVISION, &revision)]);
        pod["metadata"]["generateName"] = format!("{}-", metadata_text(set, "name")).into();
        pods.push(controller.create("pods", metadata_text(set, "namespace"), pod)?);
    }
    let ready = pods.iter().filter(|pod| is_ready(pod)).count();
    let status = json!({
        "observedGeneration": set["metadata"]["generation"],
        "desiredNumberScheduled": 1,
        "currentNumberScheduled": pods.len(),
        "updatedNumberScheduled": pods.len(),
        "numberMisscheduled": 0,
        "numberReady": ready,
        "numberAvailable": ready,
        "numberUnavailable": 1_usize.saturating_sub(ready),
    });
    controller.write_status("daemonsets.apps", set, status)?;
    Ok(None)
}
