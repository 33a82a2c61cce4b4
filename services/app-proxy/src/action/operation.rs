//! Operations: a sync by Argo CD's API or by the object, a rollback by the object. What started one stands in it.

use causeway_argocd::{
    ArgocdError,
    application::Application,
    rest::{ApplicationName, Verb},
};
use serde_json::Value;

use super::{ATTEMPTS, ActionError, Actions, done, named, now, repeated};
use crate::{
    outcome::{Outcome, RequestIdentity},
    policy::Action,
    scope::Requester,
    sync::{Decision, RollbackOrder, SyncOrder, decide},
};

#[derive(Clone, Copy)]
enum OperationOrder<'a> {
    Sync(&'a SyncOrder),
    Rollback(&'a RollbackOrder),
}

impl OperationOrder<'_> {
    fn asked(&self) -> &RequestIdentity {
        match self {
            Self::Sync(order) => &order.asked,
            Self::Rollback(order) => &order.asked,
        }
    }

    fn action(&self) -> Action {
        match self {
            Self::Sync(_) => Action::Sync,
            Self::Rollback(_) => Action::Rollback,
        }
    }
}

impl Actions {
    /// Starts a sync, unless the same request did before.
    ///
    /// # Errors
    /// See [`ActionError`].
    pub async fn sync(
        &self,
        name: &ApplicationName,
        order: &SyncOrder,
        requester: &Requester,
    ) -> Result<Outcome, ActionError> {
        self.operate(name, OperationOrder::Sync(order), requester)
            .await
    }

    /// Starts a rollback, unless the same request did before.
    ///
    /// # Errors
    /// See [`ActionError`].
    pub async fn rollback(
        &self,
        name: &ApplicationName,
        order: &RollbackOrder,
        requester: &Requester,
    ) -> Result<Outcome, ActionError> {
        self.operate(name, OperationOrder::Rollback(order), requester)
            .await
    }

    async fn operate(
        &self,
        name: &ApplicationName,
        order: OperationOrder<'_>,
        requester: &Requester,
    ) -> Result<Outcome, ActionError> {
        // Scope and list hold for a repeat, too: they may have become narrower since.
        let found = self.live(name, order.action(), requester).await?;
        let started = Box::pin(self.start(name, order, requester, found));
        self.once(order.asked(), started).await
    }

    async fn start(
        &self,
        name: &ApplicationName,
        order: OperationOrder<'_>,
        requester: &Requester,
        found: (Value, Application),
    ) -> Result<Outcome, ActionError> {
        let mut found = Some(found);
        for _ in 0..ATTEMPTS {
            let (object, application) = match found.take() {
                Some(found) => found,
                None => self.live(name, order.action(), requester).await?,
            };
            match decide(&application, order.asked(), requester.asked_at) {
                Decision::Start => {}
                Decision::Repeated(at) => return Ok(repeated(&application, at)),
                Decision::Overtaken => return Err(ActionError::Overtaken(name.clone())),
                Decision::RequestIdReused => {
                    return Err(crate::outcome::RequestIdReused(order.asked().id).into());
                }
                Decision::Busy(running) => {
                    let application = name.clone();
                    return Err(ActionError::Busy {
                        application,
                        running,
                    });
                }
            }
            let at = now();
            if let Some(object) = self.attempt(&application, &object, order, at).await? {
                return done(object, at);
            }
        }
        Err(ActionError::Contended(name.clone()))
    }

    /// Returns `None` when the object has changed and the decision must be repeated.
    async fn attempt(
        &self,
        application: &Application,
        object: &Value,
        order: OperationOrder<'_>,
        at: i64,
    ) -> Result<Option<Value>, ActionError> {
        let name = named(application);
        let senseless = |error| ActionError::order(application, error);
        match order {
            OperationOrder::Sync(order) if self.setup.argocd.is_configured() => {
                self.start_by_api(&name, order, application, object).await
            }
            OperationOrder::Sync(order) => {
                let patch = order.patch(object, at).map_err(senseless)?;
                self.write(&name, patch, &order.asked).await
            }
            OperationOrder::Rollback(order) => {
                let patch = order.patch(object, at).map_err(senseless)?;
                self.authorize(Verb::Sync, application).await?;
                self.write(&name, patch, &order.asked).await
            }
        }
    }

    async fn start_by_api(
        &self,
        name: &ApplicationName,
        order: &SyncOrder,
        application: &Application,
        object: &Value,
    ) -> Result<Option<Value>, ActionError> {
        let senseless = |error| ActionError::order(application, error);
        let request = order.request(object).map_err(senseless)?;
        match self.setup.argocd.sync(name, &request).await {
            Ok(object) => Ok(Some(object)),
            // Somebody was faster, or the answer was lost on its way: the object tells which.
            Err(ArgocdError::Precondition { .. } | ArgocdError::NoResponse { .. })
                if self.taken(name).await =>
            {
                Ok(None)
            }
            // It may still be on its way into the object, so that it is not sent once more here.
            Err(error @ ArgocdError::NoResponse { .. }) => {
                Err(ActionError::unknown(name, &order.asked, &error.to_string()))
            }
            // Argo CD asks for a right of its own where the revision is another one than the Application's.
            Err(error @ ArgocdError::Denied { .. }) if order.names_a_revision() => {
                Err(error.into())
            }
            // It is there: another Argo CD has it. What the token may not do is not done past its Argo CD, though.
            Err(ArgocdError::NotFound { .. } | ArgocdError::Denied { .. })
                if self.setup.argocd.is_permitted(Verb::Sync, name).await? =>
            {
                let patch = order.patch(object, now()).map_err(senseless)?;
                self.write(name, patch, &order.asked).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// True if there is an operation, whosever it is.
    async fn taken(&self, name: &ApplicationName) -> bool {
        let Ok(object) = self.applications.get(name).await else {
            return false;
        };
        Application::from_value(object).is_ok_and(|application| crate::sync::is_taken(&application))
    }
}
