//! Deletions: the finalizers say what becomes of the resources, and the object's uid that it is the one that is meant.

use causeway_argocd::{
    application::Application,
    rest::{ApplicationName, Verb},
};
use serde_json::{Value, json};

use super::{ATTEMPTS, ActionError, Actions, change::sign, done, now, repeated};
use crate::{
    kube::ApplicationsError,
    outcome::{Attempt, Outcome, RequestIdentity, RequestRecords, RequestState},
    policy::Action,
    scope::Requester,
};

/// Argo CD takes an Application's resources along while it carries this, or this and a policy behind a slash.
const FINALIZER: &str = "resources-finalizer.argocd.argoproj.io";

/// A deletion that a user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteOrder {
    /// The request.
    pub asked: RequestIdentity,
    /// What becomes of the resources.
    pub cascade: Cascade,
    /// Which object; absent for whichever has the name.
    pub uid: Option<String>,
}

/// What becomes of the resources of a deleted application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cascade {
    /// They go, with what they own, before the application does.
    Foreground,
    /// They go, and what they own goes after them.
    Background,
    /// They stay.
    Orphan,
}

enum DeletionTarget {
    Object(Box<(Value, Application)>),
    /// The target is gone, or hidden from the requester: both get the same answer.
    Gone(Outcome),
}

impl Actions {
    /// Deletes an application, unless the same request did before.
    ///
    /// # Errors
    /// See [`ActionError`].
    pub async fn delete(
        &self,
        name: &ApplicationName,
        order: &DeleteOrder,
        requester: &Requester,
    ) -> Result<Outcome, ActionError> {
        if let DeletionTarget::Gone(outcome) = self.find(name, order, requester).await? {
            return Ok(outcome);
        }
        self.once(&order.asked, Box::pin(self.remove(name, order, requester)))
            .await
    }

    async fn remove(
        &self,
        name: &ApplicationName,
        order: &DeleteOrder,
        requester: &Requester,
    ) -> Result<Outcome, ActionError> {
        for _ in 0..ATTEMPTS {
            let (object, application) = match self.find(name, order, requester).await? {
                DeletionTarget::Object(found) => *found,
                DeletionTarget::Gone(outcome) => return Ok(outcome),
            };
            let marks = RequestRecords::of(&application.metadata.annotations);
            let standing = marks.standing(&order.asked, requester.asked_at)?;
            let finalizers = finalizers(&object, order.cascade);
            if let Some(since) = application.metadata.deletion_timestamp.clone() {
                return match (
                    standing,
                    object["metadata"]["finalizers"] == json!(finalizers),
                ) {
                    (RequestState::Done(at), _) => Ok(repeated(&application, Some(at))),
                    (RequestState::New | RequestState::Forgotten, true) => {
                        Ok(repeated(&application, None))
                    }
                    (RequestState::New | RequestState::Forgotten, false) => {
                        let application = name.clone();
                        Err(ActionError::Deleting { application, since })
                    }
                };
            }
            self.authorize(Verb::Delete, &application).await?;
            let at = now();
            let mut patch = json!({ "metadata": { "finalizers": finalizers } });
            sign(&mut patch, &application, marks.with(&order.asked, at));
            let Some(prepared) = self.write(name, patch, &order.asked).await? else {
                continue;
            };
            if self.take_away(name, &prepared, &order.asked).await? {
                return done(prepared, at);
            }
        }
        Err(ActionError::Contended(name.clone()))
    }

    /// Deletes the object in the version that was checked. Fails if it changed since: its finalizers decide about the resources.
    async fn take_away(
        &self,
        name: &ApplicationName,
        prepared: &Value,
        asked: &RequestIdentity,
    ) -> Result<bool, ActionError> {
        let metadata = &prepared["metadata"];
        let text = |field: &str| metadata[field].as_str().unwrap_or_default();
        let this_one = (text("uid"), text("resourceVersion"));
        match self.applications.delete(name, this_one).await {
            Ok(()) | Err(ApplicationsError::NotFound) => Ok(true),
            Err(error) if error.is_lost() || matches!(error, ApplicationsError::Conflict) => {
                match self.applications.get(name).await {
                    // Another object of that name is not ours to touch, and ours has gone.
                    Ok(object) => Ok(object["metadata"]["uid"] != metadata["uid"]
                        || !object["metadata"]["deletionTimestamp"].is_null()),
                    Err(ApplicationsError::NotFound) => Ok(true),
                    Err(error) => Err(ActionError::unknown(name, asked, &error.to_string())),
                }
            }
            Err(error) => Err(ActionError::Applications(error)),
        }
    }

    async fn find(
        &self,
        name: &ApplicationName,
        order: &DeleteOrder,
        requester: &Requester,
    ) -> Result<DeletionTarget, ActionError> {
        let gone = |uid: &str| {
            DeletionTarget::Gone(Outcome {
                uid: uid.to_owned(),
                resource_version: 0,
                accepted_at: now(),
                origin: Attempt::EarlierCall,
                fields: Vec::new(),
            })
        };
        match (self.live(name, Action::Delete, requester).await, &order.uid) {
            (Ok((_, application)), Some(uid)) if application.metadata.uid != *uid => Ok(gone(uid)),
            (Ok(found), _) => Ok(DeletionTarget::Object(Box::new(found))),
            (Err(ActionError::Unknown { .. }), Some(uid)) => Ok(gone(uid)),
            (Err(error), _) => Err(error),
        }
    }
}

/// The object's finalizers as the choice wants them; those of others stay.
fn finalizers(object: &Value, cascade: Cascade) -> Vec<Value> {
    let own = object.pointer("/metadata/finalizers");
    let own = own.and_then(Value::as_array).into_iter().flatten();
    let others = own.filter(|finalizer| {
        let name = finalizer.as_str().unwrap_or_default();
        let rest = name.strip_prefix(FINALIZER);
        !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    let ours = match cascade {
        Cascade::Foreground => Some(format!("{FINALIZER}/foreground")),
        Cascade::Background => Some(format!("{FINALIZER}/background")),
        Cascade::Orphan => None,
    };
    others.cloned().chain(ours.map(Value::String)).collect()
}

#[cfg(test)]
mod tests;
