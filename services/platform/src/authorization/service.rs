//! Authorizes calls and counts the decisions.

use std::sync::Arc;

use super::{AuthorizeError, Authorizer, Call, Permit};
use crate::figures::Figures;

/// Decisions on calls of users.
#[derive(Clone)]
pub(crate) struct AuthorizationService {
    pub authorizer: Arc<Authorizer>,
    pub figures: Arc<Figures>,
}

impl AuthorizationService {
    /// Decides one call of a user.
    pub(crate) async fn authorize(&self, call: &Call, now: i64) -> Result<Permit, AuthorizeError> {
        let decided = self.authorizer.authorize(call, now).await;
        self.figures.decided(decided.is_ok());
        decided
    }

    /// Signs a read for its part, which is named.
    pub(crate) async fn issue(
        &self,
        call: &Call,
        now: i64,
    ) -> Result<(Permit, &'static str), AuthorizeError> {
        let decided = self.authorizer.issue(call, now).await;
        self.figures.decided(decided.is_ok());
        decided
    }
}
