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

/// Where the API server has the objects of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// For example "argoproj.io"; empty for the core group.
    pub group: String,
    /// For example "v1alpha1".
    pub version: String,
    /// For example "applications".
    pub plural: String,
}

/// How the objects of a kind are read, and how they are told. Cheap to clone.
pub trait ReportedKind: Clone + Send + Sync + 'static {
    /// One object, without its secrets.
    type Object: fmt::Debug + Send + Sync + 'static;
    /// What is known of an object beyond it; `()` where nothing is.
    type Enrichment: Enrichment<Self::Object>;

    /// Where they are.
    fn kind(&self) -> &Kind;

    /// What people call several of them, for example "Applications".
    fn noun(&self) -> &str;

    /// Reads an object and redacts it; nothing where it is of no interest.
    ///
    /// # Errors
    /// It cannot be read: it is left out until it can be.
    fn read(&self, object: Value) -> Result<Option<Self::Object>, Malformed>;

    /// The same from the text of an object, without its tree, which takes longer to make than the object does. Nothing where this
    /// cannot be, and then [`Self::read`] says what it is.
    fn read_text(&self, _text: &str) -> Option<Self::Object> {
        None
    }

    /// An object as fewer bytes, of which it can be made again as it was; nothing where it is kept as it is.
    fn packed(_object: &Self::Object) -> Option<Bytes> {
        None
    }

    /// The object of these bytes.
    fn unpacked(_packed: &Bytes) -> Option<Self::Object> {
        None
    }

    /// The key of an object.
    fn key(object: &Self::Object) -> ObjectKey;

    /// The resource version of an object, as a number.
    fn resource_version(object: &Self::Object) -> u64;

    /// The state as it is sent, with its root digest; nothing as long as it is not to be told. Equal inputs give equal bytes.
    fn to_change(
        &self,
        object: &Self::Object,
        enrichment: &Self::Enrichment,
    ) -> Option<(pb::report::Change, Digest)>;

    /// The manifest of the object itself, where its state names it by its digest.
    fn manifest(&self, _object: &Self::Object) -> Option<Content> {
        None
    }

    /// Operations of an object that have ended, the oldest first: each is told until it is recorded.
    fn ended_operations(&self, _object: &Self::Object) -> Vec<pb::OperationRecord> {
        Vec::new()
    }

    /// Adds to an operation of an object what is known beyond the object.
    fn complete(
        &self,
        _operation: &mut pb::OperationRecord,
        _object: &Self::Object,
        _enrichment: &Self::Enrichment,
    ) -> Knowledge {
        Knowledge::Whole
    }

    /// What the end of an object means.
    fn deletion_policy(&self) -> DeletionPolicy {
        DeletionPolicy::Report
    }

    /// The trace of the operation on an object that is under way or was the last one, where it carries one.
    fn trace(_object: &Self::Object) -> Option<OperationTrace<'_>> {
        None
    }
}

/// The trace that an operation belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationTrace<'a> {
    /// W3C traceparent, as whoever began the operation wrote it: it may be none.
    pub parent: &'a str,
    /// Whether the operation is under way.
    pub stage: Stage,
}

/// How far an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Not at its end.
    UnderWay,
    /// It has ended.
    Ended,
}

/// What the end of an object means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletionPolicy {
    /// It is told.
    Report,
    /// Nothing: the cluster forgets such objects after a while, and the receiver does at its own time.
    Ignore,
}

impl Kind {
    /// A kind of this group, version and plural.
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

    /// As it is called in reports: `plural.group`, or the plural alone in the core group.
    pub fn name(&self) -> String {
        match self.group.as_str() {
            "" => self.plural.clone(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// The path of its API group and version.
    pub(crate) fn path(&self) -> String {
        match self.group.as_str() {
            "" => format!("/api/{}", self.version),
            group => format!("/apis/{group}/{}", self.version),
        }
    }
}
