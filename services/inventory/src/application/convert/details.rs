//! The few fields of a stored application that lists filter and sort by, so that the rest is skipped.

use causeway_proto::{inventory::v1 as pb, time::timestamp_to_millis};
use prost::Message;
use prost_types::Timestamp;

use super::to_phase;
use crate::application::Details;

/// `Application`, as far as it leads there.
#[derive(Message)]
pub(super) struct Stored {
    #[prost(message, optional, tag = "8")]
    created_at: Option<Timestamp>,
    #[prost(message, optional, tag = "9")]
    spec: Option<Spec>,
    #[prost(message, optional, tag = "10")]
    status: Option<Status>,
}

/// `ApplicationSpec`.
#[derive(Message)]
struct Spec {
    #[prost(message, repeated, tag = "2")]
    sources: Vec<Source>,
    #[prost(message, optional, tag = "4")]
    sync_policy: Option<pb::SyncPolicy>,
}

/// `ApplicationSource`.
#[derive(Message)]
struct Source {
    #[prost(string, tag = "1")]
    repository_url: String,
}

/// `ApplicationStatus`.
#[derive(Message)]
struct Status {
    #[prost(message, optional, tag = "3")]
    operation: Option<Operation>,
    #[prost(message, optional, tag = "10")]
    parent: Option<pb::ApplicationParent>,
}

/// `Operation`.
#[derive(Message)]
struct Operation {
    #[prost(enumeration = "pb::OperationPhase", tag = "1")]
    phase: i32,
    #[prost(message, optional, tag = "6")]
    started_at: Option<Timestamp>,
}

impl From<Stored> for Details {
    fn from(stored: Stored) -> Self {
        let spec = stored.spec.unwrap_or_default();
        let status = stored.status.unwrap_or_default();
        let operation = status.operation.unwrap_or_default();
        let sources = spec.sources.iter();
        let repositories: Vec<&str> = sources.map(|source| &*source.repository_url).collect();
        let parent = status.parent;
        let parent = parent.map(|parent| format!("{}/{}", parent.namespace, parent.name));
        Self {
            created_at: millis(stored.created_at.as_ref()),
            operation: to_phase(operation.phase()),
            operation_started_at: millis(operation.started_at.as_ref()),
            automated: spec.sync_policy.is_some_and(|policy| policy.automated),
            repositories: repositories.join("\n").into(),
            parent: parent.unwrap_or_default().into(),
        }
    }
}

fn millis(time: Option<&Timestamp>) -> i64 {
    time.map_or(0, timestamp_to_millis)
}
