//! Finds the pods of an application or resource that the caller may see. Every request to the cluster has a timeout.

mod kube;
mod pod;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use causeway_argocd::{application::Application, rest::ApplicationName};
use futures::Stream;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::{
    policy::{Action, PolicyDecision},
    scope::Requester,
    subject::{Ownership, OwnershipLookup, ResourceName, SubjectError, Subjects},
};
pub(crate) use kube::Change;
use kube::Pages;
pub(crate) use pod::{Container, Containers, Pod, Readiness};

/// In how many namespaces the pods of an application are looked for.
const MOST_NAMESPACES: usize = 50;
/// How long pods may be looked for.
const WITHIN: Duration = Duration::from_secs(30);

/// Whose pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PodTarget {
    pub(crate) application: Option<ApplicationName>,
    /// What owns them, or the pod itself.
    pub(crate) resource: Option<ResourceName>,
    /// Where they are; empty where the others tell it.
    pub(crate) namespace: String,
}

/// Pods that are asked for, as it was found when the question began.
#[derive(Clone)]
pub(crate) struct PodQuery {
    subjects: Subjects,
    action: Action,
    requester: Requester,
    /// Labels that they have; empty for any.
    selector: String,
    namespaces: BTreeSet<String>,
    application: Option<ApplicationName>,
    /// The uid of what owns them, or of the pod itself.
    owner: Option<String>,
    /// The name of the one pod.
    pod: Option<String>,
}

/// State of a pod for a query.
#[derive(Debug)]
pub(crate) enum PodState {
    /// It is meant, and there for the caller.
    There,
    Absent,
    /// That cannot be told now.
    Unsure(SubjectError),
}

impl PodQuery {
    /// Finds out whose pods are meant, for a caller who may do this with them.
    ///
    /// # Errors
    /// See [`SubjectError`].
    pub(crate) async fn find(
        subjects: &Subjects,
        action: Action,
        (whose, selector): (&PodTarget, &str),
        requester: &Requester,
    ) -> Result<Self, SubjectError> {
        let mut sought = Self {
            subjects: subjects.clone(),
            action,
            requester: requester.clone(),
            selector: selector.to_owned(),
            namespaces: BTreeSet::new(),
            application: whose.application.clone(),
            owner: None,
            pod: None,
        };
        let found = timeout_at(Instant::now() + WITHIN, sought.name(whose)).await;
        found.map_err(|_| SubjectError::Late)??;
        subjects.setup.policy.check(action, &requester.user)?;
        Ok(sought)
    }

    async fn name(&mut self, whose: &PodTarget) -> Result<(), SubjectError> {
        let (subjects, action, requester) = (&self.subjects, self.action, &self.requester);
        if let Some(name) = &whose.application {
            let found = subjects.application(name, action, requester).await?;
            self.namespaces = places(&found);
        }
        if let Some(name) = &whose.resource {
            let found = subjects.find(name, action, requester).await?;
            let uid = found.object.pointer("/metadata/uid");
            self.owner = uid.and_then(|uid| uid.as_str()).map(str::to_owned);
            let is_pod = (name.group.as_str(), name.kind.as_str()) == ("", "Pod");
            self.pod = is_pod.then(|| name.name.clone());
            self.selector = narrowed(&self.selector, name, &found.object);
            if !name.namespace.is_empty() {
                self.namespaces = [name.namespace.clone()].into();
            }
        }
        if !whose.namespace.is_empty() {
            self.namespaces = [whose.namespace.clone()].into();
        }
        Ok(())
    }

    /// The pods that are meant and there for the caller, by namespace and name.
    ///
    /// # Errors
    /// See [`SubjectError`].
    pub(crate) async fn all(&self) -> Result<Vec<Value>, SubjectError> {
        self.all_by(Instant::now() + WITHIN).await
    }

    /// The same, by then.
    ///
    /// # Errors
    /// See [`SubjectError`].
    pub(crate) async fn all_by(&self, by: Instant) -> Result<Vec<Value>, SubjectError> {
        let mut walk = OwnershipLookup::for_many(&self.subjects);
        let has_all = self.subjects.has_all(&self.requester, self.action);
        let mut pods = Vec::new();
        for namespace in &self.namespaces {
            let mut pages = Pages::new(self, namespace);
            while let Some(page) = pages.next(by).await? {
                for object in page {
                    match self.standing(&mut walk, &object, by).await {
                        PodState::There => pods.push(object),
                        PodState::Absent => {}
                        PodState::Unsure(SubjectError::Late) => return Err(SubjectError::Late),
                        PodState::Unsure(error) if has_all => return Err(error),
                        // What went wrong on the way up would tell the others that there is such a pod.
                        PodState::Unsure(_) => {}
                    }
                }
            }
        }
        Ok(pods)
    }

    /// Reads the state of a pod before a deadline.
    pub(crate) async fn standing(
        &self,
        walk: &mut OwnershipLookup,
        object: &Value,
        by: Instant,
    ) -> PodState {
        match timeout_at(by, self.is_there(walk, object)).await {
            Ok(Ok(true)) => PodState::There,
            Ok(Ok(false)) => PodState::Absent,
            Ok(Err(error)) => PodState::Unsure(error),
            Err(_) => PodState::Unsure(SubjectError::Late),
        }
    }

    async fn is_there(
        &self,
        walk: &mut OwnershipLookup,
        object: &Value,
    ) -> Result<bool, SubjectError> {
        let name = ResourceName {
            kind: "Pod".to_owned(),
            ..ResourceName::of(object)
        };
        let kin = walk.kin(&name, object).await?;
        let owned = |uid: &String| kin.owners.contains(uid) || name.uid.as_ref() == Some(uid);
        let of_application = match (&self.application, &kin.ownership) {
            (None, _) => true,
            (Some(wanted), Ownership::Application(found)) => is(wanted, found),
            (Some(_), Ownership::Unowned | Ownership::Unknown) => false,
        };
        let answer = self.subjects.answer(
            &self.requester,
            self.action,
            &name.namespace,
            &kin.ownership,
        );
        let meant = of_application && self.owner.as_ref().is_none_or(owned);
        Ok(meant && answer == PolicyDecision::Allowed)
    }

    /// A walk for asking about many of them.
    pub(crate) fn walk(&self) -> OwnershipLookup {
        OwnershipLookup::for_many(&self.subjects)
    }

    /// Every pod that may be meant, and then what happens to them. Goes on for ever.
    pub(crate) fn watch(&self) -> impl Stream<Item = Change> + Send + Unpin + use<> {
        kube::watch(self)
    }

    /// True if one pod was named.
    pub(crate) fn is_one(&self) -> bool {
        self.pod.is_some()
    }

    /// True if this is the uid of what was named.
    pub(crate) fn names(&self, uid: &str) -> bool {
        self.owner.as_deref() == Some(uid)
    }
}

fn is(wanted: &ApplicationName, found: &Application) -> bool {
    let found = &found.metadata;
    (&wanted.namespace, &wanted.name) == (&found.namespace, &found.name)
}

/// The namespaces that an application has something in.
fn places(application: &Application) -> BTreeSet<String> {
    let resources = application.status.resources.iter();
    let resources = resources.map(|it| it.namespace.as_str());
    let own = [application.spec.destination.namespace.as_str()];
    let all = own.into_iter().chain(resources);
    let mut places = BTreeSet::new();
    for place in all.filter(|it| !it.is_empty()) {
        if places.len() < MOST_NAMESPACES {
            places.insert(place.to_owned());
        }
    }
    places
}

/// A selector with the labels that every pod has which a workload owns, so that no others are listed.
fn narrowed(selector: &str, name: &ResourceName, workload: &Value) -> String {
    let known = matches!(name.group.as_str(), "apps" | "batch")
        || (name.group.as_str(), name.kind.as_str()) == ("argoproj.io", "Rollout");
    let labels = workload.pointer("/spec/selector/matchLabels");
    let labels: Option<BTreeMap<String, String>> =
        labels.and_then(|labels| serde_json::from_value(labels.clone()).ok());
    let labels = labels.filter(|_| known).unwrap_or_default();
    let labels = labels.iter().map(|(key, value)| format!("{key}={value}"));
    let given = (!selector.is_empty()).then(|| selector.to_owned());
    given
        .into_iter()
        .chain(labels)
        .collect::<Vec<_>>()
        .join(",")
}

#[cfg(test)]
mod tests;
