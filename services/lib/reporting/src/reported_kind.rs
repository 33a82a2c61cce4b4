//! Interface that each reported kind implements.

use std::fmt;

use bytes::Bytes;
use causeway_proto::inventory::v1 as pb;
use serde_json::Value;

use crate::{
    enrichment::Enrichment,
    manifest::{Content, Digest},
    object::{Malformed, ObjectKey},
    operations::Knowledge,
};

/// API group, version and plural of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// For example "argoproj.io"; empty for the core group.
    pub group: String,
    /// For example "v1alpha1".
    pub version: String,
    /// For example "applications".
    pub plural: String,
}

/// Reads objects of a kind and converts them to reports. Cheap to clone.
pub trait ReportedKind: Clone + Send + Sync + 'static {
    /// One object, without its secrets.
    type Object: fmt::Debug + Send + Sync + 'static;
    /// Data from other sources; `()` without any.
    type Enrichment: Enrichment<Self::Object>;

    /// Path of the kind on the API server.
    fn kind(&self) -> &Kind;

    /// Plural for messages, for example "Applications".
    fn noun(&self) -> &str;

    /// Reads and redacts an object; `None` outside the selection.
    ///
    /// # Errors
    /// The object is malformed. It is left out until a readable version arrives.
    fn read(&self, object: Value) -> Result<Option<Self::Object>, Malformed>;

    /// Fast path that skips the JSON tree, which costs more than the object. `None` falls back to [`Self::read`].
    fn read_text(&self, _text: &str) -> Option<Self::Object> {
        None
    }

    /// Compresses an object without loss; `None` keeps it as it is.
    fn compress(_object: &Self::Object) -> Option<Bytes> {
        None
    }

    /// Reverses [`Self::compress`].
    fn decompress(_packed: &Bytes) -> Option<Self::Object> {
        None
    }

    fn key(object: &Self::Object) -> ObjectKey;

    fn resource_version(object: &Self::Object) -> u64;

    /// Converts to the reported state and its root digest; `None` while nothing is to be reported. Equal inputs give equal
    /// bytes.
    fn to_change(
        &self,
        object: &Self::Object,
        enrichment: &Self::Enrichment,
    ) -> Option<(pb::report::Change, Digest)>;

    /// Manifest of the object, if its state refers to it by digest.
    fn manifest(&self, _object: &Self::Object) -> Option<Content> {
        None
    }

    /// Ended operations of an object, oldest first. Each is reported until it is recorded.
    fn ended_operations(&self, _object: &Self::Object) -> Vec<pb::OperationRecord> {
        Vec::new()
    }

    /// Adds enrichment to an operation record.
    fn complete(
        &self,
        _operation: &mut pb::OperationRecord,
        _object: &Self::Object,
        _enrichment: &Self::Enrichment,
    ) -> Knowledge {
        Knowledge::Whole
    }

    /// Treatment of deleted objects.
    fn deletion_policy(&self) -> DeletionPolicy {
        DeletionPolicy::Report
    }

    /// Trace of the current or last operation on an object.
    fn trace(_object: &Self::Object) -> Option<OperationTrace<'_>> {
        None
    }
}

/// Trace context of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationTrace<'a> {
    /// W3C traceparent from the client that started the operation; not validated.
    pub parent: &'a str,
    pub stage: Stage,
}

/// Stage of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    UnderWay,
    Ended,
}

/// Treatment of deleted objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletionPolicy {
    /// Reports the deletion.
    Report,
    /// Reports nothing: cluster and inventory expire such objects independently.
    Ignore,
}

impl Kind {
    pub fn new(
        group: impl Into<String>,
        version: impl Into<String>,
        plural: impl Into<String>,
    ) -> Self {
        Self {
            group: group.into(),
            version: version.into(),
            plural: plural.into(),
        }
    }

    /// Name in reports: `plural.group`, or the plural alone in the core group.
    pub fn name(&self) -> String {
        match self.group.as_str() {
            "" => self.plural.clone(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// API path of the group and version.
    pub(crate) fn path(&self) -> String {
        match self.group.as_str() {
            "" => format!("/api/{}", self.version),
            group => format!("/apis/{group}/{}", self.version),
        }
    }
}
