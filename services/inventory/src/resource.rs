//! What the inventory knows of objects that are no Applications, and which of them a caller asked for.
//!
//! A resource is visible to callers who see its application. One without a held application is visible only by rules that name
//! nothing narrower than its runtime, cluster and namespace.

pub(crate) mod convert;
pub(crate) mod grpc;
mod page;

use std::sync::Arc;

use bytes::Bytes;
use causeway_assertion::UnownedObject;

use crate::{
    application::{
        Change, Health, LabelSelector, Labels, MOST_PAST, PastVisibility, ScopeTraits, Uid, Visible,
    },
    digest::Digest,
    image::ImageName,
    order::ObjectLife,
};
pub use page::{ResourcePage, ResourceToken};

/// Names an Application's object within a runtime.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct ApplicationName {
    /// The cluster that holds it; empty, in a report, for the reported cluster.
    pub cluster: Arc<str>,
    /// Its namespace.
    pub namespace: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
}

/// Application that owns an object, as the inventory stores it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OwnerApplication {
    /// Which.
    pub application: ApplicationName,
    /// What rules can hold for.
    pub traits: ScopeTraits,
}

/// Former owner of an object.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FormerOwner {
    /// The number of the change that ended it.
    pub until: u64,
    /// The application; nothing where none was held.
    pub to: Option<OwnerApplication>,
}

/// A reported state, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// The API group; empty for core.
    pub group: Arc<str>,
    /// The kind, for example "Rollout".
    pub kind: Arc<str>,
    /// The application that it says it belongs to.
    pub application: Option<ApplicationName>,
    /// Its labels.
    pub labels: Labels,
    /// Whether it works.
    pub health: Health,
    /// The reporter's digest of the whole state.
    pub root_digest: Digest,
    /// The manifest that it names.
    pub manifest: Option<Digest>,
    /// Its images, each once.
    pub images: Vec<ImageName>,
    /// What the basic view shows, encoded.
    pub basic: Bytes,
    /// What the full view adds, encoded; appended to `basic` it gives the whole.
    pub detail: Bytes,
}

impl Change<Resource> {
    /// About how many bytes it holds.
    pub fn size(&self) -> usize {
        let state = self.state.as_ref();
        1024 + state.map_or(0, |state| state.basic.len() + state.detail.len())
    }
}

/// The place of a resource in lists.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct ResourceKey {
    /// Its runtime as people call it.
    pub runtime_name: String,
    /// Its cluster.
    pub cluster: String,
    /// What it is, as "<plural>.<group>".
    pub resource: String,
    /// Its namespace; empty for what is cluster-wide.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its runtime's id: tells two runtimes apart that had one name after each other.
    pub runtime: String,
}

/// A stored resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceRecord {
    /// Its place in lists.
    pub key: ResourceKey,
    /// The kind, for example "Rollout".
    pub kind: String,
    /// Its uid.
    pub uid: Uid,
    /// The resource version of its state.
    pub resource_version: u64,
    /// Whether it is there.
    pub life: ObjectLife,
    /// Its labels.
    pub labels: Labels,
    /// Whether it works.
    pub health: Health,
    /// The application that it belongs to, where one is held.
    pub belongs: Option<OwnerApplication>,
    /// What it belonged to before, newest first; read for watches only.
    pub past: Vec<FormerOwner>,
    /// The number of its last change in its account.
    pub change: u64,
    /// When its state was accepted, milliseconds since 1970.
    pub received_at: i64,
    /// What the basic view shows, encoded.
    pub basic: Bytes,
    /// What the full view adds, encoded; empty where only the basic view was asked for.
    pub detail: Bytes,
}

impl ResourceRecord {
    /// About how many bytes it takes in an answer.
    pub fn size(&self) -> usize {
        512 + self.basic.len() + self.detail.len()
    }

    /// True if it is in scope as it is.
    #[must_use]
    pub fn is_visible(&self, visible: &Visible) -> bool {
        holds(visible, &self.key.ground(), self.belongs.as_ref())
    }

    /// Whether it was in scope at any time after a change of its account, as far as it remembers.
    #[must_use]
    pub fn seen(&self, visible: &Visible, since: u64) -> PastVisibility {
        let ground = self.key.ground();
        let mut after = self.past.iter().filter(|past| past.until > since);
        if self.is_visible(visible) || after.any(|past| holds(visible, &ground, past.to.as_ref())) {
            return PastVisibility::Yes;
        }
        let oldest = self.past.last().map_or(0, |past| past.until);
        if self.past.len() >= MOST_PAST && oldest > since {
            PastVisibility::Forgotten
        } else {
            PastVisibility::No
        }
    }
}

impl ResourceKey {
    fn ground(&self) -> UnownedObject<'_> {
        UnownedObject {
            runtime: &self.runtime_name,
            cluster: &self.cluster,
            namespace: &self.namespace,
        }
    }
}

/// True if something at a place that belongs to an application, or to none that is held, is in scope. There is no other place
/// that decides it.
#[must_use]
pub fn holds(
    visible: &Visible,
    ground: &UnownedObject<'_>,
    belongs: Option<&OwnerApplication>,
) -> bool {
    match belongs {
        Some(belonging) => visible.holds_of(ground.runtime, belonging),
        None => visible.covers(ground),
    }
}

/// The past of something that belonged to `held` and now belongs to `new`, newest first.
#[must_use]
pub fn moved_on(
    mut past: Vec<FormerOwner>,
    held: Option<OwnerApplication>,
    new: Option<&OwnerApplication>,
    change: u64,
) -> Vec<FormerOwner> {
    if held.as_ref() != new {
        past.insert(
            0,
            FormerOwner {
                until: change,
                to: held,
            },
        );
        past.truncate(MOST_PAST);
    }
    past
}

/// Which resources; an empty field matches all. By default it matches nothing, as nothing is visible.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceFilter {
    /// What the caller may see at all.
    pub visible: Visible,
    /// Of this runtime, by name.
    pub runtime: String,
    /// Of this cluster.
    pub cluster: String,
    /// Of this namespace.
    pub namespace: String,
    /// Of this name.
    pub name: String,
    /// Of this kind, as "Rollout" or as "rollouts.argoproj.io".
    pub kind: String,
    /// Of an application of this name.
    pub application: String,
    /// Of an application of this namespace.
    pub application_namespace: String,
    /// Of one of these health states.
    pub health: Vec<Health>,
    /// With labels that it selects.
    pub labels: LabelSelector,
}

impl ResourceFilter {
    /// All that is visible.
    #[must_use]
    pub fn within(visible: Visible) -> Self {
        Self {
            visible,
            ..Self::default()
        }
    }

    /// True if a resource of this place and kind can ever match.
    pub fn admits(&self, record: &ResourceRecord) -> bool {
        let key = &record.key;
        let same = |wanted: &str, there: &str| wanted.is_empty() || wanted == there;
        same(&self.runtime, &key.runtime_name)
            && same(&self.cluster, &key.cluster)
            && same(&self.namespace, &key.namespace)
            && same(&self.name, &key.name)
            && (same(&self.kind, &key.resource) || self.kind == record.kind)
    }

    /// True if a resource in this state matches, given that its place does.
    fn accepts(&self, record: &ResourceRecord) -> bool {
        let application = record.belongs.as_ref().map(|to| &to.application);
        let same = |wanted: &str, there: Option<&str>| wanted.is_empty() || Some(wanted) == there;
        same(&self.application, application.map(|it| &*it.name))
            && same(
                &self.application_namespace,
                application.map(|it| &*it.namespace),
            )
            && (self.health.is_empty() || self.health.contains(&record.health))
            && self.labels.matches(&record.labels)
    }

    /// True if a resource matches and is visible. There is no other place that decides it.
    pub fn matches(&self, record: &ResourceRecord) -> bool {
        self.admits(record) && self.accepts(record) && record.is_visible(&self.visible)
    }
}

#[cfg(test)]
mod tests;
