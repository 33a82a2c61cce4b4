//! Deployments: one ReplicaSet per template, rolled from the old ones to the new one.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    super::{
        object::{is_deleting, metadata_text, set_metadata},
        refusal::Refusal,
    },
    controller::{
        Condition, Controller, condition_of, desired, elapsed, label, owner_reference,
        template_hash, without_zeros,
    },
    rolling::{Counts, Limits, next},
};

const SETS: &str = "replicasets.apps";
const HASH: &str = "pod-template-hash";
const REVISION: &str = "deployment.kubernetes.io/revision";
/// A trial does not wait ten minutes to see that something is wrong.
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
    let hash = template_hash(&deployment["spec"]["template"]);
    let (mut new, mut old): (Vec<Value>, Vec<Value>) = controller
        .owned(deployment, SETS)
        .into_iter()
        .partition(|set| label(set, HASH) == hash);
    let is_paused = deployment["spec"]["paused"] == true;
    let highest = new.iter().chain(&old).map(revision_of).max().unwrap_or(0);
    if new.is_empty() && !is_paused {
        new.push(add_set(controller, deployment, &hash, highest + 1)?);
    }
    let deployment = match new.first_mut() {
        Some(new) => keep_revision(controller, deployment, new, &old)?,
        None => deployment.clone(),
    };
    if !is_paused {
        roll(controller, &deployment, &mut new, &mut old)?;
    }
    let wait = report(controller, &deployment, &new, &old)?;
    drop_history(controller, &deployment, old)?;
    Ok(wait)
}

fn add_set(
    controller: &mut Controller<'_>,
    deployment: &Value,
    hash: &str,
    revision: u64,
) -> Result<Value, Refusal> {
    let mut template = deployment["spec"]["template"].clone();
    template["metadata"]["labels"][HASH] = hash.into();
    let mut selector = deployment["spec"]["selector"].clone();
    selector["matchLabels"][HASH] = hash.into();
    let set = json!({
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": format!("{}-{hash}", metadata_text(deployment, "name")),
            "labels": template["metadata"]["labels"],
            "annotations": { REVISION: revision.to_string() },
            "ownerReferences": owner_reference(deployment),
        },
        "spec": { "replicas": 0, "selector": selector, "template": template },
    });
    controller.create(SETS, metadata_text(deployment, "namespace"), set)
}

/// The current ReplicaSet has the highest revision, and the Deployment says which.
fn keep_revision(
    controller: &mut Controller<'_>,
    deployment: &Value,
    new: &mut Value,
    old: &[Value],
) -> Result<Value, Refusal> {
    let highest_old = old.iter().map(revision_of).max().unwrap_or(0);
    let revision = revision_of(new).max(highest_old + 1);
    if revision != revision_of(new) {
        annotate(new, &revision.to_string());
        *new = controller.write(SETS, new)?;
    }
    let mut deployment = deployment.clone();
    if revision_of(&deployment) == revision {
        return Ok(deployment);
    }
    annotate(&mut deployment, &revision.to_string());
    controller.write("deployments.apps", &deployment)
}

fn annotate(object: &mut Value, revision: &str) {
    let mut annotations = object["metadata"]["annotations"].clone();
    annotations[REVISION] = revision.into();
    set_metadata(object, "annotations", annotations);
}

fn revision_of(object: &Value) -> u64 {
    let text = object["metadata"]["annotations"][REVISION].as_str();
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn roll(
    controller: &mut Controller<'_>,
    deployment: &Value,
    new: &mut [Value],
    old: &mut [Value],
) -> Result<(), Refusal> {
    let wanted = desired(deployment, "replicas");
    let counts = Counts {
        desired: wanted,
        new: total(new, "/spec/replicas"),
        new_available: total(new, "/status/availableReplicas"),
        old: total(old, "/spec/replicas"),
        old_available: total(old, "/status/availableReplicas"),
    };
    let (new_next, old_next) = next(counts, Limits::of(&deployment["spec"]["strategy"], wanted));
    if let Some(new) = new.first_mut() {
        scale(controller, new, new_next)?;
    }
    let mut surplus = counts.old.saturating_sub(old_next);
    // those without a running pod go first
    old.sort_by_key(|set| set["status"]["availableReplicas"].as_u64().unwrap_or(0));
    for set in old {
        let has = set["spec"]["replicas"].as_u64().unwrap_or(0);
        let taken = has.min(surplus);
        surplus -= taken;
        scale(controller, set, has - taken)?;
    }
    Ok(())
}

fn scale(controller: &mut Controller<'_>, set: &mut Value, replicas: u64) -> Result<(), Refusal> {
    if set["spec"]["replicas"] != replicas {
        set["spec"]["replicas"] = replicas.into();
        *set = controller.write(SETS, set)?;
    }
    Ok(())
}

fn total(sets: &[Value], path: &str) -> u64 {
    sets.iter()
        .filter_map(|set| set.pointer(path)?.as_u64())
        .sum()
}

fn report(
    controller: &mut Controller<'_>,
    deployment: &Value,
    new: &[Value],
    old: &[Value],
) -> Result<Option<Duration>, Refusal> {
    let wanted = desired(deployment, "replicas");
    let both = |path: &str| total(new, path) + total(old, path);
    let (replicas, updated) = (both("/status/replicas"), total(new, "/status/replicas"));
    let available = both("/status/availableReplicas");
    let mut status = without_zeros(json!({
        "replicas": replicas,
        "updatedReplicas": updated,
        "readyReplicas": both("/status/readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": wanted.max(replicas).saturating_sub(available),
    }));
    let is_complete =
        updated == wanted && replicas == wanted && available >= wanted && !new.is_empty();
    let is_still = [
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
    ]
    .iter()
    .all(|field| deployment["status"].get(*field) == status.get(*field))
        && deployment["status"]["observedGeneration"] == deployment["metadata"]["generation"];
    let (progressing, wait) = progress(controller, deployment, new.first(), is_complete, is_still);
    let limits = Limits::of(&deployment["spec"]["strategy"], wanted);
    let is_available = available >= limits.map_or(wanted, |limits| limits.least_available(wanted));
    status["observedGeneration"] = deployment["metadata"]["generation"].clone();
    status["conditions"] = json!([
        availability(controller, deployment, is_available),
        progressing
    ]);
    controller.write_status("deployments.apps", deployment, status)?;
    Ok(wait)
}

fn availability(controller: &Controller<'_>, deployment: &Value, is_available: bool) -> Value {
    let (reason, message) = if is_available {
        (
            "MinimumReplicasAvailable",
            "Deployment has minimum availability.",
        )
    } else {
        (
            "MinimumReplicasUnavailable",
            "Deployment does not have minimum availability.",
        )
    };
    let wanted = Condition {
        kind: "Available",
        holds: is_available,
        reason,
        message,
        is_still: true,
    };
    controller.condition(deployment, &wanted)
}

/// The condition by which clients tell a rollout that moves from one that is stuck, and when to look again.
fn progress(
    controller: &Controller<'_>,
    deployment: &Value,
    new: Option<&Value>,
    is_complete: bool,
    is_still: bool,
) -> (Value, Option<Duration>) {
    let set = new.map_or("", |new| metadata_text(new, "name"));
    let held = condition_of(deployment, "Progressing").filter(|_| is_still);
    let limit = Duration::from_secs(
        deployment["spec"]["progressDeadlineSeconds"]
            .as_u64()
            .unwrap_or(600)
            .min(LONGEST_DEADLINE)
            + TIME_STEP,
    );
    let waited = held.map_or(Duration::ZERO, |held| {
        elapsed(held["lastUpdateTime"].as_str().unwrap_or_default())
    });
    let is_late =
        waited >= limit || held.is_some_and(|held| held["reason"] == "ProgressDeadlineExceeded");
    let (holds, reason, message, wait) = if deployment["spec"]["paused"] == true {
        (
            true,
            "DeploymentPaused",
            "Deployment is paused".to_owned(),
            None,
        )
    } else if is_complete {
        (
            true,
            "NewReplicaSetAvailable",
            format!("ReplicaSet \"{set}\" has successfully progressed."),
            None,
        )
    } else if is_late {
        (
            false,
            "ProgressDeadlineExceeded",
            format!("ReplicaSet \"{set}\" has timed out progressing."),
            None,
        )
    } else {
        let message = format!("ReplicaSet \"{set}\" is progressing.");
        (
            true,
            "ReplicaSetUpdated",
            message,
            Some((limit - waited).max(Duration::from_millis(100))),
        )
    };
    let wanted = Condition {
        kind: "Progressing",
        holds,
        reason,
        message: &message,
        is_still,
    };
    (controller.condition(deployment, &wanted), wait)
}

/// Old ReplicaSets beyond the history that is kept.
fn drop_history(
    controller: &mut Controller<'_>,
    deployment: &Value,
    mut old: Vec<Value>,
) -> Result<(), Refusal> {
    let kept = deployment["spec"]["revisionHistoryLimit"]
        .as_u64()
        .unwrap_or(10);
    let kept = usize::try_from(kept).unwrap_or(usize::MAX);
    old.retain(|set| {
        set["spec"]["replicas"] == 0 && set["status"]["replicas"].as_u64().unwrap_or(0) == 0
    });
    old.sort_by_key(|set| std::cmp::Reverse(revision_of(set)));
    for set in old.iter().skip(kept) {
        controller.delete(SETS, set)?;
    }
    Ok(())
}
