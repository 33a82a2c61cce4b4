//! The gRPC face: converts in, acts once, converts out.

mod exec;
pub(crate) mod git;
pub(crate) mod git_source;
mod log;
mod resource;
pub(crate) mod rollout;
pub(crate) mod workflow;

use causeway_argocd::{ArgocdError, ClusterError};
use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, application_action_service_server::ApplicationActionService},
};
use causeway_shell::{Caller, status::status};
use tonic::{Code, Request, Response, Status};

use crate::{
    action::{ActionError, Actions},
    convert::{self, FieldError},
    kube::ApplicationsError,
};

pub use exec::ExecHandler;
pub use log::LogHandler;
pub use resource::ResourceHandler;

/// What Argo CD says, as an internal error, about a revision that a repository does not have.
const UNRESOLVED: &str = "unable to resolve '";

/// Answers users.
pub struct Handler {
    actions: Actions,
}

impl Handler {
    /// Acts by these.
    pub fn new(actions: Actions) -> Self {
        Self { actions }
    }

    fn to_status(&self, error: ActionError) -> Status {
        self.actions.redacted(error).into()
    }
}

#[tonic::async_trait]
impl ApplicationActionService for Handler {
    async fn sync_application(
        &self,
        request: Request<pb::SyncApplicationRequest>,
    ) -> Result<Response<pb::SyncApplicationResponse>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let (name, order) = convert::read_sync(request.into_inner(), &requester)?;
        let outcome = self.actions.sync(&name, &order, &requester).await;
        let outcome = outcome.map_err(|error| self.to_status(error))?;
        Ok(Response::new(convert::to_sync_response(
            &order.asked,
            &outcome,
        )))
    }

    async fn refresh_application(
        &self,
        request: Request<pb::RefreshApplicationRequest>,
    ) -> Result<Response<pb::RefreshApplicationResponse>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let (name, order) = convert::read_refresh(request.into_inner(), &requester)?;
        let outcome = self.actions.refresh(&name, &order, &requester).await;
        let outcome = outcome.map_err(|error| self.to_status(error))?;
        Ok(Response::new(convert::to_refresh_response(
            &order.asked,
            &outcome,
        )))
    }

    async fn terminate_operation(
        &self,
        request: Request<pb::TerminateOperationRequest>,
    ) -> Result<Response<pb::TerminateOperationResponse>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let (name, asked) = convert::read_terminate(request.into_inner(), &requester)?;
        let outcome = self.actions.terminate(&name, &asked, &requester).await;
        let outcome = outcome.map_err(|error| self.to_status(error))?;
        Ok(Response::new(convert::to_terminate_response(
            &asked, &outcome,
        )))
    }

    async fn rollback_application(
        &self,
        request: Request<pb::RollbackApplicationRequest>,
    ) -> Result<Response<pb::RollbackApplicationResponse>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let (name, order) = convert::read_rollback(request.into_inner(), &requester)?;
        let outcome = self.actions.rollback(&name, &order, &requester).await;
        let outcome = outcome.map_err(|error| self.to_status(error))?;
        Ok(Response::new(convert::to_rollback_response(
            &order.asked,
            &outcome,
        )))
    }

    async fn delete_application(
        &self,
        request: Request<pb::DeleteApplicationRequest>,
    ) -> Result<Response<pb::DeleteApplicationResponse>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let (name, order) = convert::read_delete(request.into_inner(), &requester)?;
        let outcome = self.actions.delete(&name, &order, &requester).await;
        let outcome = outcome.map_err(|error| self.to_status(error))?;
        Ok(Response::new(convert::to_delete_response(
            &order.asked,
            &outcome,
        )))
    }

    async fn set_application_source(
        &self,
        request: Request<pb::SetApplicationSourceRequest>,
    ) -> Result<Response<pb::SetApplicationSourceResponse>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let (name, order) = convert::read_set_source(request.into_inner(), &requester)?;
        let outcome = self.actions.set_source(&name, &order, &requester).await;
        let outcome = outcome.map_err(|error| self.to_status(error))?;
        Ok(Response::new(convert::to_set_source_response(
            &order.asked,
            &outcome,
        )))
    }

    async fn get_live_application(
        &self,
        request: Request<pb::GetLiveApplicationRequest>,
    ) -> Result<Response<pb::GetLiveApplicationResponse>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let request = request.into_inner();
        let name = convert::read_name(request.namespace, request.name)?;
        let live = self.actions.read(&name, &requester).await;
        let live = live.map_err(|error| self.to_status(error))?;
        Ok(Response::new(live.into()))
    }
}

impl From<FieldError> for Status {
    fn from(error: FieldError) -> Self {
        let text = error.to_string();
        status(Code::InvalidArgument, Reason::FieldInvalid, text)
    }
}

impl From<ActionError> for Status {
    fn from(error: ActionError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            ActionError::Unknown { .. } => (Code::NotFound, Reason::ApplicationUnknown),
            ActionError::NotAllowed(_) => (Code::PermissionDenied, Reason::RuntimePolicy),
            ActionError::Idle(_)
            | ActionError::Deleting { .. }
            | ActionError::Order { .. }
            | ActionError::Source { .. } => (Code::FailedPrecondition, Reason::PreconditionFailed),
            ActionError::NotBegun(_) => (Code::Aborted, Reason::OperationInProgress),
            ActionError::OutcomeUnknown { .. } => (Code::Unavailable, Reason::OutcomeUnknown),
            ActionError::Busy { .. } => (Code::FailedPrecondition, Reason::OperationInProgress),
            ActionError::RequestIdReused(_) => (Code::InvalidArgument, Reason::FieldInvalid),
            ActionError::Overtaken(_) | ActionError::Contended(_) => {
                (Code::Aborted, Reason::OperationInProgress)
            }
            ActionError::Malformed(_) => (Code::FailedPrecondition, Reason::PreconditionFailed),
            ActionError::Applications(error) => applications(&error),
            ActionError::Argocd(error) => argocd(&error),
        };
        status(code, reason, text)
    }
}

fn applications(error: &ApplicationsError) -> (Code, Reason) {
    match error {
        ApplicationsError::NotFound => (Code::NotFound, Reason::ApplicationUnknown),
        ApplicationsError::Conflict => (Code::Aborted, Reason::OperationInProgress),
        ApplicationsError::Invalid(_) => (Code::InvalidArgument, Reason::FieldInvalid),
        ApplicationsError::Cluster(error) => cluster(error),
    }
}

fn cluster(error: &ClusterError) -> (Code, Reason) {
    match error {
        ClusterError::Kubeconfig { .. }
        | ClusterError::NotConfigured { .. }
        | ClusterError::Refused { .. }
        | ClusterError::NoApplications { .. } => {
            (Code::FailedPrecondition, Reason::UpstreamUnavailable)
        }
        ClusterError::Unreachable { .. } => (Code::Unavailable, Reason::UpstreamUnavailable),
    }
}

fn argocd(error: &ArgocdError) -> (Code, Reason) {
    match error {
        ArgocdError::NoToken
        | ArgocdError::TokenFile { .. }
        | ArgocdError::CaFile { .. }
        | ArgocdError::Untrusted { .. }
        | ArgocdError::TokenRefused { .. } => {
            (Code::FailedPrecondition, Reason::ArgocdTokenRefused)
        }
        ArgocdError::NotFound { .. } | ArgocdError::Denied { .. } => {
            (Code::NotFound, Reason::ApplicationUnknown)
        }
        ArgocdError::UnknownRevision { .. } => (Code::NotFound, Reason::RevisionUnknown),
        ArgocdError::Failed { message } if message.contains(UNRESOLVED) => {
            (Code::NotFound, Reason::RevisionUnknown)
        }
        ArgocdError::Precondition { .. } | ArgocdError::Rejected { .. } => {
            (Code::FailedPrecondition, Reason::PreconditionFailed)
        }
        ArgocdError::TooLarge { .. } => (Code::ResourceExhausted, Reason::TooLarge),
        ArgocdError::ServerNotFound { .. }
        | ArgocdError::Unavailable { .. }
        | ArgocdError::NoResponse { .. }
        | ArgocdError::Timeout { .. }
        | ArgocdError::Failed { .. }
        | ArgocdError::Malformed { .. } => (Code::Unavailable, Reason::ArgocdUnavailable),
    }
}
