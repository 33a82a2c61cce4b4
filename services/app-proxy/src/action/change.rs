//! Changes of the object itself: a comparison asked for, an operation ended. Each leaves its mark by the patch that makes it.

use causeway_argocd::{
    application::{Application, REFRESH},
    rest::{ApplicationName, Verb},
};
use serde_json::{Value, json};

use super::{ATTEMPTS, ActionError, Actions, done, now, repeated};
use crate::{
    outcome::{
        Attempt, Outcome, REQUESTS_ANNOTATION, RequestIdentity, RequestRecords, RequestState,
    },
    policy::Action,
    scope::Requester,
    sync::{Termination, termination},
};

/// A refresh that a user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshOrder {
    /// The request.
    pub asked: RequestIdentity,
    /// How far it goes.
    pub refresh: RefreshMode,
}

/// Extent of a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshMode {
    /// Compares again.
    Normal,
    /// Renders again, too.
    Hard,
}

/// A change that a user asked for.
#[derive(Clone, Copy)]
pub(super) struct ChangeRequest<'a> {
    pub(super) name: &'a ApplicationName,
    pub(super) asked: &'a RequestIdentity,
    pub(super) requester: &'a Requester,
    pub(super) action: Action,
    /// What Argo CD's own rules call it; nothing where they have no word for it.
    pub(super) verb: Option<Verb>,
}

/// What an object needs for what is wanted.
pub(super) enum Change {
    /// This merge patch, which changes these fields of the spec.
    Patch(Value, Vec<String>),
    /// Nothing: it is so already. The mark stands all the same, so that a repeat does not act on what comes after.
    Nothing,
    /// These fields are to be told, and not changed.
    Tried(Vec<String>),
}

impl Actions {
    /// Asks Argo CD to compare again, unless the same request did before.
    ///
    /// # Errors
    /// See [`ActionError`].
    pub async fn refresh(
        &self,
        name: &ApplicationName,
        order: &RefreshOrder,
        requester: &Requester,
    ) -> Result<Outcome, ActionError> {
        let how = match order.refresh {
            RefreshMode::Normal => "normal",
            RefreshMode::Hard => "hard",
        };
        let wish = ChangeRequest {
            name,
            asked: &order.asked,
            requester,
            action: Action::Refresh,
            verb: None,
        };
        let patch = json!({ "metadata": { "annotations": { REFRESH: how } } });
        self.change(wish, |_, _| Ok(Change::Patch(patch.clone(), Vec::new())))
            .await
    }

    /// Ends the operation that is under way, unless the same request did before.
    ///
    /// # Errors
    /// See [`ActionError`].
    pub async fn terminate(
        &self,
        name: &ApplicationName,
        asked: &RequestIdentity,
        requester: &Requester,
    ) -> Result<Outcome, ActionError> {
        let wish = ChangeRequest {
            name,
            asked,
            requester,
            action: Action::Terminate,
            verb: Some(Verb::Sync),
        };
        let ending = json!({ "status": { "operationState": { "phase": "Terminating" } } });
        self.change(wish, |application, _| match termination(application) {
            Termination::Ending => Ok(Change::Nothing),
            Termination::Idle => Err(ActionError::Idle(name.clone())),
            Termination::NotBegun => Err(ActionError::NotBegun(name.clone())),
            Termination::End => Ok(Change::Patch(ending.clone(), Vec::new())),
        })
        .await
    }

    /// Changes an object by what it is, unless the same request did before.
    pub(super) async fn change(
        &self,
        wish: ChangeRequest<'_>,
        change: impl Fn(&Application, &Value) -> Result<Change, ActionError> + Send + Sync,
    ) -> Result<Outcome, ActionError> {
        // Scope and list hold for a repeat, too: they may have become narrower since.
        let found = self.live(wish.name, wish.action, wish.requester).await?;
        let made = Box::pin(self.make(wish, &change, found));
        self.once(wish.asked, made).await
    }

    /// Nobody was faster than the change that is made.
    async fn make(
        &self,
        wish: ChangeRequest<'_>,
        change: &(impl Fn(&Application, &Value) -> Result<Change, ActionError> + Send + Sync),
        found: (Value, Application),
    ) -> Result<Outcome, ActionError> {
        let ChangeRequest {
            name,
            asked,
            requester,
            ..
        } = wish;
        let mut found = Some(found);
        for _ in 0..ATTEMPTS {
            let (object, application) = match found.take() {
                Some(found) => found,
                None => self.live(name, wish.action, requester).await?,
            };
            let marks = RequestRecords::of(&application.metadata.annotations);
            match marks.standing(asked, requester.asked_at)? {
                RequestState::Done(at) => return Ok(repeated(&application, Some(at))),
                RequestState::Forgotten => return Err(ActionError::Overtaken(name.clone())),
                RequestState::New => {}
            }
            let (mut patch, fields, origin) = match change(&application, &object)? {
                Change::Patch(patch, fields) => (patch, fields, Attempt::ThisCall),
                Change::Nothing => (json!({}), Vec::new(), Attempt::EarlierCall),
                Change::Tried(fields) => {
                    let outcome = repeated(&application, None);
                    return Ok(Outcome { fields, ..outcome });
                }
            };
            if let Some(verb) = wish.verb {
                self.authorize(verb, &application).await?;
            }
            let at = now();
            sign(&mut patch, &application, marks.with(asked, at));
            if let Some(object) = self.write(name, patch, asked).await? {
                let outcome = done(object, at)?;
                return Ok(Outcome {
                    fields,
                    origin,
                    ..outcome
                });
            }
        }
        Err(ActionError::Contended(name.clone()))
    }
}

/// Makes a patch good for one version of the object only, and gives it its mark.
pub(super) fn sign(patch: &mut Value, application: &Application, marks: String) {
    let metadata = &mut patch["metadata"];
    metadata["resourceVersion"] = json!(application.metadata.resource_version);
    metadata["annotations"][REQUESTS_ANNOTATION] = Value::String(marks);
}
