//! Health of a resource by its own status, as the health checks of Argo CD read it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::manifest::{items, metadata, number, text};

/// Health from best to worst; an application has the worst health of its resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum HealthCode {
    #[default]
    Healthy,
    Suspended,
    Progressing,
    Missing,
    Degraded,
    Unknown,
}

/// A verdict and, where there is more to say, why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Health {
    pub(crate) code: HealthCode,
    pub(crate) message: String,
}

impl HealthCode {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Healthy => "Healthy",
            Self::Suspended => "Suspended",
            Self::Progressing => "Progressing",
            Self::Missing => "Missing",
            Self::Degraded => "Degraded",
            Self::Unknown => "Unknown",
        }
    }
}

fn health(code: HealthCode, message: impl Into<String>) -> Health {
    Health {
        code,
        message: message.into(),
    }
}

fn progressing(message: impl Into<String>) -> Health {
    health(HealthCode::Progressing, message)
}

fn degraded(message: impl Into<String>) -> Health {
    health(HealthCode::Degraded, message)
}

/// The health of a live object; nothing for kinds that have none.
pub(crate) fn assess(live: &Value) -> Option<Health> {
    if !metadata(live, "deletionTimestamp").is_empty() {
        return Some(progressing("Pending deletion"));
    }
    let api_version = text(live, "/apiVersion");
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    Some(match (group, text(live, "/kind")) {
        ("apps", "Deployment") => deployment(live),
        ("apps", "ReplicaSet") => replica_set(live),
        ("", "Pod") => pod(live),
        ("", "Service") => Health::default(),
        ("argoproj.io", "Rollout") => rollout(live),
        _ => return None,
    })
}

/// True where a missing resource of this kind makes its application unhealthy.
pub(crate) fn has_check(group: &str, kind: &str) -> bool {
    matches!(
        (group, kind),
        ("apps", "Deployment" | "ReplicaSet")
            | ("", "Pod" | "Service")
            | ("argoproj.io", "Rollout")
    )
}

/// The controller has not looked at the newest spec yet.
fn is_stale(live: &Value) -> bool {
    let observed = number(live, "/status/observedGeneration").unwrap_or(0);
    number(live, "/metadata/generation").is_some_and(|generation| observed < generation)
}

fn condition<'a>(live: &'a Value, kind: &str) -> Option<&'a Value> {
    items(live, "/status/conditions")
        .iter()
        .find(|condition| text(condition, "/type") == kind)
}

/// Maps `status.phase` as the health script of Argo CD does.
fn rollout(live: &Value) -> Health {
    let message = text(live, "/status/message");
    match text(live, "/status/phase") {
        "Healthy" => health(HealthCode::Healthy, message),
        "Degraded" => health(HealthCode::Degraded, message),
        "Paused" => health(HealthCode::Suspended, message),
        _ => progressing("Waiting for rollout to finish: status has not been set"),
    }
}

fn deployment(live: &Value) -> Health {
    if live.pointer("/spec/paused").and_then(Value::as_bool) == Some(true) {
        return health(HealthCode::Suspended, "Deployment is paused");
    }
    if is_stale(live) {
        return progressing(
            "Waiting for rollout to finish: observed deployment generation less than desired generation",
        );
    }
    let name = metadata(live, "name");
    let late = condition(live, "Progressing")
        .is_some_and(|it| text(it, "/reason") == "ProgressDeadlineExceeded");
    if late {
        return degraded(format!(
            "Deployment \"{name}\" exceeded its progress deadline"
        ));
    }
    let wanted = number(live, "/spec/replicas").unwrap_or(1);
    let count = |field: &str| number(live, &format!("/status/{field}")).unwrap_or(0);
    let (updated, total, available) = (
        count("updatedReplicas"),
        count("replicas"),
        count("availableReplicas"),
    );
    if updated < wanted {
        progressing(format!(
            "Waiting for rollout to finish: {updated} out of {wanted} new replicas have been updated..."
        ))
    } else if total > updated {
        progressing(format!(
            "Waiting for rollout to finish: {} old replicas are pending termination...",
            total - updated
        ))
    } else if available < updated {
        progressing(format!(
            "Waiting for rollout to finish: {available} of {updated} updated replicas are available..."
        ))
    } else {
        Health::default()
    }
}

fn replica_set(live: &Value) -> Health {
    if is_stale(live) {
        return progressing(
            "Waiting for rollout to finish: observed replica set generation less than desired generation",
        );
    }
    let failure = condition(live, "ReplicaFailure").filter(|it| text(it, "/status") == "True");
    if let Some(failure) = failure {
        return degraded(text(failure, "/message"));
    }
    let wanted = number(live, "/spec/replicas").unwrap_or(1);
    let available = number(live, "/status/availableReplicas").unwrap_or(0);
    if available < wanted {
        return progressing(format!(
            "Waiting for rollout to finish: {available} out of {wanted} new replicas are available..."
        ));
    }
    Health::default()
}

/// A container that cannot start is a failure even while the pod's phase says otherwise.
fn pod(live: &Value) -> Health {
    let waiting = items(live, "/status/containerStatuses")
        .iter()
        .find_map(|container| {
            let reason = text(container, "/state/waiting/reason");
            let hopeless = reason.starts_with("Err")
                || reason.ends_with("Error")
                || reason.ends_with("BackOff");
            hopeless.then(|| text(container, "/state/waiting/message"))
        });
    let restarts = text(live, "/spec/restartPolicy");
    if let Some(message) = waiting.filter(|_| !matches!(restarts, "OnFailure" | "Never")) {
        return degraded(message);
    }
    let ready = condition(live, "Ready").is_some_and(|it| text(it, "/status") == "True");
    let message = text(live, "/status/message");
    match text(live, "/status/phase") {
        "Succeeded" => health(HealthCode::Healthy, message),
        "Failed" => degraded(message),
        "Running" if matches!(restarts, "OnFailure" | "Never") => progressing(message),
        "Running" if ready => health(HealthCode::Healthy, message),
        "Running" | "Pending" => progressing(message),
        _ => health(HealthCode::Unknown, message),
    }
}

#[cfg(test)]
mod tests;
