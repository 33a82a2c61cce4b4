//! What a watch tells of objects.

use std::{fmt, sync::Arc};

/// Names one life of an object: a name that is used again is another object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The uid.
    pub uid: String,
}

/// What is watched: one namespace, or all.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum WatchScope {
    /// Every namespace.
    All,
    /// This one.
    Namespace(String),
}

/// One thing that a list or watch said. Between [`Self::ListStarted`] and [`Self::ListCompleted`] of a scope comes every object of
/// it that there is, and nothing else of that scope.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectEvent<O> {
    /// A complete list begins; the store was at this resource version.
    ListStarted {
        /// What is listed.
        scope: WatchScope,
        /// Of the list, as a number.
        resource_version: u64,
    },
    /// The object is now so.
    Applied(Arc<O>),
    /// The object is there but cannot be read.
    Quarantined(Malformed),
    /// The object is gone.
    Deleted {
        /// Which.
        key: ObjectKey,
        /// At which it went.
        resource_version: u64,
    },
    /// The object is there, and is no longer of interest.
    Deselected {
        /// Which.
        key: ObjectKey,
        /// At which it was so.
        resource_version: u64,
    },
    /// What is known of the object beyond it has changed perhaps.
    RelatedChanged(ObjectKey),
    /// The list is complete.
    ListCompleted {
        /// What was listed.
        scope: WatchScope,
    },
    /// The cluster does not have such objects, or they may not be read; it may have them soon.
    KindUnavailable,
    /// The cluster does not have such objects, and has not for a long time: there are none.
    KindMissing {
        /// What was asked for.
        scope: WatchScope,
    },
}

/// An object that is there and cannot be read. What could not be told of it either is empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} cannot be read: {cause}")]
pub struct Malformed {
    /// Which.
    pub key: ObjectKey,
    /// As it is written.
    pub resource_version: String,
    /// What is wrong, one line.
    pub cause: String,
}

/// How an absence was found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The watch said so.
    Watched,
    /// A complete list does not have it.
    Listed,
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.namespace, self.name)
    }
}

impl WatchScope {
    /// These namespaces, each for itself; all where none is named.
    pub fn from_namespaces(namespaces: &[String]) -> Vec<Self> {
        match namespaces {
            [] => vec![Self::All],
            named => named.iter().cloned().map(Self::Namespace).collect(),
        }
    }

    /// True if objects of this namespace are watched.
    pub fn contains(&self, namespace: &str) -> bool {
        match self {
            Self::All => true,
            Self::Namespace(own) => own == namespace,
        }
    }
}
