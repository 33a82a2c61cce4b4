//! Idempotency of changes: a repeated request ID returns the first outcome without a second effect.

use causeway_proto::ids::{AccountId, RequestId, UserId};

/// How long an outcome is kept, in milliseconds.
pub(crate) const KEPT_FOR: i64 = 24 * 60 * 60 * 1000;

/// One request of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserRequest {
    /// The user's account.
    pub account: AccountId,
    /// Who asks.
    pub user: UserId,
    /// The name of the RPC.
    pub method: &'static str,
    /// The client's id of the request.
    pub request_id: RequestId,
    /// The SHA-256 of the whole request.
    pub digest: [u8; 32],
    /// At which version of the account's policy it was checked that the user may; a change of that policy looks again.
    pub policy_version: Option<u64>,
}

impl UserRequest {
    /// The same, checked at a version of the account's policy.
    pub(crate) fn checked_at(&self, version: u64) -> Self {
        Self {
            policy_version: Some(version),
            ..self.clone()
        }
    }
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Recorded<T> {
    /// It took effect now.
    First(T),
    /// It had taken effect before: this is what came of it.
    Repeated(T),
    /// Its id belongs to another request.
    Reused,
}
