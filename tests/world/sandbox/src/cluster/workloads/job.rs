//! Jobs: pods that run once, until enough have succeeded.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    super::{
        object::{is_deleting, metadata_text},
        refusal::Refusal,
    },
    controller::{Condition, Controller, condition_of, desired, is_ready, pod_from},
    replica_set::active,
};

pub(super) fn reconcile(
    controller: &mut Controller<'_>,
    job: &Value,
) -> Result<Option<Duration>, Refusal> {
    if is_deleting(job) || condition_of(job, "Complete").is_some() || job["spec"]["suspend"] == true
    {
        return Ok(None);
    }
    let pods = controller.owned(job, "pods");
    let succeeded = pods
        .iter()
        .filter(|pod| pod["status"]["phase"] == "Succeeded")
        .count() as u64;
    let mut running = active(pods);
    let completions = desired(job, "completions");
    let wanted = desired(job, "parallelism").min(completions.saturating_sub(succeeded));
    while (running.len() as u64) < wanted {
        running.push(add_pod(controller, job)?);
    }
    let now = controller.context.now;
    let mut status = json!({
        "startTime": job["status"]["startTime"].as_str().unwrap_or(now),
        "active": running.len(),
        "ready": running.iter().filter(|pod| is_ready(pod)).count(),
        "succeeded": succeeded,
        "terminating": 0,
    });
    if succeeded >= completions {
        let condition = |kind| {
            let message = "Reached expected number of succeeded pods";
            let wanted = Condition {
                kind,
                holds: true,
                reason: "CompletionsReached",
                message,
                is_still: true,
            };
            controller.condition(job, &wanted)
        };
        status["completionTime"] = now.into();
        status["conditions"] = json!([condition("SuccessCriteriaMet"), condition("Complete")]);
    }
    controller.write_status("jobs.batch", job, status)?;
    Ok(None)
}

fn add_pod(controller: &mut Controller<'_>, job: &Value) -> Result<Value, Refusal> {
    let name = metadata_text(job, "name");
    let labels = [("job-name", name), ("batch.kubernetes.io/job-name", name)];
    let mut pod = pod_from(job, &labels);
    pod["metadata"]["generateName"] = format!("{name}-").into();
    controller.create("pods", metadata_text(job, "namespace"), pod)
}
