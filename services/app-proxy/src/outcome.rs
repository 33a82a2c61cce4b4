//! First outcomes of requests, so that a repeat gets the same answer and has no second effect.

mod request_record;

use std::sync::Arc;

use causeway_proto::ids::RequestId;

pub(crate) use request_record::{REQUESTS_ANNOTATION, RequestRecords, RequestState};

/// How many are remembered.
pub(crate) const REMEMBERED: u64 = 10_000;

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The uid of the Application.
    pub uid: String,
    /// The resource version of the Application that carries it.
    pub resource_version: u64,
    /// When it was taken up, milliseconds since 1970.
    pub accepted_at: i64,
    /// Whether an earlier call had done it.
    pub origin: Attempt,
    /// Which fields of the spec this changed; empty where it was known by its mark alone.
    pub fields: Vec<String>,
}

/// Call that performed the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// This call.
    ThisCall,
    /// An earlier call with the same id, or another client.
    EarlierCall,
}

/// A request and what it asks for, so that an id is not used for two things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestIdentity {
    /// The request.
    pub id: RequestId,
    /// What it asks for, as a digest that stays the same from version to version.
    pub digest: String,
    /// What it does to an object.
    pub effect: Effect,
}

/// What a request does to an object. Those of one sort take no places of marks from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It changes something.
    Change,
    /// Requests a comparison; repeats are harmless.
    Refresh,
}

pub(crate) type RecordedOutcome = Arc<(RequestIdentity, Outcome)>;

/// The request ID was used for another request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("request_id {0} was used for another request: make a new one")]
pub struct RequestIdReused(pub(crate) RequestId);
