//! An Application's status as Argo CD 3.5 writes it, and the part of it that a comparison yields.
//!
//! Resources carry no health here: that is in the resource tree, and `resourceHealthSource` says so.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    application::Application,
    compare::Comparison,
    health::HealthCode,
    operation::{History, OperationState},
    origin::Written,
};

const TREE: &str = "appTree";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Status {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) conditions: Vec<Condition>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) controller_namespace: String,
    pub(crate) health: HealthStatus,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) history: Vec<History>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) operation_state: Option<OperationState>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) reconciled_at: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) resource_health_source: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) resources: Vec<ResourceStatus>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) source_type: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) source_types: Vec<String>,
    #[serde(skip_serializing_if = "Summary::is_empty")]
    pub(crate) summary: Summary,
    pub(crate) sync: SyncStatus,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SyncCode {
    /// also the value before the first comparison
    #[default]
    #[serde(alias = "")]
    Unknown,
    Synced,
    OutOfSync,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SyncStatus {
    pub(crate) compared_to: ComparedTo,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) revision: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) revisions: Vec<String>,
    pub(crate) status: SyncCode,
}

/// Source and destination that were compared, as written in the spec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ComparedTo {
    pub(crate) destination: Value,
    #[serde(flatten)]
    pub(crate) written: Written,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct HealthStatus {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) last_transition_time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<HealthCode>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ResourceStatus {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) namespace: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) hook: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) requires_pruning: bool,
    /// a hook has none: it is not part of the state
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<SyncCode>,
    #[serde(skip_serializing_if = "super::application::is_zero")]
    pub(crate) sync_wave: i64,
    pub(crate) version: String,
}

/// Something that a person should see, of one kind, since when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Condition {
    pub(crate) last_transition_time: String,
    pub(crate) message: String,
    pub(crate) r#type: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Summary {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) images: Vec<String>,
}

impl Summary {
    fn is_empty(&self) -> bool {
        self.images.is_empty()
    }
}

/// Seconds are the finest that Argo CD writes.
pub(crate) fn stamp(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Conditions that a refresh sets and clears; others stay.
const OWN_CONDITIONS: [&str; 5] = [
    "ComparisonError",
    "InvalidSpecError",
    "SyncError",
    "RepeatedResourceWarning",
    "UnknownError",
];

impl Status {
    /// The status after a comparison. History and operation state are not a refresh's to change.
    pub(crate) fn refreshed(
        &self,
        application: &Application,
        comparison: &Comparison,
        control_plane: &str,
        now: Timestamp,
    ) -> Self {
        let spec = |pointer: &str| {
            application
                .object
                .pointer(pointer)
                .cloned()
                .unwrap_or_default()
        };
        let written = application.origin().map_or_else(
            |_| Written {
                source: spec("/spec/source"),
                sources: Vec::new(),
            },
            |origin| origin.written,
        );
        Self {
            conditions: self.merge_conditions(&comparison.conditions, now),
            controller_namespace: control_plane.to_owned(),
            health: self.health.moved_to(comparison.health, now),
            history: self.history.clone(),
            operation_state: self.operation_state.clone(),
            reconciled_at: stamp(now),
            resource_health_source: TREE.to_owned(),
            resources: resources(comparison),
            source_type: comparison.source_type.clone(),
            source_types: comparison.source_types.clone(),
            summary: Summary {
                images: comparison.images.clone(),
            },
            sync: SyncStatus {
                compared_to: ComparedTo {
                    destination: spec("/spec/destination"),
                    written,
                },
                revision: comparison.revision.clone(),
                revisions: comparison.revisions.clone(),
                status: comparison.sync,
            },
        }
    }

    /// The status of one whose spec makes no sense: what was found before stays, but says nothing any more.
    pub(crate) fn invalid(&self, message: &str, now: Timestamp) -> Self {
        Self {
            conditions: self.merge_conditions(&[("InvalidSpecError", message.to_owned())], now),
            health: self.health.moved_to(HealthCode::Unknown, now),
            sync: SyncStatus {
                status: SyncCode::Unknown,
                ..self.sync.clone()
            },
            ..self.clone()
        }
    }

    /// A condition keeps its time while its message stays.
    fn merge_conditions(&self, found: &[(&'static str, String)], now: Timestamp) -> Vec<Condition> {
        let others = self
            .conditions
            .iter()
            .filter(|it| !OWN_CONDITIONS.contains(&it.r#type.as_str()))
            .cloned();
        let ours = found.iter().map(|(kind, message)| {
            let before = self
                .conditions
                .iter()
                .find(|it| it.r#type == *kind && it.message == *message);
            before.cloned().unwrap_or_else(|| Condition {
                last_transition_time: stamp(now),
                message: message.clone(),
                r#type: (*kind).to_owned(),
            })
        });
        others.chain(ours).collect()
    }

    /// True when more than the time of reconciliation changed.
    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        Self {
            reconciled_at: String::new(),
            ..self.clone()
        } != Self {
            reconciled_at: String::new(),
            ..other.clone()
        }
    }
}

/// Resources and live hooks of the application, by kind and name.
fn resources(comparison: &Comparison) -> Vec<ResourceStatus> {
    let hooks = comparison.live_hooks.iter().map(|one| {
        let status = ResourceStatus {
            hook: true,
            status: None,
            ..ResourceStatus::from(one)
        };
        (&one.key, status)
    });
    let state = comparison.resources.iter();
    let state = state.map(|one| (&one.key, ResourceStatus::from(one)));
    let mut all: Vec<_> = state.chain(hooks).collect();
    all.sort_by(|left, right| left.0.cmp(right.0));
    all.into_iter().map(|(_, status)| status).collect()
}

impl HealthStatus {
    fn moved_to(&self, code: HealthCode, now: Timestamp) -> Self {
        if self.status == Some(code) && !self.last_transition_time.is_empty() {
            return self.clone();
        }
        Self {
            last_transition_time: stamp(now),
            status: Some(code),
        }
    }
}

#[cfg(test)]
mod tests;
