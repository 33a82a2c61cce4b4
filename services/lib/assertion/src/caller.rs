//! Who a handler serves.

use std::sync::Arc;

use causeway_proto::{
    error::v1::Reason,
    ids::{AccountId, RequestId, RuntimeId, UserId},
};
use tonic::{Code, Request, Status};

use super::{Scope, Subject};
use causeway_proto::status::status;

/// The verified caller of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Caller {
    pub subject: Subject,
    /// The account that the call is about, and the only one it may touch.
    pub account: AccountId,
    /// The runtime that vouches for the caller: set for runtimes and their parts.
    pub runtime: Option<RuntimeId>,
    pub scope: Scope,
    pub request_id: Option<RequestId>,
    /// When it asked, by the clock of who signed: seconds since 1970.
    pub issued_at: u64,
    /// Set on mutations and reads of secrets: used once.
    pub jti: Option<String>,
    /// What the user showed to the platform, such as `session:ses-0123` or `key:key-0123`.
    pub credential: Option<String>,
}

impl Caller {
    /// The caller of a request that went through the shell's verification. On public methods it is
    /// there only where a good assertion was shown.
    pub fn from_request<T>(request: &Request<T>) -> Result<&Self, Status> {
        request
            .extensions()
            .get::<Arc<Self>>()
            .map(Arc::as_ref)
            .ok_or_else(|| {
                status(
                    Code::Unauthenticated,
                    Reason::CredentialMissing,
                    "this call needs an assertion: send `authorization: Bearer <assertion>`",
                )
            })
    }

    /// The user, if a user asks.
    #[must_use]
    pub fn user(&self) -> Option<&UserId> {
        match &self.subject {
            Subject::User(user) => Some(user),
            Subject::Runtime { .. } | Subject::Part { .. } => None,
        }
    }
}
