//! Shared parts of the gRPC handlers: registration, page sizes and status mapping.

use std::collections::BTreeMap;

use causeway_assertion::ApplicationAttributes;
use causeway_proto::{error::v1::Reason, ids::UserId, platform::v1 as pb};
use causeway_shell::{Caller, Server, page::PageSizes, status::status};
use pb::{
    account_service_server::AccountServiceServer, api_key_service_server::ApiKeyServiceServer,
    audit_service_server::AuditServiceServer,
    authorization_service_server::AuthorizationServiceServer,
    identity_provider_service_server::IdentityProviderServiceServer,
    info_service_server::InfoServiceServer, key_service_server::KeyServiceServer,
    part_service_server::PartServiceServer, permission_service_server::PermissionServiceServer,
    preference_service_server::PreferenceServiceServer, role_service_server::RoleServiceServer,
    runtime_service_server::RuntimeServiceServer,
    service_account_service_server::ServiceAccountServiceServer,
    session_service_server::SessionServiceServer, sign_in_service_server::SignInServiceServer,
    user_service_server::UserServiceServer,
};
use tonic::{Code, Request, Status};

use crate::{
    audit::AuditError,
    convert::FieldError,
    platform::{ChangeError, Platform},
    store::StoreError,
};

/// Serves one gRPC service of `causeway.platform.v1` by its domain service.
pub(crate) struct Handler<S>(pub S);

/// Adds all services of the platform to a server.
pub(crate) fn add_services(server: Server, platform: &Platform) -> Server {
    server
        .add(AuthorizationServiceServer::new(Handler(
            platform.authorization.clone(),
        )))
        .add(ApiKeyServiceServer::new(Handler(platform.api_keys.clone())))
        .add(RuntimeServiceServer::new(Handler(
            platform.runtimes.clone(),
        )))
        .add(KeyServiceServer::new(Handler(platform.keys.clone())))
        .add(PartServiceServer::new(Handler(platform.parts.clone())))
        .add(AccountServiceServer::new(Handler(
            platform.accounts.clone(),
        )))
        .add(RoleServiceServer::new(Handler(platform.roles.clone())))
        .add(UserServiceServer::new(Handler(platform.users.clone())))
        .add(PermissionServiceServer::new(Handler(
            platform.access.clone(),
        )))
        .add(AuditServiceServer::new(Handler(platform.audit.clone())))
        .add(SignInServiceServer::new(Handler(platform.sign_in.clone())))
        .add(SessionServiceServer::new(Handler(
            platform.sessions.clone(),
        )))
        .add(IdentityProviderServiceServer::new(Handler(
            platform.identity_providers.clone(),
        )))
        .add(InfoServiceServer::new(Handler(platform.info.clone())))
        .add(PreferenceServiceServer::new(Handler(
            platform.preferences.clone(),
        )))
        .add(ServiceAccountServiceServer::new(Handler(
            platform.service_accounts.clone(),
        )))
}

/// How many rows the pages of a list have.
pub(crate) const PAGES: PageSizes = PageSizes {
    default: 100,
    max: 500,
};
/// Page sizes of lists that were once returned whole: a client that requests no page size receives as much as before.
pub(crate) const WHOLE_PAGES: PageSizes = PageSizes::fixed(1000);

/// The user who asks, with the caller.
pub(crate) fn user_of<T>(request: &Request<T>) -> Result<(&Caller, &UserId), Status> {
    let caller = Caller::from_request(request)?;
    let user = caller.user().ok_or_else(|| {
        status(
            Code::PermissionDenied,
            Reason::PermissionDenied,
            "this call is for users",
        )
    })?;
    Ok((caller, user))
}

/// True if a caller sees a thing of the platform itself, such as a user, by its name.
pub(crate) fn sees(caller: &Caller, name: &str) -> bool {
    caller.scope.contains(&ApplicationAttributes {
        runtime: "",
        cluster: "",
        project: "",
        namespace: "",
        name,
        labels: &BTreeMap::new(),
    })
}

/// True if a caller sees a runtime, by its name. A rule that selects by what a runtime does not have, such as a project, selects
/// none, for reads as for changes.
pub(crate) fn sees_runtime(caller: &Caller, runtime: &str) -> bool {
    caller.scope.contains(&ApplicationAttributes {
        runtime,
        cluster: "",
        project: "",
        namespace: "",
        name: "",
        labels: &BTreeMap::new(),
    })
}

/// What a caller gets to know of a fault of ours.
pub(crate) fn internal(error: impl Into<anyhow::Error>) -> Status {
    let error: anyhow::Error = error.into();
    tracing::error!(error = %format!("{error:#}"), "a call failed");
    Status::internal("internal error")
}

/// The answer for a request id that belongs to another request.
pub(crate) fn reused() -> Status {
    ChangeError::Reused.into()
}

impl From<ChangeError> for Status {
    fn from(error: ChangeError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            ChangeError::Denied { .. }
            | ChangeError::Unselected { .. }
            | ChangeError::FirstAccountOnly => (Code::PermissionDenied, Reason::PermissionDenied),
            ChangeError::Escalation(_) | ChangeError::Unlimited | ChangeError::AnothersLink => {
                (Code::PermissionDenied, Reason::Escalation)
            }
            ChangeError::Rules(_)
            | ChangeError::Reused
            | ChangeError::RoleUnknown(_)
            | ChangeError::NotYourRole(_)
            | ChangeError::Trust(_) => (Code::InvalidArgument, Reason::FieldInvalid),
            ChangeError::Unknown { .. } => (Code::NotFound, Reason::ObjectUnknown),
            ChangeError::NameTaken(_) | ChangeError::Linked => {
                (Code::AlreadyExists, Reason::NameTaken)
            }
            ChangeError::BuiltIn(_) => (Code::FailedPrecondition, Reason::PreconditionFailed),
            ChangeError::RoleInUse(_) => (Code::FailedPrecondition, Reason::RoleInUse),
            ChangeError::LastAdmin => (Code::FailedPrecondition, Reason::LastAdmin),
            ChangeError::Full(_) => (Code::ResourceExhausted, Reason::TooLarge),
            ChangeError::Issuer(_) => (Code::FailedPrecondition, Reason::ProviderUnavailable),
            ChangeError::NoSession | ChangeError::NoKey => {
                (Code::FailedPrecondition, Reason::CredentialInvalid)
            }
            ChangeError::Seal(error) => return internal(error),
            ChangeError::Overtaken => (Code::Aborted, Reason::ScopeChanged),
            ChangeError::Stale { .. } => (Code::Aborted, Reason::VersionOutdated),
            ChangeError::Revoked => (Code::FailedPrecondition, Reason::CredentialRevoked),
            ChangeError::Store(error) => return error.into(),
        };
        status(code, reason, text)
    }
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
