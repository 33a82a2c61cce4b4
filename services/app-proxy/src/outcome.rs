//! First outcomes of requests, so that a repeat gets the same answer without asking again.

use std::sync::Arc;

use causeway_argocd::rest::ApplicationName;
use causeway_proto::ids::RequestId;

use crate::sync::{Mode, Prune, SyncOrder};

/// How many are remembered.
pub(crate) const REMEMBERED: u64 = 10_000;

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The resource version of the Application that carries it.
    pub resource_version: u64,
    /// When it was taken up, milliseconds since 1970.
    pub accepted_at: i64,
    /// Whether an earlier call had started it.
    pub origin: Origin,
}

/// Who started an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// This call.
    ThisCall,
    /// An earlier call with the same id.
    EarlierCall,
}

/// What was asked for, so that an id is not used for two things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    application: ApplicationName,
    revision: Option<String>,
    prune: Prune,
    mode: Mode,
}

pub(crate) type First = Arc<(Asked, Outcome)>;

impl Asked {
    pub(crate) fn new(application: &ApplicationName, order: &SyncOrder) -> Self {
        Self {
            application: application.clone(),
            revision: order.revision.clone(),
            prune: order.prune,
            mode: order.mode,
        }
    }
}

/// A request id that stands for something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("request_id {0} was used for another request: make a new one")]
pub struct Reused(pub(crate) RequestId);
