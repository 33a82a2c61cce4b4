//! What an application is rendered with, changed in the live object.

use causeway_argocd::{
    application::Application,
    rest::{ApplicationName, Verb},
};
use serde_json::Value;

use super::{
    ActionError, Actions,
    change::{Change, ChangeRequest},
    named,
};
use crate::{
    kube::ApplicationsError,
    outcome::{Attempt, Outcome},
    policy::Action,
    scope::Requester,
    source::{Claim, Owner, SourceOrder, claimed_by, manages},
    sync::Mode,
};

impl Actions {
    /// Changes a source of an application, unless the same request did before.
    ///
    /// # Errors
    /// See [`ActionError`].
    pub async fn set_source(
        &self,
        name: &ApplicationName,
        order: &SourceOrder,
        requester: &Requester,
    ) -> Result<Outcome, ActionError> {
        let (object, application) = self.live(name, Action::Update, requester).await?;
        let owner = self.owner(&application, &object).await?;
        let wish = ChangeRequest {
            name,
            asked: &order.asked,
            requester,
            action: Action::Update,
            verb: Some(Verb::Update),
        };
        let outcome = self.change(wish, |application, object| {
            let changed = order.changed(object, owner.as_ref());
            let changed = changed.map_err(|error| ActionError::Source {
                application: named(application),
                error: Box::new(error),
            })?;
            Ok(match (order.mode, changed.fields.is_empty()) {
                (Mode::DryRun, _) => Change::Tried(changed.fields),
                (Mode::Apply, true) => Change::Nothing,
                (Mode::Apply, false) => Change::Patch(changed.patch, changed.fields),
            })
        });
        let mut outcome = outcome.await?;
        if order.mode == Mode::DryRun && !outcome.fields.is_empty() {
            outcome.origin = Attempt::ThisCall;
        }
        Ok(outcome)
    }

    /// What would make an application again as it is in Git.
    ///
    /// # Errors
    /// See [`ActionError`].
    pub(crate) async fn owner(
        &self,
        application: &Application,
        object: &Value,
    ) -> Result<Option<Owner>, ActionError> {
        let parent = match claimed_by(application, object) {
            Claim::Certain(owner) => return Ok(Some(owner)),
            Claim::Unowned => return Ok(None),
            Claim::Ask(parent) => parent,
        };
        match self.applications.get(&parent).await {
            Ok(it) if manages(&it, &named(application)) => Ok(Some(Owner::application(&parent))),
            Ok(_) | Err(ApplicationsError::NotFound) => Ok(None),
            Err(error) => Err(ActionError::Applications(error)),
        }
    }
}
