//! Authorizes reads that a caller sends directly to a service, without the router.

use super::{AuthorizeError, Authorizer, Call, Permit, Proof, needed, open_to_users};

impl Authorizer {
    /// Decides a read that is sent to its part directly. `now` is in milliseconds since 1970.
    pub(crate) async fn issue(
        &self,
        call: &Call,
        now: i64,
    ) -> Result<(Permit, &'static str), AuthorizeError> {
        let (method, _) = open_to_users(&call.method).map_err(AuthorizeError::Denied)?;
        if needed(method.kind) != Proof::Reusable {
            return Err(AuthorizeError::OneRequest(method.path.clone()));
        }
        let permit = self.authorize(call, now).await?;
        Ok((permit, method.part.as_str()))
    }
}
