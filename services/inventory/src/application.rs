//! What the inventory knows of an application, and which ones a caller asked for. The reported content itself is opaque here.

pub(crate) mod convert;
mod details;
mod exclusion;
mod facet;
mod facts;
pub(crate) mod grpc;
mod label_selector;
mod patterns;
mod query;
mod sort;
mod visible;

use std::{fmt, sync::Arc};

use bytes::Bytes;
use causeway_proto::ids::{AccountId, RuntimeId, RuntimeName};

pub use crate::kind::ObjectKind;
use crate::{
    deployment::Ended,
    digest::Digest,
    history::Phase,
    image::ImageName,
    order::{Continuity, ObjectLife, Position},
};
pub use details::Details;
pub use exclusion::Exclusion;
pub(crate) use facet::ranked;
pub use facet::{Facet, FacetCounts, FacetQuery, Facets, Field, LabelFacet};
pub use facts::Facts;
pub use label_selector::{LabelSelector, Must, Requirement, SelectorError, is_label, is_value};
pub use patterns::Patterns;
pub use query::{
    ANSWER_BYTES, Filter, NextPage, Page, PageToken, ScanPosition, Text, View, nearest,
};
pub use sort::{Place, Sort};
pub use visible::{FormerTraits, Labels, MOST_PAST, PastVisibility, ScopeTraits, Visible, moved};

macro_rules! text {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

text!(
    /// A cluster as its runtime calls it.
    ClusterName
);
text!(
    /// The uid that Kubernetes gave to an object.
    Uid
);

/// Whose objects, of which kind and where: the reporters of one scope share the work on it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// The tenant.
    pub account: AccountId,
    /// The runtime that reports.
    pub runtime: RuntimeId,
    /// What it reports.
    pub kind: ObjectKind,
    /// The cluster that it reports of.
    pub cluster: ClusterName,
}

/// The name of an object within its cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName {
    /// Its namespace.
    pub namespace: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
}

/// Whether the cluster has what Git says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sync {
    /// Not stated.
    Unspecified,
    /// It could not be compared.
    Unknown,
    /// It has.
    Synced,
    /// It has not.
    OutOfSync,
}

/// Whether something works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Health {
    /// Not stated.
    Unspecified,
    /// It could not be told.
    Unknown,
    /// It is on its way.
    Progressing,
    /// It works.
    Healthy,
    /// It is paused and waits for a user.
    Suspended,
    /// It is broken.
    Degraded,
    /// It is not there.
    Missing,
}

/// Where the manifests of an application come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Source {
    /// Not stated, or not known.
    #[default]
    Unspecified,
    /// One folder in Git.
    Git,
    /// One Helm chart of a repository of charts.
    Helm,
    /// Several sources.
    Several,
}

impl Source {
    const ALL: [Self; 4] = [Self::Unspecified, Self::Git, Self::Helm, Self::Several];

    /// The number that a store keeps for it.
    pub fn code(self) -> i64 {
        self as i64
    }

    /// What a number stands for that a store kept; not stated for any other.
    pub fn from_code(code: i64) -> Self {
        let known = usize::try_from(code)
            .ok()
            .and_then(|code| Self::ALL.get(code));
        known.copied().unwrap_or_default()
    }

    /// The word for it; empty where it is not stated.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unspecified => "",
            Self::Git => "Git",
            Self::Helm => "Helm",
            Self::Several => "Several",
        }
    }
}

impl Sync {
    const ALL: [Self; 4] = [
        Self::Unspecified,
        Self::Unknown,
        Self::Synced,
        Self::OutOfSync,
    ];

    /// The number that a store keeps for it.
    pub fn code(self) -> i64 {
        self as i64
    }

    /// What a number stands for that a store kept; not stated for any other.
    pub fn from_code(code: i64) -> Self {
        let known = usize::try_from(code)
            .ok()
            .and_then(|code| Self::ALL.get(code));
        known.copied().unwrap_or(Self::Unspecified)
    }

    /// The word that Argo CD has for it; empty where it is not stated.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unspecified => "",
            Self::Unknown => "Unknown",
            Self::Synced => "Synced",
            Self::OutOfSync => "OutOfSync",
        }
    }
}

impl Health {
    const ALL: [Self; 7] = [
        Self::Unspecified,
        Self::Unknown,
        Self::Progressing,
        Self::Healthy,
        Self::Suspended,
        Self::Degraded,
        Self::Missing,
    ];

    /// The number that a store keeps for it.
    pub fn code(self) -> i64 {
        self as i64
    }

    /// What a number stands for that a store kept; not stated for any other.
    pub fn from_code(code: i64) -> Self {
        let known = usize::try_from(code)
            .ok()
            .and_then(|code| Self::ALL.get(code));
        known.copied().unwrap_or(Self::Unspecified)
    }

    /// The word that Argo CD has for it; empty where it is not stated.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unspecified => "",
            Self::Unknown => "Unknown",
            Self::Progressing => "Progressing",
            Self::Healthy => "Healthy",
            Self::Suspended => "Suspended",
            Self::Degraded => "Degraded",
            Self::Missing => "Missing",
        }
    }
}

/// What applications can be asked for by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its Argo CD project and its labels.
    pub traits: ScopeTraits,
    /// Whether the cluster has what Git says.
    pub sync: Sync,
    /// Whether it works.
    pub health: Health,
    /// Where its manifests come from.
    pub source: Source,
    /// What else lists show and sort by.
    pub details: Details,
}

/// The operation under way or the last one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Operation {
    /// Where it stands.
    pub phase: Phase,
    /// When it ended, milliseconds since 1970; 0 while it has not.
    pub ended_at: i64,
}

/// How far an application is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// The revisions that were compared.
    pub revisions: Vec<String>,
    /// The operation.
    pub operation: Operation,
}

/// A reported state, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// What it can be asked for by.
    pub summary: Summary,
    /// The reporter's digest of the whole state.
    pub root_digest: Digest,
    /// What the digest is of: the state as its reporter encoded it.
    pub canonical: Bytes,
    /// How it came, where that was as what makes it of another one.
    pub patch: Option<StatePatch>,
    /// What was compared, and its operation.
    pub progress: Box<Progress>,
    /// The manifests that it names, each once.
    pub manifests: Vec<Digest>,
    /// The images that it uses, each once.
    pub images: Vec<ImageName>,
    /// What the basic view shows, encoded.
    pub basic: Bytes,
    /// What the full view adds, encoded; appended to `basic` it gives the whole.
    pub detail: Bytes,
}

/// What makes the encoding of a state, and was seen to do so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatePatch {
    /// The digest of the state that it makes it of; nothing where that is of nothing.
    pub base: Option<Digest>,
    /// As [`crate::patch::make`] makes it.
    pub content: Bytes,
}

/// A report, checked, at its place in the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<S = State> {
    /// Whose.
    pub scope: Arc<Scope>,
    /// The runtime as people call it.
    pub runtime_name: RuntimeName,
    /// The object's name.
    pub object: ObjectName,
    /// The object's uid.
    pub uid: Uid,
    /// Where it stands in the order.
    pub position: Position,
    /// How it compares to what is held.
    pub continuity: Continuity,
    /// The object's state; nothing where it is gone.
    pub state: Option<S>,
    /// Operations of the object that have ended.
    pub operations: Vec<Ended>,
}

impl<S> Change<S> {
    /// Whether the object is there.
    pub fn life(&self) -> ObjectLife {
        if self.state.is_some() {
            ObjectLife::Live
        } else {
            ObjectLife::Gone
        }
    }
}

impl Change {
    /// About how many bytes it holds.
    pub fn size(&self) -> usize {
        let state = self.state.as_ref();
        let operations = self.operations.iter().map(Ended::size);
        512 + operations.sum::<usize>()
            + state.map_or(0, |state| {
                let encoded = [&state.canonical, &state.basic, &state.detail];
                let patch = state.patch.as_ref().map_or(0, |patch| patch.content.len());
                let encoded = encoded.map(Bytes::len).iter().sum::<usize>();
                encoded + patch + state.manifests.len() * 32
            })
    }
}

/// Held object, as sent to its reporter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldObject {
    /// Its name.
    pub object: ObjectName,
    /// Its uid.
    pub uid: Uid,
    /// The resource version of the held state.
    pub resource_version: u64,
    /// The root digest of the held state.
    pub root_digest: Digest,
}

/// The state of a held object, as its reporter encoded it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldState {
    /// SHA-256 of the encoding.
    pub root_digest: Digest,
    /// The encoding, without the digest.
    pub canonical: Bytes,
}

/// The place of an application in lists.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Key {
    /// Its runtime as people call it.
    pub runtime_name: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its cluster.
    pub cluster: String,
    /// Its runtime's id: tells two runtimes apart that had one name after each other.
    pub runtime: String,
}

/// A stored application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its place in lists.
    pub key: Key,
    /// Its uid.
    pub uid: Uid,
    /// The resource version of its state.
    pub resource_version: u64,
    /// Whether it is there.
    pub life: ObjectLife,
    /// What it can be asked for by.
    pub summary: Summary,
    /// What it was before, newest first; read for watches only.
    pub past: Vec<FormerTraits>,
    /// The number of its last change in its account.
    pub change: u64,
    /// When its state was accepted, milliseconds since 1970.
    pub received_at: i64,
    /// What the basic view shows, encoded.
    pub basic: Bytes,
    /// What the full view adds, encoded; empty where only the basic view was asked for.
    pub detail: Bytes,
}

impl Record {
    /// About how many bytes it takes in an answer.
    pub fn size(&self) -> usize {
        512 + self.basic.len() + self.detail.len()
    }
}

#[cfg(test)]
mod tests;
