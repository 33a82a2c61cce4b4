//! Git sources: restricted ones are objects of Argo CD's namespace, ordinary ones Applications there that sync Applications.
//! A restricted one is only written here; the part `gitops-operator` makes what it consists of.

mod error;

use std::{collections::BTreeMap, sync::Arc};

use causeway_argocd::{
    ClusterError,
    application::{Application, to_millis},
};
use causeway_assertion::UnownedObject;
use causeway_git_source::{Kind, Object, Plan, Spec, application_project, text};
use serde_json::{Value, json};

use crate::{
    action::ActionContext,
    kube::objects::{ObjectError, ObjectName, Objects},
    outcome::{Attempt, REQUESTS_ANNOTATION, RequestIdentity, RequestRecords, RequestState},
    policy::{Action, NotAllowed, PolicyDecision},
    scope::{self, Requester},
};

pub(crate) use self::error::GitSourceError;

/// So many of each kind are listed.
const MOST: usize = 500;
const CONDITIONS: [&str; 4] = ["Available", "Progressing", "Degraded", "Refused"];
/// Labels of the reference on ordinary sources.
const ENTITY: &str = "codefresh.io/entity";

/// Git sources of a runtime.
pub(crate) struct GitSources {
    setup: Arc<ActionContext>,
    /// Namespace of Argo CD.
    namespace: String,
    restricted: [(Kind, Objects); 2],
    applications: Objects,
}

/// A Git source as users see it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GitSource {
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) is_restricted: bool,
    pub(crate) spec: Spec,
    pub(crate) project: String,
    pub(crate) conditions: Vec<Condition>,
    /// Milliseconds since 1970.
    pub(crate) created_at: i64,
    pub(crate) is_deleting: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) kind: String,
    pub(crate) holds: bool,
    pub(crate) reason: String,
    pub(crate) message: String,
}

/// A restricted source to create or change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GitSourceOrder {
    pub(crate) name: String,
    pub(crate) spec: Spec,
    pub(crate) mode: Mode,
}

/// What a request does with an existing source, and whether it writes at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Create,
    Update,
    DryRun,
}

/// A written source, and the objects that it consists of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Written {
    pub(crate) source: GitSource,
    pub(crate) manifests: Vec<String>,
    pub(crate) attempt: Attempt,
}

impl GitSources {
    pub(crate) fn new(setup: Arc<ActionContext>, namespace: String) -> Self {
        let of = |group, version, kind, plural| {
            Objects::new(setup.cluster.clone(), (group, version, kind, plural))
        };
        let restricted = Kind::ALL.map(|kind| {
            let objects = of(kind.group(), kind.version(), Kind::NAME, Kind::PLURAL);
            (kind, objects)
        });
        let applications = of("argoproj.io", "v1alpha1", "Application", "applications");
        Self {
            setup,
            namespace,
            restricted,
            applications,
        }
    }

    /// Lists restricted and ordinary sources by name.
    ///
    /// # Errors
    /// See [`GitSourceError`].
    pub(crate) async fn list(
        &self,
        requester: &Requester,
    ) -> Result<Vec<GitSource>, GitSourceError> {
        self.check(Action::Read, requester)?;
        let mut found = Vec::new();
        for (kind, objects) in &self.restricted {
            let listed = match objects.list(&self.namespace).await {
                Err(error) if is_not_installed(&error) => Vec::new(),
                listed => listed.map_err(GitSourceError::Cluster)?,
            };
            let listed = listed.iter().take(MOST);
            found.extend(listed.map(|it| self.restricted(*kind, it)));
        }
        let sources = self
            .applications
            .list_where(&self.namespace, |it| self.is_visible(it, requester))
            .await;
        let sources = sources.map_err(GitSourceError::Cluster)?;
        found.extend(sources.iter().take(MOST).map(Self::ordinary));
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    /// # Errors
    /// See [`GitSourceError`].
    pub(crate) async fn get(
        &self,
        name: &str,
        requester: &Requester,
    ) -> Result<GitSource, GitSourceError> {
        self.check(Action::Read, requester)?;
        if let Some((kind, _, object)) = self.find(name).await? {
            return Ok(self.restricted(kind, &object));
        }
        match self.applications.get(&self.object(name)).await {
            Ok(object) if self.is_visible(&object, requester) => Ok(Self::ordinary(&object)),
            Ok(_) | Err(ObjectError::NotFound) => Err(GitSourceError::Unknown(name.to_owned())),
            Err(error) => Err(GitSourceError::Cluster(error)),
        }
    }

    /// Writes a restricted source, unless the same request did before.
    ///
    /// # Errors
    /// See [`GitSourceError`].
    pub(crate) async fn write(
        &self,
        order: GitSourceOrder,
        request: &RequestIdentity,
        requester: &Requester,
    ) -> Result<Written, GitSourceError> {
        self.check(Action::GitSource, requester)?;
        order
            .spec
            .check(&order.name, &self.namespace)
            .map_err(GitSourceError::Refused)?;
        let at = i64::try_from(requester.asked_at).unwrap_or_default() * 1000;
        let record = RequestRecords::default().with(request, at);
        let new = self.manifest(&order, &record);
        if order.mode == Mode::DryRun {
            return Ok(self.written(Kind::Causeway, &new, Attempt::ThisCall));
        }
        let (kind, objects) = &self.restricted[0];
        match objects.create(&self.namespace, &new).await {
            Ok(created) => Ok(self.written(*kind, &created, Attempt::ThisCall)),
            Err(ObjectError::Exists) => self.change(&order, request, requester).await,
            Err(error) => Err(GitSourceError::Cluster(error)),
        }
    }

    /// Deletes a restricted source; the operator removes what it consists of.
    ///
    /// # Errors
    /// See [`GitSourceError`].
    pub(crate) async fn delete(
        &self,
        name: &str,
        requester: &Requester,
    ) -> Result<(), GitSourceError> {
        self.check(Action::GitSource, requester)?;
        let Some((_, objects, _)) = self.find(name).await? else {
            return Err(match self.applications.get(&self.object(name)).await {
                Ok(object) if self.is_visible(&object, requester) => {
                    GitSourceError::Ordinary(name.to_owned())
                }
                Ok(_) | Err(_) => GitSourceError::Unknown(name.to_owned()),
            });
        };
        match objects.delete(&self.object(name)).await {
            Ok(()) => Ok(()),
            Err(ObjectError::NotFound) => Err(GitSourceError::Unknown(name.to_owned())),
            Err(error) => Err(GitSourceError::Cluster(error)),
        }
    }

    /// The same error without secrets.
    pub(crate) fn redacted(&self, mut error: GitSourceError) -> GitSourceError {
        if let GitSourceError::Cluster(said) = &mut error {
            said.redact(&self.setup.redactor);
        }
        error
    }

    async fn change(
        &self,
        order: &GitSourceOrder,
        request: &RequestIdentity,
        requester: &Requester,
    ) -> Result<Written, GitSourceError> {
        let (kind, objects) = &self.restricted[0];
        let name = self.object(&order.name);
        let live = objects.get(&name).await.map_err(GitSourceError::Cluster)?;
        let annotations = live.pointer("/metadata/annotations").cloned();
        let annotations: BTreeMap<String, String> = annotations
            .and_then(|it| serde_json::from_value(it).ok())
            .unwrap_or_default();
        let records = RequestRecords::of(&annotations);
        if let RequestState::Done(_) = records.standing(request, requester.asked_at)? {
            return Ok(self.written(*kind, &live, Attempt::EarlierCall));
        }
        if order.mode != Mode::Update {
            return Err(GitSourceError::Taken(order.name.clone()));
        }
        let at = i64::try_from(requester.asked_at).unwrap_or_default() * 1000;
        let patch = json!({
            "metadata": {
                "resourceVersion": live["metadata"]["resourceVersion"],
                "annotations": {REQUESTS_ANNOTATION: records.with(request, at)},
            },
            "spec": with_absent_fields(&order.spec, &live["spec"]),
        });
        let changed = objects.patch(&name, &patch).await;
        let changed = changed.map_err(GitSourceError::Cluster)?;
        Ok(self.written(*kind, &changed, Attempt::ThisCall))
    }

    /// The restricted source of a name, of either kind.
    async fn find(&self, name: &str) -> Result<Option<(Kind, &Objects, Value)>, GitSourceError> {
        for (kind, objects) in &self.restricted {
            match objects.get(&self.object(name)).await {
                Ok(object) => return Ok(Some((*kind, objects, object))),
                Err(ObjectError::NotFound) => {}
                Err(error) if is_not_installed(&error) => {}
                Err(error) => return Err(GitSourceError::Cluster(error)),
            }
        }
        Ok(None)
    }

    fn check(&self, action: Action, requester: &Requester) -> Result<(), GitSourceError> {
        let ActionContext { policy, place, .. } = &*self.setup;
        let ground = UnownedObject {
            runtime: place.runtime.as_str(),
            cluster: &place.cluster,
            namespace: &self.namespace,
        };
        if !requester.scope.contains_unowned(&ground) {
            return Err(GitSourceError::OutOfScope);
        }
        match policy.answer_on(action, &requester.user, &ground) {
            PolicyDecision::Allowed => Ok(()),
            PolicyDecision::Denied | PolicyDecision::Hidden => {
                let what = format!("in namespace {}", ground.namespace);
                Err(NotAllowed::new(action, &requester.user, what).into())
            }
        }
    }

    /// Whether an Application is an ordinary source that the user may see.
    fn is_visible(&self, object: &Value, requester: &Requester) -> bool {
        let ActionContext { policy, place, .. } = &*self.setup;
        if !is_ordinary(object) {
            return false;
        }
        Application::from_value(object.clone()).is_ok_and(|application| {
            let decision = scope::answer(requester, policy, place, Action::Read, &application);
            decision == PolicyDecision::Allowed
        })
    }

    fn object(&self, name: &str) -> ObjectName {
        ObjectName {
            namespace: self.namespace.clone(),
            name: name.to_owned(),
        }
    }

    fn manifest(&self, order: &GitSourceOrder, record: &str) -> Value {
        json!({
            "apiVersion": Kind::Causeway.api_version(),
            "kind": Kind::NAME,
            "metadata": {
                "name": order.name,
                "namespace": self.namespace,
                "annotations": {REQUESTS_ANNOTATION: record},
            },
            "spec": order.spec,
        })
    }

    fn written(&self, kind: Kind, object: &Value, attempt: Attempt) -> Written {
        let read = Object::read(kind, object);
        let manifests = match &read.spec {
            Ok(spec) => Plan::of(&read, spec)
                .objects()
                .map(ToString::to_string)
                .to_vec(),
            Err(_) => Vec::new(),
        };
        Written {
            source: self.restricted(kind, object),
            manifests,
            attempt,
        }
    }

    fn restricted(&self, kind: Kind, object: &Value) -> GitSource {
        let read = Object::read(kind, object);
        let conditions = list(object, "/status/conditions");
        let conditions = conditions.map(|it| Condition {
            kind: text(it, "/type").to_owned(),
            holds: text(it, "/status") == "True",
            reason: text(it, "/reason").to_owned(),
            message: self.setup.redactor.message(text(it, "/message")),
        });
        GitSource {
            project: application_project(&read.name),
            conditions: conditions
                .filter(|it| CONDITIONS.contains(&it.kind.as_str()))
                .take(CONDITIONS.len())
                .collect(),
            created_at: to_millis(Some(&read.created)).unwrap_or_default(),
            is_deleting: read.is_deleting,
            is_restricted: true,
            spec: read.spec.unwrap_or_default(),
            name: read.name,
            namespace: read.namespace,
        }
    }

    fn ordinary(object: &Value) -> GitSource {
        let at = |pointer: &str| text(object, pointer).to_owned();
        let sync = at("/status/sync/status");
        let mut spec = Spec::default();
        spec.source.repo_url = at("/spec/source/repoURL");
        spec.source.path = at("/spec/source/path");
        spec.source.target_revision = at("/spec/source/targetRevision");
        spec.source_namespace = at("/spec/destination/namespace");
        GitSource {
            name: at("/metadata/name"),
            namespace: at("/metadata/namespace"),
            is_restricted: false,
            spec,
            project: at("/spec/project"),
            conditions: vec![Condition {
                kind: "Available".to_owned(),
                holds: sync == "Synced",
                message: format!("the Application is {sync}"),
                reason: sync,
            }],
            created_at: to_millis(Some(&at("/metadata/creationTimestamp"))).unwrap_or_default(),
            is_deleting: object.pointer("/metadata/deletionTimestamp").is_some(),
        }
    }
}

/// Without the operator there is no such kind, or the chart gives no right to it.
fn is_not_installed(error: &ObjectError) -> bool {
    matches!(
        error,
        ObjectError::NoKind(_) | ObjectError::Cluster(ClusterError::Refused { .. })
    )
}

/// Whether an Application syncs Applications and belongs to no restricted source.
fn is_ordinary(application: &Value) -> bool {
    let is_owned = list(application, "/metadata/ownerReferences")
        .any(|owner| text(owner, "/kind") == Kind::NAME);
    let is_set = |it: &Value| {
        text(it, "/group") == "argoproj.io"
            && matches!(text(it, "/kind"), "Application" | "ApplicationSet")
    };
    let labels = application.pointer("/metadata/labels");
    let entity = labels.and_then(|it| it.get(ENTITY)).and_then(Value::as_str);
    !is_owned
        && (entity == Some("git-source") || list(application, "/status/resources").any(is_set))
}

fn list<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    let list = value.pointer(pointer).and_then(Value::as_array);
    list.into_iter().flatten()
}

/// The new spec as a merge patch: null where only the live one has a field.
fn with_absent_fields(spec: &Spec, live: &Value) -> Value {
    let new = json!(spec);
    merge_patch(&new, live)
}

fn merge_patch(new: &Value, live: &Value) -> Value {
    let (Value::Object(new), Value::Object(live)) = (new, live) else {
        return new.clone();
    };
    let mut patch = serde_json::Map::new();
    for (field, value) in new {
        let before = live.get(field).unwrap_or(&Value::Null);
        patch.insert(field.clone(), merge_patch(value, before));
    }
    for field in live.keys().filter(|field| !new.contains_key(*field)) {
        patch.insert(field.clone(), Value::Null);
    }
    Value::Object(patch)
}

#[cfg(test)]
mod tests;
