//! Resources of the cluster, found live for a caller: known to belong to an application by what Argo CD wrote on them or on what
//! owns them, or to none, and there for a caller only within that application's scope and the runtime's own list.
//!
//! What is out of scope is as what is absent: the same answer after the same number of calls.

mod kube;
mod lineage;
mod ownership;

use std::{fmt, sync::Arc};

use causeway_argocd::{
    ClusterError, application::Application, redact::Redactor, rest::ApplicationName,
};
use causeway_assertion::UnownedObject;
use serde_json::Value;

use crate::{
    action::ActionContext,
    kube::Applications,
    policy::{Action, NotAllowed, PolicyDecision},
    scope::{self, Requester},
};
pub(crate) use kube::{Deleted, Kind, Resources, to_value};
use lineage::Lineage;
pub(crate) use lineage::is_segment;
pub(crate) use ownership::{Ownership, OwnershipLookup};

/// Names a resource of the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResourceName {
    /// The API group; empty for the core group.
    pub group: String,
    /// The kind, for example `Rollout`.
    pub kind: String,
    /// Empty for what is cluster-wide.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The one object that is meant, where an object of the same name may have taken its place.
    pub uid: Option<String>,
}

/// A live resource that is there for the caller.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// What it is, for calls of the cluster.
    pub(crate) kind: Arc<Kind>,
    /// The object as the cluster holds it, with its secrets.
    pub(crate) object: Value,
    /// The Application that it belongs to; none where it belongs to none that is there.
    pub(crate) application: Option<Application>,
}

/// Why there is no resource for the caller. Each text is one line that says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SubjectError {
    #[error("there is no {0}; '{list}' shows all", list = .0.list())]
    Unknown(ResourceName),
    #[error("the cluster has no kind {kind} in the group '{group}'")]
    UnknownKind { group: String, kind: String },
    #[error("{kind} objects are {}", if *.namespaced { "in a namespace: name it" } else { "in no namespace: leave it out" })]
    Namespace { kind: String, namespaced: bool },
    #[error(transparent)]
    NotAllowed(#[from] NotAllowed),
    #[error("the cluster refuses the call: {0}")]
    Invalid(String),
    #[error("{0} changed meanwhile: try again")]
    Conflict(String),
    #[error("more than 10,000 pods are in the namespace {0}: name a resource, or a label_selector")]
    Crowded(String),
    #[error("the cluster did not answer in time: try again")]
    Late,
    #[error(transparent)]
    Cluster(ClusterError),
}

/// Finds resources for callers. Cheap to clone.
#[derive(Clone)]
pub struct Subjects {
    pub(crate) setup: Arc<ActionContext>,
    pub(crate) applications: Applications,
    pub(crate) resources: Resources,
}

impl SubjectError {
    /// Takes secrets out of what the cluster says in it.
    pub(crate) fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Invalid(said) | Self::Conflict(said) => *said = redactor.message(said),
            Self::Cluster(error) => error.redact(redactor),
            Self::Unknown(_)
            | Self::UnknownKind { .. }
            | Self::Namespace { .. }
            | Self::Crowded(_)
            | Self::Late
            | Self::NotAllowed(_) => {}
        }
    }
}

impl Subjects {
    /// Dials nothing yet.
    pub fn new(setup: Arc<ActionContext>) -> Self {
        Self {
            applications: Applications::new(setup.cluster.clone()),
            resources: Resources::new(setup.cluster.clone()),
            setup,
        }
    }

    /// The live resource of a caller who may do this with it.
    ///
    /// # Errors
    /// See [`SubjectError`]; `Unknown` for what is not there, is another one by its uid, or is out of scope.
    pub(crate) async fn find(
        &self,
        name: &ResourceName,
        action: Action,
        requester: &Requester,
    ) -> Result<Subject, SubjectError> {
        self.setup.policy.check(action, &requester.user)?;
        let kind = self.resources.kind(&name.group, &name.kind).await?;
        kind.check(name)?;
        let mut walk = OwnershipLookup::new(self);
        let found = walk.get(&kind, name).await?;
        let Some(object) = found.filter(|object| name.means(object)) else {
            return Err(walk.unknown(&kind, name).await);
        };
        let ownership = match walk.kin(name, &object).await {
            Ok(kin) => kin.ownership,
            Err(error) if self.has_all(requester, action) => return Err(error),
            // What went wrong on the way up would tell the others that the object is there.
            Err(_) => Ownership::Unknown,
        };
        match self.answer(requester, action, &name.namespace, &ownership) {
            PolicyDecision::Allowed => Ok(Subject {
                kind,
                object,
                application: ownership.application(),
            }),
            PolicyDecision::Denied => {
                Err(NotAllowed::new(action, &requester.user, name.to_string()).into())
            }
            PolicyDecision::Hidden => Err(walk.unknown(&kind, name).await),
        }
    }

    /// The live Application of a caller who may do this with it.
    ///
    /// # Errors
    /// See [`SubjectError`].
    pub(crate) async fn application(
        &self,
        name: &ApplicationName,
        action: Action,
        requester: &Requester,
    ) -> Result<Application, SubjectError> {
        let object = ResourceName {
            group: lineage::ARGO.to_owned(),
            kind: lineage::APPLICATION.to_owned(),
            namespace: name.namespace.clone(),
            name: name.name.clone(),
            uid: None,
        };
        let found = self.find(&object, action, requester).await?;
        found.application.ok_or(SubjectError::Unknown(object))
    }

    /// Whether something that belongs there is there for a caller.
    pub(crate) fn answer(
        &self,
        requester: &Requester,
        action: Action,
        namespace: &str,
        ownership: &Ownership,
    ) -> PolicyDecision {
        let ActionContext { policy, place, .. } = &*self.setup;
        match ownership {
            Ownership::Application(application) => {
                scope::answer(requester, policy, place, action, application)
            }
            Ownership::Unowned => {
                let ground = UnownedObject {
                    runtime: place.runtime.as_str(),
                    cluster: &place.cluster,
                    namespace,
                };
                scope::answer_on(requester, policy, action, &ground)
            }
            // Nobody can tell whose it is, so that only those have it who may touch all.
            Ownership::Unknown => {
                if self.has_all(requester, action) {
                    PolicyDecision::Allowed
                } else {
                    PolicyDecision::Hidden
                }
            }
        }
    }

    /// True if a caller may do this with whatever there is.
    pub(crate) fn has_all(&self, requester: &Requester, action: Action) -> bool {
        requester.scope.is_everything() && self.setup.policy.is_unlimited(action, &requester.user)
    }
}

impl Subject {
    /// True when it is being deleted and finalizers delay it.
    pub(crate) fn is_going(&self) -> bool {
        let asked = self.object.pointer("/metadata/deletionTimestamp");
        asked.is_some_and(Value::is_string)
    }
}

impl ResourceName {
    /// What an object says that it is called.
    pub(crate) fn of(object: &Value) -> Self {
        let text = |pointer: &str| {
            object
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or("")
        };
        let group = text("/apiVersion").split_once('/');
        Self {
            group: group.map_or("", |(group, _)| group).to_owned(),
            kind: text("/kind").to_owned(),
            namespace: text("/metadata/namespace").to_owned(),
            name: text("/metadata/name").to_owned(),
            uid: object
                .pointer("/metadata/uid")
                .and_then(Value::as_str)
                .map(str::to_owned),
        }
    }

    /// The command that lists such objects.
    fn list(&self) -> String {
        if self.is_application() {
            "causeway app list".to_owned()
        } else {
            format!("causeway resource list {}", self.kind)
        }
    }

    pub(crate) fn is_application(&self) -> bool {
        (self.group.as_str(), self.kind.as_str()) == (lineage::ARGO, lineage::APPLICATION)
    }

    /// True if this is the object that is meant.
    fn means(&self, object: &Value) -> bool {
        let uid = object.pointer("/metadata/uid").and_then(Value::as_str);
        self.uid.is_none() || self.uid.as_deref() == uid
    }
}

impl fmt::Display for ResourceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.namespace.as_str() {
            "" => write!(formatter, "{} {}", self.kind, self.name),
            namespace => write!(formatter, "{} {namespace}/{}", self.kind, self.name),
        }
    }
}

#[cfg(test)]
mod tests;
