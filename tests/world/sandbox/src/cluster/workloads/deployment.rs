//! Deployments: the pods of a new template start, and the old ones end once all new ones are available.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    super::{object::is_deleting, refusal::Refusal},
    controller::{Condition, Controller, condition_of, desired, elapsed, without_zeros},
    replica_sets::{OwnerKind, ReplicaSets},
};

pub(super) const DEPLOYMENTS: OwnerKind = OwnerKind {
    id: "deployments.apps",
    hash_label: "pod-template-hash",
    revision_annotation: "deployment.kubernetes.io/revision",
};
/// Upper bound of `progressDeadlineSeconds`: a trial does not wait ten minutes to see a failure.
const LONGEST_DEADLINE: u64 = 10;
/// Times in a status have whole seconds.
const TIME_STEP: u64 = 1;

pub(super) fn reconcile(
    controller: &mut Controller<'_>,
    deployment: &Value,
) -> Result<Option<Duration>, Refusal> {
    if is_deleting(deployment) {
        return Ok(None);
    }
    let mut sets = ReplicaSets::load(controller, deployment, &DEPLOYMENTS)?;
    let deployment = sets.annotate_owner(controller, deployment)?;
    if deployment["spec"]["paused"] != true {
        let wanted = desired(&deployment, "replicas");
        // Old pods serve until then, so a template that never starts takes nothing away.
        let is_available = sets.updated("availableReplicas") >= wanted;
        let current = sets.hash.clone();
        sets.scale(controller, |hash| {
            if hash == current {
                Some(wanted)
            } else {
                is_available.then_some(0)
            }
        })?;
    }
    let wait = report(controller, &deployment, &sets)?;
    let kept = deployment["spec"]["revisionHistoryLimit"].as_u64();
    sets.drop_history(
        controller,
        usize::try_from(kept.unwrap_or(10)).unwrap_or(usize::MAX),
    )?;
    Ok(wait)
}

/// Writes the status; returns when to look again.
fn report(
    controller: &mut Controller<'_>,
    deployment: &Value,
    sets: &ReplicaSets,
) -> Result<Option<Duration>, Refusal> {
    let wanted = desired(deployment, "replicas");
    let (replicas, updated) = (sets.total("replicas"), sets.updated("replicas"));
    let available = sets.total("availableReplicas");
    let mut status = without_zeros(json!({
        "replicas": replicas,
        "updatedReplicas": updated,
        "readyReplicas": sets.total("readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": wanted.max(replicas).saturating_sub(available),
        "observedGeneration": deployment["metadata"]["generation"],
    }));
    let before = &deployment["status"];
    let counts = status.as_object().into_iter().flatten();
    let is_still = counts
        .into_iter()
        .all(|(field, count)| before[field] == *count);
    let is_complete = updated == wanted
        && replicas == wanted
        && available >= wanted
        && !sets.current_name().is_empty();
    let availability = if available >= wanted - wanted / 4 {
        (
            true,
            "MinimumReplicasAvailable",
            "Deployment has minimum availability.",
        )
    } else {
        (
            false,
            "MinimumReplicasUnavailable",
            "Deployment does not have minimum availability.",
        )
    };
    let (holds, reason, message) = availability;
    let available = controller.condition(
        deployment,
        &Condition {
            kind: "Available",
            holds,
            reason,
            message,
            is_still: true,
        },
    );
    let (progressing, wait) = progress(controller, deployment, sets, is_complete, is_still);
    status["conditions"] = json!([available, progressing]);
    controller.write_status(DEPLOYMENTS.id, deployment, status)?;
    Ok(wait)
}

/// The condition by which clients tell a rollout that moves from one that is stuck, and when to look again.
fn progress(
    controller: &Controller<'_>,
    deployment: &Value,
    sets: &ReplicaSets,
    is_complete: bool,
    is_still: bool,
) -> (Value, Option<Duration>) {
    let set = sets.current_name();
    let held = condition_of(deployment, "Progressing").filter(|_| is_still);
    let deadline = deployment["spec"]["progressDeadlineSeconds"].as_u64();
    let limit = Duration::from_secs(deadline.unwrap_or(600).min(LONGEST_DEADLINE) + TIME_STEP);
    let waited = held.map_or(Duration::ZERO, |held| {
        elapsed(held["lastUpdateTime"].as_str().unwrap_or_default())
    });
    let is_late =
        waited >= limit || held.is_some_and(|held| held["reason"] == "ProgressDeadlineExceeded");
    let mut wait = None;
    let (reason, message) = if deployment["spec"]["paused"] == true {
        ("DeploymentPaused", "Deployment is paused".to_owned())
    } else if is_complete {
        let message = format!("ReplicaSet \"{set}\" has successfully progressed.");
        ("NewReplicaSetAvailable", message)
    } else if is_late {
        let message = format!("ReplicaSet \"{set}\" has timed out progressing.");
        ("ProgressDeadlineExceeded", message)
    } else {
        wait = Some((limit - waited).max(Duration::from_millis(100)));
        let message = format!("ReplicaSet \"{set}\" is progressing.");
        ("ReplicaSetUpdated", message)
    };
    let condition = Condition {
        kind: "Progressing",
        holds: reason != "ProgressDeadlineExceeded",
        reason,
        message: &message,
        is_still,
    };
    (controller.condition(deployment, &condition), wait)
}
