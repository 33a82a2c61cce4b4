//! What a watch tells of objects.

use std::{fmt, sync::Arc};

use causeway_argocd::application::{Application, MalformedApplication};

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

/// One thing that a list or watch said. Between [`Self::ListStarted`] and [`Self::Listed`] of a scope comes every object of
/// it that there is, and nothing else of that scope.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectEvent {
    /// A complete list begins; the store was at this resource version.
    ListStarted {
        /// What is listed.
        scope: WatchScope,
        /// Of the list, as a number.
        resource_version: u64,
    },
    /// The object is now so.
    Applied(Arc<Application>),
    /// The object is there but cannot be read.
    Quarantined(MalformedApplication),
    /// The object is gone.
    Deleted {
        /// Which.
        key: ObjectKey,
        /// At which it went.
        resource_version: u64,
    },
    /// The list is complete.
    Listed {
        /// What was listed.
        scope: WatchScope,
    },
}

/// How an absence was found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The watch said so.
    Watched,
    /// A complete list does not have it.
    Listed,
}

impl ObjectKey {
    /// The key of an Application.
    pub fn of(application: &Application) -> Self {
        let metadata = &application.metadata;
        Self {
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone(),
            uid: metadata.uid.clone(),
        }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.namespace, self.name)
    }
}

impl WatchScope {
    /// Whether objects of this namespace are watched.
    pub fn contains(&self, namespace: &str) -> bool {
        match self {
            Self::All => true,
            Self::Namespace(own) => own == namespace,
        }
    }
}
