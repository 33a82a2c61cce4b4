//! Actions that Argo CD has for a resource, each run at most once: that it was taken up is written on the Application before Argo CD
//! is asked, since Argo CD itself remembers nothing of it.

use std::collections::BTreeMap;

use causeway_argocd::{
    ArgocdError,
    rest::{ApplicationName, ResourceAction, ResourceRef},
};
use causeway_proto::ids::RequestId;
use serde_json::{Value, json};

use super::{LiveResources, ResourceError, named};
use crate::{
    kube::ApplicationsError,
    outcome::RequestIdReused,
    policy::Action,
    record::{Entry, Progress, Record},
    scope::Requester,
    subject::{ResourceName, Subject, SubjectError},
};

/// The annotation of the Application.
const ANNOTATION: &str = "causeway.dev/resource-action-requests";
/// Attempts to write the record to a changing Application.
const ATTEMPTS: usize = 8;

/// An action that a user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ActionOrder {
    pub(crate) request_id: RequestId,
    pub(crate) name: ResourceName,
    pub(crate) action: String,
    pub(crate) parameters: BTreeMap<String, String>,
    /// A digest of what was asked for.
    pub(crate) asked: String,
}

/// Attempt that ran the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActionAttempt {
    Now,
    /// By an earlier call with the same id.
    Before,
}

impl LiveResources {
    /// The actions that Argo CD has for a resource.
    ///
    /// # Errors
    /// See [`ResourceError`].
    pub(crate) async fn actions(
        &self,
        name: &ResourceName,
        requester: &Requester,
    ) -> Result<Vec<ResourceAction>, ResourceError> {
        let found = self.subjects.find(name, Action::Read, requester).await?;
        let Some(application) = &found.application else {
            return Err(ResourceError::Nobodys(name.clone()));
        };
        let argocd = &self.subjects.setup.argocd;
        let resource = to_ref(name, &found);
        let mut actions = argocd
            .resource_actions(&named(application), &resource)
            .await?;
        actions.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(actions)
    }

    /// Runs an action, unless the same request did before.
    ///
    /// # Errors
    /// See [`ResourceError`]; `Unsure` when it is unknown whether the action ran.
    pub(crate) async fn act(
        &self,
        order: &ActionOrder,
        requester: &Requester,
    ) -> Result<ActionAttempt, ResourceError> {
        let action = Action::ResourceAction;
        let found = self.subjects.find(&order.name, action, requester).await?;
        let Some(application) = &found.application else {
            return Err(ResourceError::Nobodys(order.name.clone()));
        };
        let application = named(application);
        if self.claim(&application, order, requester).await? == ActionAttempt::Before {
            return Ok(ActionAttempt::Before);
        }
        let argocd = &self.subjects.setup.argocd;
        let resource = to_ref(&order.name, &found);
        let ran = argocd
            .run_resource_action(&application, &resource, &order.action, &order.parameters)
            .await;
        let progress = match &ran {
            Ok(()) => Progress::Done,
            Err(error) if is_refusal(error) || unfit(error).is_some() => Progress::Unchanged,
            Err(error) => {
                tracing::warn!(%error, "an action of a resource has no known outcome");
                return Err(ResourceError::Unsure(order.request_id, order.name.clone()));
            }
        };
        // The result is known here. If it cannot be written, a repeat gets `Unsure`.
        let recorded = self
            .record_result(&application, order, requester, progress)
            .await;
        if let Err(error) = recorded {
            tracing::warn!(%error, "cannot write what came of an action of a resource");
        }
        let Err(error) = ran else {
            return Ok(ActionAttempt::Now);
        };
        Err(match unfit(&error) {
            Some(said) => ResourceError::Unfit {
                of: order.name.clone(),
                action: order.action.clone(),
                said: said.to_owned(),
            },
            None => error.into(),
        })
    }

    /// Writes that the action is taken up, unless it was.
    async fn claim(
        &self,
        application: &ApplicationName,
        order: &ActionOrder,
        requester: &Requester,
    ) -> Result<ActionAttempt, ResourceError> {
        for _ in 0..ATTEMPTS {
            let live = self.live(application).await?;
            let record = Record::in_annotation(&live, ANNOTATION);
            match record.find(&order.request_id) {
                Some(entry) if entry.asked != order.asked => {
                    return Err(RequestIdReused(order.request_id).into());
                }
                Some(entry) => match entry.progress {
                    Progress::Done => return Ok(ActionAttempt::Before),
                    Progress::Begun => {
                        let unsure = ResourceError::Unsure;
                        return Err(unsure(order.request_id, order.name.clone()));
                    }
                    // It was refused, and nothing was done.
                    Progress::Unchanged => {}
                },
                None if record.may_have_forgotten(requester.asked_at) => {
                    return Err(ResourceError::Overtaken(order.name.clone()));
                }
                None => {}
            }
            let record = record.with(entry(order, requester, Progress::Begun));
            if self.write(application, &live, &record).await? {
                return Ok(ActionAttempt::Now);
            }
        }
        Err(SubjectError::Conflict(application.to_string()).into())
    }

    async fn record_result(
        &self,
        application: &ApplicationName,
        order: &ActionOrder,
        requester: &Requester,
        progress: Progress,
    ) -> Result<(), ResourceError> {
        for _ in 0..ATTEMPTS {
            let live = self.live(application).await?;
            let record = Record::in_annotation(&live, ANNOTATION);
            let record = record.with(entry(order, requester, progress));
            if self.write(application, &live, &record).await? {
                return Ok(());
            }
        }
        Err(SubjectError::Conflict(application.to_string()).into())
    }

    async fn live(&self, application: &ApplicationName) -> Result<Value, ResourceError> {
        let live = self.subjects.applications.get(application).await;
        live.map_err(|error| changed(application, error))
    }

    /// Whether the Application was still the one that was read.
    async fn write(
        &self,
        application: &ApplicationName,
        live: &Value,
        record: &Record,
    ) -> Result<bool, ResourceError> {
        let patch = json!({"metadata": {
            "resourceVersion": live.pointer("/metadata/resourceVersion"),
            "annotations": {ANNOTATION: record.text()},
        }});
        match self.subjects.applications.patch(application, patch).await {
            Ok(_) => Ok(true),
            Err(ApplicationsError::Conflict) => Ok(false),
            Err(error) => Err(changed(application, error)),
        }
    }
}

fn entry(order: &ActionOrder, requester: &Requester, progress: Progress) -> Entry {
    Entry {
        id: order.request_id.to_string(),
        asked: order.asked.clone(),
        from: String::new(),
        progress,
        at: requester.asked_at,
    }
}

fn to_ref(name: &ResourceName, found: &Subject) -> ResourceRef {
    ResourceRef {
        group: name.group.clone(),
        version: found.kind.resource.version.clone(),
        kind: name.kind.clone(),
        namespace: name.namespace.clone(),
        name: name.name.clone(),
    }
}

fn changed(application: &ApplicationName, error: ApplicationsError) -> ResourceError {
    let error = match error {
        ApplicationsError::Cluster(error) => SubjectError::Cluster(error),
        ApplicationsError::Conflict => SubjectError::Conflict(application.to_string()),
        error @ (ApplicationsError::NotFound | ApplicationsError::Invalid(_)) => {
            SubjectError::Invalid(error.to_string())
        }
    };
    error.into()
}

/// What Argo CD says where it has no such action, or not with these parameters; it has changed nothing then.
fn unfit(error: &ArgocdError) -> Option<&str> {
    let ArgocdError::Failed { message } = error else {
        return None;
    };
    let steps = ["getting", "executing"];
    let mut steps = steps
        .map(|it| format!("error {it} Lua resource action: "))
        .into_iter();
    steps.find_map(|step| message.strip_prefix(&step))
}

/// True if Argo CD has surely done nothing.
fn is_refusal(error: &ArgocdError) -> bool {
    matches!(
        error,
        ArgocdError::NoToken
            | ArgocdError::TokenFile { .. }
            | ArgocdError::TokenRefused { .. }
            | ArgocdError::NotFound { .. }
            | ArgocdError::Denied { .. }
            | ArgocdError::Precondition { .. }
            | ArgocdError::Rejected { .. }
            | ArgocdError::ServerNotFound { .. }
            | ArgocdError::Untrusted { .. }
            | ArgocdError::Unavailable { .. }
    )
}
