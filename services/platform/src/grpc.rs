//! The platform's services over gRPC: convert in, one call into the domain, convert out.

mod api_keys;
mod audit;
mod authorization;
mod keys;
mod parts;
mod runtimes;

use std::sync::Arc;

use causeway_proto::{error::v1::Reason, ids::UserId, platform::v1 as pb};
use causeway_shell::{Caller, Server, status::status};
use pb::{
    api_key_service_server::ApiKeyServiceServer, audit_service_server::AuditServiceServer,
    authorization_service_server::AuthorizationServiceServer, key_service_server::KeyServiceServer,
    part_service_server::PartServiceServer, runtime_service_server::RuntimeServiceServer,
};
use tonic::{Code, Request, Status};

use crate::{audit::AuditError, convert::FieldError, platform::Platform, store::StoreError};

/// Serves all of `causeway.platform.v1`.
#[derive(Clone)]
pub(crate) struct Handler(pub Arc<Platform>);

impl Handler {
    /// Adds all services of the platform to a server.
    pub(crate) fn add_to(self, server: Server) -> Server {
        server
            .add(AuthorizationServiceServer::new(self.clone()))
            .add(ApiKeyServiceServer::new(self.clone()))
            .add(RuntimeServiceServer::new(self.clone()))
            .add(KeyServiceServer::new(self.clone()))
            .add(PartServiceServer::new(self.clone()))
            .add(AuditServiceServer::new(self))
    }
}

/// The user who asks, with the caller.
fn user_of<T>(request: &Request<T>) -> Result<(&Caller, &UserId), Status> {
    let caller = Caller::of(request)?;
    let user = caller.user().ok_or_else(|| {
        status(
            Code::PermissionDenied,
            Reason::PermissionDenied,
            "this call is for users",
        )
    })?;
    Ok((caller, user))
}

/// What a caller gets to know of a fault of ours.
fn internal(error: impl Into<anyhow::Error>) -> Status {
    let error: anyhow::Error = error.into();
    tracing::error!(error = %format!("{error:#}"), "a call failed");
    Status::internal("internal error")
}

/// The answer for a request id that belongs to another request.
fn reused() -> Status {
    FieldError::new(
        "request_id",
        "another request had it: make a new UUID for each request",
    )
    .into()
}

impl From<FieldError> for Status {
    fn from(error: FieldError) -> Self {
        status(
            Code::InvalidArgument,
            Reason::FieldInvalid,
            error.to_string(),
        )
    }
}

impl From<StoreError> for Status {
    fn from(error: StoreError) -> Self {
        if error.is_unavailable() {
            tracing::warn!(error = %format!("{:#}", anyhow::Error::from(error)), "the database does not answer");
            let text = "the database does not answer: try again";
            return status(Code::Unavailable, Reason::UpstreamUnavailable, text);
        }
        internal(error)
    }
}

impl From<AuditError> for Status {
    fn from(error: AuditError) -> Self {
        let text = error.to_string();
        match error {
            AuditError::Store => status(Code::Unavailable, Reason::UpstreamUnavailable, text),
            AuditError::Stopping => status(Code::Unavailable, Reason::Draining, text),
        }
    }
}
