//! What users do with single resources of the cluster: read them live, and delete them once.

mod act;

use std::{sync::Arc, time::Duration};

use causeway_argocd::{
    ArgocdError,
    application::Application,
    rest::{ApplicationName, ManagedResource},
};
use causeway_proto::ids::RequestId;
use moka::future::Cache;
use serde_json::Value;

use crate::{
    outcome::{REMEMBERED, RequestIdReused},
    policy::Action,
    scope::Requester,
    subject::{Deleted, Kind, ResourceName, Subject, SubjectError, Subjects},
};

pub(crate) use act::{ActionAttempt, ActionOrder};

const REMEMBERED_FOR: Duration = Duration::from_secs(24 * 3600);

/// Single resources of a cluster. Cheap to clone.
#[derive(Clone)]
pub struct LiveResources {
    subjects: Subjects,
    asked: Cache<RequestId, DeleteOrder>,
}

/// A deletion that a user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeleteOrder {
    /// The one object that is meant.
    pub(crate) name: ResourceName,
    /// What happens to what it owns.
    pub(crate) cascade: Cascade,
    /// How it ends.
    pub(crate) ending: DeletionMode,
}

/// What happens to what a deleted object owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cascade {
    /// It is deleted after it.
    Background,
    /// It is deleted before it.
    Foreground,
    /// It stays.
    Orphan,
}

/// Graceful or forced deletion of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeletionMode {
    /// In its own time.
    Graceful,
    /// At once.
    Forced,
}

/// How a deletion stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deletion {
    /// The object is gone.
    Gone,
    /// It goes when what holds it back lets go.
    Pending,
    /// It is not there for the caller.
    Absent,
}

/// Which manifests of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Manifests {
    /// What is in the cluster.
    Live,
    /// What Git has; absent for the revision that the Application asks for.
    Git(Option<String>),
    /// Both as Argo CD compares them.
    Compared,
}

/// The manifests of one resource, redacted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Manifest {
    pub(crate) of: ResourceName,
    pub(crate) live: Option<Value>,
    pub(crate) desired: Option<Value>,
}

/// Why it was not done. Each text is one line that says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum ResourceError {
    #[error(transparent)]
    Subject(#[from] SubjectError),
    #[error(transparent)]
    RequestIdReused(#[from] RequestIdReused),
    #[error(
        "an Application is deleted by 'causeway app delete', which says what becomes of its resources"
    )]
    Application,
    #[error(
        "{0} belongs to no application, and Argo CD acts on what applications have: change it where it was made"
    )]
    Nobodys(ResourceName),
    #[error(
        "Argo CD has no way to {action} {of}: {said}; 'causeway app actions list' shows what it can do, and --param says what an action takes"
    )]
    Unfit {
        of: ResourceName,
        action: String,
        said: String,
    },
    #[error("whether request {0} was done is not known: look with 'causeway resource live {kind} {name}', and ask under a new id if it is still wanted", kind = .1.kind, name = .1.name)]
    Unsure(RequestId, ResourceName),
    #[error(
        "other actions on the application of {0} came after this one was asked for: ask under a new id if it is still wanted"
    )]
    Overtaken(ResourceName),
    #[error(transparent)]
    Argocd(#[from] ArgocdError),
}

impl LiveResources {
    /// Of what is found by these.
    pub fn new(subjects: Subjects) -> Self {
        let asked = Cache::builder()
            .max_capacity(REMEMBERED)
            .time_to_live(REMEMBERED_FOR);
        Self {
            subjects,
            asked: asked.build(),
        }
    }

    /// The object as the cluster holds it, redacted.
    ///
    /// # Errors
    /// See [`SubjectError`].
    pub(crate) async fn get(
        &self,
        name: &ResourceName,
        requester: &Requester,
    ) -> Result<Subject, ResourceError> {
        let mut found = self.subjects.find(name, Action::Read, requester).await?;
        let redactor = &self.subjects.setup.redactor;
        found.object = redactor.manifest_off_thread(found.object).await;
        Ok(found)
    }

    /// Deletes an object that has the uid of the order. None other ever has it, so that a repeat does nothing.
    ///
    /// # Errors
    /// See [`ResourceError`].
    pub(crate) async fn delete(
        &self,
        request_id: RequestId,
        order: &DeleteOrder,
        requester: &Requester,
    ) -> Result<Deletion, ResourceError> {
        let first = self.asked.entry(request_id).or_insert(order.clone()).await;
        if first.value() != order {
            return Err(RequestIdReused(request_id).into());
        }
        let action = Action::ResourceDelete;
        let found = match self.subjects.find(&order.name, action, requester).await {
            Ok(found) => found,
            Err(SubjectError::Unknown(_)) => return Ok(Deletion::Absent),
            Err(error) => return Err(error.into()),
        };
        if order.name.is_application() {
            return Err(ResourceError::Application);
        }
        if found.is_going() && order.ending == DeletionMode::Graceful {
            return Ok(Deletion::Pending);
        }
        let deleted = self.subjects.resources.delete(&found.kind, order).await?;
        Ok(match deleted {
            Deleted::Gone => Deletion::Gone,
            Deleted::Asked => Deletion::Pending,
            Deleted::Absent => Deletion::Absent,
        })
    }

    /// The manifests of an application, redacted.
    ///
    /// # Errors
    /// See [`ResourceError`].
    pub(crate) async fn manifests(
        &self,
        name: &ApplicationName,
        which: &Manifests,
        requester: &Requester,
    ) -> Result<Vec<Manifest>, ResourceError> {
        let application = self
            .subjects
            .application(name, Action::Read, requester)
            .await?;
        let named = named(&application);
        let argocd = &self.subjects.setup.argocd;
        let mut manifests = match which {
            Manifests::Git(revision) => {
                let texts = argocd.manifests(&named, revision.as_deref()).await?;
                self.rendered(&application, &texts).await?
            }
            Manifests::Live | Manifests::Compared => {
                let resources = argocd.managed_resources(&named).await?;
                let read = resources.iter().map(|it| which.of(it));
                read.collect()
            }
        };
        for manifest in &mut manifests {
            for state in manifest.live.iter_mut().chain(&mut manifest.desired) {
                let redactor = &self.subjects.setup.redactor;
                *state = redactor.manifest_off_thread(state.take()).await;
            }
        }
        manifests.retain(|it| it.live.is_some() || it.desired.is_some());
        Ok(manifests)
    }

    /// What Git has, each called as Argo CD calls it.
    async fn rendered(
        &self,
        application: &Application,
        texts: &[String],
    ) -> Result<Vec<Manifest>, ResourceError> {
        let destination = &application.spec.destination.namespace;
        let mut manifests = Vec::with_capacity(texts.len());
        for text in texts {
            let Some(object) = read(text) else {
                continue;
            };
            let mut of = ResourceName::of(&object);
            if let Some(kind) = self.kind(&of).await? {
                place(&mut of, kind.namespaced, destination);
            }
            manifests.push(Manifest {
                of,
                live: None,
                desired: Some(object),
            });
        }
        Ok(manifests)
    }

    /// None where the cluster does not know it.
    async fn kind(&self, name: &ResourceName) -> Result<Option<Arc<Kind>>, ResourceError> {
        match self.subjects.resources.kind(&name.group, &name.kind).await {
            Ok(kind) => Ok(Some(kind)),
            Err(SubjectError::UnknownKind { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// What Argo CD and the cluster say when they refuse may quote what they were given.
    pub(crate) fn redacted(&self, mut error: ResourceError) -> ResourceError {
        let redactor = &self.subjects.setup.redactor;
        match &mut error {
            ResourceError::Argocd(said) => said.redact(redactor),
            ResourceError::Subject(said) => said.redact(redactor),
            ResourceError::Unfit { said, .. } => *said = redactor.message(said),
            ResourceError::RequestIdReused(_)
            | ResourceError::Application
            | ResourceError::Nobodys(_)
            | ResourceError::Unsure(..)
            | ResourceError::Overtaken(_) => {}
        }
        error
    }
}

impl Manifests {
    fn of(&self, resource: &ManagedResource) -> Manifest {
        let (live, desired) = match self {
            Self::Compared => (
                read(&resource.normalized_live_state),
                read(&resource.predicted_live_state),
            ),
            Self::Live | Self::Git(_) => (read(&resource.live_state), None),
        };
        Manifest {
            of: ResourceName {
                group: resource.group.clone(),
                kind: resource.kind.clone(),
                namespace: resource.namespace.clone(),
                name: resource.name.clone(),
                uid: None,
            },
            live,
            desired,
        }
    }
}

/// What Git has names no namespace where it leaves it to the Application, and many charts write one on what is in none.
fn place(of: &mut ResourceName, namespaced: bool, destination: &str) {
    if !namespaced {
        of.namespace.clear();
    } else if of.namespace.is_empty() {
        destination.clone_into(&mut of.namespace);
    }
}

/// With its project, without which Argo CD does not tell absence from refusal.
fn named(application: &Application) -> ApplicationName {
    let project = match application.spec.project.as_str() {
        "" => "default",
        project => project,
    };
    ApplicationName {
        namespace: application.metadata.namespace.clone(),
        name: application.metadata.name.clone(),
        project: project.to_owned(),
    }
}

/// Argo CD writes nothing, or `null`, for what is not there.
fn read(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    value.is_object().then_some(value)
}

#[cfg(test)]
mod tests;
