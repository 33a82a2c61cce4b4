//! Pods: pending, then running and ready after a while, or waiting for an image that there is not.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    super::{object::metadata_text, refusal::Refusal},
    controller::{Condition, Controller, is_ready},
};

/// Words in an image that make it one that cannot be pulled.
const BROKEN: [&str; 2] = ["broken", "does-not-exist"];

pub(super) fn reconcile(
    controller: &mut Controller<'_>,
    pod: &Value,
) -> Result<Option<Duration>, Refusal> {
    let phase = pod["status"]["phase"].as_str().unwrap_or_default();
    let is_broken = images(pod).any(is_unpullable);
    let runs_once = pod["spec"]["restartPolicy"] != "Always";
    let age = controller.age(pod);
    match phase {
        "Pending" if is_broken && is_waiting_for_image(pod) => Ok(None),
        "Pending" => start(controller, pod, age, is_broken),
        "Running" if runs_once && is_ready(pod) => finish(controller, pod, age),
        _ => Ok(None),
    }
}

fn start(
    controller: &mut Controller<'_>,
    pod: &Value,
    age: Duration,
    is_broken: bool,
) -> Result<Option<Duration>, Refusal> {
    if let Some(left) = left(controller.life.start, age) {
        return Ok(Some(left));
    }
    let now = controller.context.now;
    let states = |container: &Value| match container["image"]
        .as_str()
        .filter(|image| is_unpullable(image))
    {
        Some(image) => {
            let message = format!("Back-off pulling image \"{image}\"");
            json!({ "waiting": { "reason": "ImagePullBackOff", "message": message } })
        }
        None => json!({ "running": { "startedAt": now } }),
    };
    let phase = if is_broken { "Pending" } else { "Running" };
    let status = status(controller, pod, phase, !is_broken, &states);
    controller.write_status("pods", pod, status)?;
    let ends = pod["spec"]["restartPolicy"] != "Always";
    Ok(controller.life.run.filter(|_| ends))
}

fn finish(
    controller: &mut Controller<'_>,
    pod: &Value,
    age: Duration,
) -> Result<Option<Duration>, Refusal> {
    let Some(run) = controller.life.run else {
        return Ok(None);
    };
    if let Some(left) = left(controller.life.start + run, age) {
        return Ok(Some(left));
    }
    let now = controller.context.now;
    let states = |_: &Value| json!({ "terminated": { "exitCode": 0, "reason": "Completed", "startedAt": metadata_text(pod, "creationTimestamp"), "finishedAt": now } });
    let status = status(controller, pod, "Succeeded", false, &states);
    controller.write_status("pods", pod, status)?;
    Ok(None)
}

/// Remaining time of `whole`.
fn left(whole: Duration, age: Duration) -> Option<Duration> {
    whole.checked_sub(age).filter(|left| !left.is_zero())
}

fn status(
    controller: &Controller<'_>,
    pod: &Value,
    phase: &str,
    ready: bool,
    states: &dyn Fn(&Value) -> Value,
) -> Value {
    let containers = pod["spec"]["containers"].as_array().into_iter().flatten();
    let containers: Vec<Value> = containers
        .map(|container| {
            let state = states(container);
            let runs = ready && state.get("running").is_some();
            json!({
                "name": container["name"], "image": container["image"], "imageID": "", "restartCount": 0,
                "ready": runs, "started": runs, "state": state, "lastState": {},
            })
        })
        .collect();
    let condition = |kind, holds, reason| {
        let wanted = Condition {
            kind,
            holds,
            reason,
            message: "",
            is_still: true,
        };
        controller.condition(pod, &wanted)
    };
    let why = match (ready, phase) {
        (true, _) => "",
        (false, "Succeeded") => "PodCompleted",
        (false, _) => "ContainersNotReady",
    };
    let mut status = pod["status"].clone();
    status["phase"] = phase.into();
    status["containerStatuses"] = containers.into();
    status["conditions"] = json!([
        condition("PodScheduled", true, ""),
        condition("Initialized", true, ""),
        condition("ContainersReady", ready, why),
        condition("Ready", ready, why),
    ]);
    status
}

fn images(pod: &Value) -> impl Iterator<Item = &str> {
    let containers = pod["spec"]["containers"].as_array().into_iter().flatten();
    containers.filter_map(|container| container["image"].as_str())
}

fn is_unpullable(image: &str) -> bool {
    BROKEN.iter().any(|word| image.contains(word))
}

fn is_waiting_for_image(pod: &Value) -> bool {
    let containers = pod["status"]["containerStatuses"]
        .as_array()
        .into_iter()
        .flatten();
    containers.into_iter().any(|container| {
        container.pointer("/state/waiting/reason") == Some(&"ImagePullBackOff".into())
    })
}
