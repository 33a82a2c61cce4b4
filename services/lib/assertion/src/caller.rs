//! Verified caller of a request.

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
    /// The only account that the call may access.
    pub account: AccountId,
    /// Set for runtimes and their parts.
    pub runtime: Option<RuntimeId>,
    pub scope: Scope,
    pub request_id: Option<RequestId>,
    /// Unix time in seconds, by the signer's clock.
    pub issued_at: u64,
    /// One-time id of mutations and secret reads.
    pub jti: Option<String>,
    /// Credential that the user presented to the platform, such as `session:ses-0123` or `key:key-0123`.
    pub credential: Option<String>,
}

impl Caller {
    /// Returns the caller that the shell verified. On public methods it is set only if the request had a valid assertion.
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

    /// Returns the user id if the caller is a user.
    #[must_use]
    pub fn user(&self) -> Option<&UserId> {
        match &self.subject {
            Subject::User(user) => Some(user),
            Subject::Runtime { .. } | Subject::Part { .. } => None,
        }
    }
}
