//! Health of an object, by Argo CD's rules.

use causeway_proto::inventory::v1 as pb;

use super::short;
use crate::{
    detail::{Detail, ReplicaSet},
    object::Object,
};

/// Returns the health; none for events and for kinds without a rule.
pub(super) fn to_health(object: &Object) -> Option<pb::HealthState> {
    let (status, message) = match &object.detail {
        Detail::Rollout(it) => (of_phase(&it.status.phase), it.status.message.as_str()),
        Detail::ReplicaSet(set) => of_replica_set(set),
        Detail::AnalysisRun(it) => (of_phase(&it.status.phase), it.status.message.as_str()),
        Detail::Workflow(it) => (of_phase(&it.status.phase), it.status.message.as_str()),
        Detail::Event(_) | Detail::Other(_) => return None,
    };
    Some(pb::HealthState {
        status: status.into(),
        message: short(message),
        since: None,
    })
}

fn of_phase(phase: &str) -> pb::HealthStatus {
    match phase {
        "Healthy" | "Successful" | "Succeeded" => pb::HealthStatus::Healthy,
        "" | "Progressing" | "Pending" | "Running" => pb::HealthStatus::Progressing,
        "Paused" => pb::HealthStatus::Suspended,
        "Degraded" | "Failed" | "Error" => pb::HealthStatus::Degraded,
        _ => pb::HealthStatus::Unknown,
    }
}

fn of_replica_set(set: &ReplicaSet) -> (pb::HealthStatus, &str) {
    let failed = |kind: &str, status: &str| kind == "ReplicaFailure" && status == "True";
    let mut conditions = set.status.conditions.iter();
    if let Some(failure) = conditions.find(|it| failed(&it.kind, &it.status)) {
        return (pb::HealthStatus::Degraded, &failure.message);
    }
    if set.status.available_replicas < set.spec.replicas.unwrap_or(1) {
        (pb::HealthStatus::Progressing, "")
    } else {
        (pb::HealthStatus::Healthy, "")
    }
}
