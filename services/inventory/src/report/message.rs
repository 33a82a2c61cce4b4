//! What passes on a reporter's stream, checked.

use std::time::Duration;

use bytes::Bytes;
use causeway_proto::ids::{AccountId, RuntimeId, RuntimeName};
use uuid::Uuid;

use crate::{
    application::{ClusterName, HeldObject, ObjectKind, ObjectName, State, Uid},
    deployment::Ended,
    digest::Digest,
    event::Event,
    order::Continuity,
    report::membership::Membership,
    resource::Resource,
};

/// Who opened the stream, as the platform knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reporter {
    /// The tenant.
    pub account: AccountId,
    /// The runtime.
    pub runtime: RuntimeId,
    /// The runtime as people call it.
    pub runtime_name: RuntimeName,
}

/// A field of a message that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct FieldError {
    /// The field, from the message's root.
    pub field: String,
    /// What is wrong with it and what would be right.
    pub problem: String,
}

impl FieldError {
    /// Names a field and what is wrong with it.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            problem: problem.into(),
        }
    }
}

/// From the reporter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incoming {
    /// First, once.
    Hello(Result<Hello, FieldError>),
    /// A report; where it is of no use, why.
    Report(Result<Report, Rejection>),
    /// A manifest that was wanted.
    Manifest(Digest, Bytes),
    /// Still there.
    Heartbeat,
    /// A message that says nothing that is known.
    Unknown,
}

/// Who reports what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// The reporter's replica.
    pub instance: Uuid,
    /// What it reports.
    pub kind: ObjectKind,
    /// The cluster that it watches.
    pub cluster: ClusterName,
    /// The namespaces that it watches; empty for all.
    pub namespaces: Vec<String>,
    /// Whether resource versions go on from before.
    pub continuity: Continuity,
    /// The reporter's version.
    pub version: String,
    /// For how long it may be silent.
    pub patience: Duration,
}

/// A state or a deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its place in the stream.
    pub sequence: u64,
    /// The object's name.
    pub object: ObjectName,
    /// The object's uid.
    pub uid: Uid,
    /// The object's resource version; [`Position::BESIDE`](crate::order::Position::BESIDE) where the operations alone count.
    pub resource_version: u64,
    /// The object's state; nothing where it is gone.
    pub state: Option<ReportedState>,
    /// Operations of the object that have ended.
    pub operations: Vec<Ended>,
    /// The trace of the change as W3C traceparent, where it is recorded.
    pub trace: Option<String>,
}

/// The state of an object of some kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportedState {
    /// Of an Application.
    Application(Box<State>),
    /// Of any other kind.
    Resource(Box<Resource>),
    /// An event.
    Event(Box<Event>),
    /// Of an Application, as what its base has not.
    Delta(Box<Delta>),
}

/// A state as what it has that its base has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// The digest of the base; nothing where there is none.
    pub base: Option<Digest>,
    /// The digest of the state.
    pub root: Digest,
    /// What makes the state of the base.
    pub patch: Bytes,
    /// Manifests that the receiver may lack, verified.
    pub manifests: Vec<(Digest, Bytes)>,
}

/// To the reporter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outgoing {
    /// The answer to hello.
    Welcome(Welcome),
    /// A part of what is held, and whether it is the last one.
    Held(Vec<HeldObject>, Part),
    /// These reports are durable, or something newer is.
    Acknowledged(Vec<u64>),
    /// A report that will never be accepted.
    Rejected(Rejection),
    /// Manifests that are missing for a report.
    Wanted(u64, Vec<Digest>),
    /// Who reports now.
    Members(Membership),
    /// The base of a report's state is not held.
    BaseWanted(u64),
}

/// Whether more parts follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// They do.
    Middle,
    /// They do not.
    Last,
}

/// The answer to hello.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Welcome {
    /// The store's random number.
    pub incarnation: u64,
    /// The stream's number.
    pub epoch: u64,
    /// Who reports now.
    pub members: Membership,
}

/// Why a report will never be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The report.
    pub sequence: u64,
    /// What kind of fault it is.
    pub fault: Fault,
    /// The field and what is wrong with it.
    pub error: FieldError,
}

/// What kind of fault a report has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A field is wrong.
    Field,
    /// Something is too large.
    TooLarge,
    /// A manifest does not have the digest that it names.
    ManifestCorrupt,
}
