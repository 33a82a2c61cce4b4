//! gRPC handlers of `AuthorizationService`.

pub(crate) mod permissions;

use causeway_proto::{error::v1::Reason, platform::v1 as pb};
use causeway_shell::status::status;
use tonic::{Code, Request, Response, Status};

use crate::{
    api_keys::model::KeyRefusal,
    audit::{AppendResult, Entry},
    authorization::AuthorizeError,
    authorization::service::AuthorizationService,
    convert,
    credential::Refusal,
    grpc::{Handler, internal},
    platform::now,
    sessions::model::SessionRefusal,
    sign_in::grpc as sign_in,
};

#[tonic::async_trait]
impl pb::authorization_service_server::AuthorizationService for Handler<AuthorizationService> {
    async fn authorize(
        &self,
        request: Request<pb::AuthorizeRequest>,
    ) -> Result<Response<pb::AuthorizeResponse>, Status> {
        let call = convert::call(request.into_inner())?;
        let permit = self.0.authorize(&call, now()).await?;
        Ok(Response::new(permit.into()))
    }

    async fn issue_assertion(
        &self,
        request: Request<pb::IssueAssertionRequest>,
    ) -> Result<Response<pb::IssueAssertionResponse>, Status> {
        let origin = sign_in::origin(&request);
        let call = convert::direct_call(request.into_inner(), origin);
        let (permit, part) = self.0.issue(&call, now()).await?;
        Ok(Response::new(convert::issued(permit, part)))
    }

    async fn record_outcome(
        &self,
        request: Request<pb::RecordOutcomeRequest>,
    ) -> Result<Response<pb::RecordOutcomeResponse>, Status> {
        let (audit_id, end) = convert::end(request.into_inner(), now())?;
        match self
            .0
            .authorizer
            .audit
            .write(Entry::Close { audit_id, end })
            .await?
        {
            AppendResult::Done | AppendResult::Kept => {
                Ok(Response::new(pb::RecordOutcomeResponse {}))
            }
            AppendResult::NoRow => {
                let text = "audit_id: there is no such row";
                Err(status(Code::NotFound, Reason::ObjectUnknown, text))
            }
        }
    }
}

impl From<AuthorizeError> for Status {
    fn from(error: AuthorizeError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            AuthorizeError::CredentialMissing => (Code::Unauthenticated, Reason::CredentialMissing),
            AuthorizeError::CredentialUnknown => (Code::Unauthenticated, Reason::CredentialInvalid),
            AuthorizeError::Throttled(throttled) => return throttled.into(),
            AuthorizeError::Credential(
                Refusal::Key(KeyRefusal::Revoked | KeyRefusal::Rotated | KeyRefusal::Disabled)
                | Refusal::Session(
                    SessionRefusal::Revoked | SessionRefusal::KeyEnded | SessionRefusal::Disabled,
                ),
            ) => (Code::Unauthenticated, Reason::CredentialRevoked),
            AuthorizeError::Credential(
                Refusal::Key(KeyRefusal::Expired) | Refusal::Session(SessionRefusal::Expired),
            ) => (Code::Unauthenticated, Reason::CredentialExpired),
            AuthorizeError::Denied(_) => (Code::PermissionDenied, Reason::PermissionDenied),
            AuthorizeError::RuntimeUnknown(_) => (Code::NotFound, Reason::RuntimeUnknown),
            AuthorizeError::Missing { .. } | AuthorizeError::OneRequest(_) => {
                (Code::InvalidArgument, Reason::FieldInvalid)
            }
            AuthorizeError::Audit(error) => return error.into(),
            AuthorizeError::Store(error) => return error.into(),
            AuthorizeError::Signing(error) => return internal(error),
        };
        status(code, reason, text)
    }
}
