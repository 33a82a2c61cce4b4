//! The gRPC face of rollouts.

use causeway_argocd::ClusterError;
use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, rollout_action_service_server::RolloutActionService},
};
use causeway_shell::{Caller, status::status};
use tonic::{Code, Request, Response, Status};

use crate::{
    convert::{FieldError, read_requester, rollout as convert},
    kube::objects::ObjectError,
    rollout::act::{RolloutError, RolloutOrder, Rollouts},
};

/// Answers users.
pub struct RolloutHandler {
    rollouts: Rollouts,
}

impl RolloutHandler {
    /// Acts by these.
    pub fn new(rollouts: Rollouts) -> Self {
        Self { rollouts }
    }

    async fn act<T>(
        &self,
        request: Request<T>,
        read: fn(T) -> Result<RolloutOrder, FieldError>,
    ) -> Result<Option<pb::RolloutOutcome>, Status> {
        let requester = read_requester(Caller::from_request(&request)?)?;
        let order = read(request.into_inner())?;
        let outcome = self.rollouts.act(&order, &requester).await;
        Ok(Some(outcome.map_err(|error| self.to_status(error))?.into()))
    }

    fn to_status(&self, error: RolloutError) -> Status {
        self.rollouts.redacted(error).into()
    }
}

#[tonic::async_trait]
impl RolloutActionService for RolloutHandler {
    async fn promote_rollout(
        &self,
        request: Request<pb::PromoteRolloutRequest>,
    ) -> Result<Response<pb::PromoteRolloutResponse>, Status> {
        let outcome = self.act(request, convert::promote).await?;
        Ok(Response::new(pb::PromoteRolloutResponse { outcome }))
    }

    async fn pause_rollout(
        &self,
        request: Request<pb::PauseRolloutRequest>,
    ) -> Result<Response<pb::PauseRolloutResponse>, Status> {
        let outcome = self.act(request, convert::pause).await?;
        Ok(Response::new(pb::PauseRolloutResponse { outcome }))
    }

    async fn resume_rollout(
        &self,
        request: Request<pb::ResumeRolloutRequest>,
    ) -> Result<Response<pb::ResumeRolloutResponse>, Status> {
        let outcome = self.act(request, convert::resume).await?;
        Ok(Response::new(pb::ResumeRolloutResponse { outcome }))
    }

    async fn abort_rollout(
        &self,
        request: Request<pb::AbortRolloutRequest>,
    ) -> Result<Response<pb::AbortRolloutResponse>, Status> {
        let outcome = self.act(request, convert::abort).await?;
        Ok(Response::new(pb::AbortRolloutResponse { outcome }))
    }

    async fn retry_rollout(
        &self,
        request: Request<pb::RetryRolloutRequest>,
    ) -> Result<Response<pb::RetryRolloutResponse>, Status> {
        let outcome = self.act(request, convert::retry).await?;
        Ok(Response::new(pb::RetryRolloutResponse { outcome }))
    }

    async fn restart_rollout(
        &self,
        request: Request<pb::RestartRolloutRequest>,
    ) -> Result<Response<pb::RestartRolloutResponse>, Status> {
        let outcome = self.act(request, convert::restart).await?;
        Ok(Response::new(pb::RestartRolloutResponse { outcome }))
    }

    async fn undo_rollout(
        &self,
        request: Request<pb::UndoRolloutRequest>,
    ) -> Result<Response<pb::UndoRolloutResponse>, Status> {
        let outcome = self.act(request, convert::undo).await?;
        Ok(Response::new(pb::UndoRolloutResponse { outcome }))
    }

    async fn set_rollout_image(
        &self,
        request: Request<pb::SetRolloutImageRequest>,
    ) -> Result<Response<pb::SetRolloutImageResponse>, Status> {
        let outcome = self.act(request, convert::set_image).await?;
        Ok(Response::new(pb::SetRolloutImageResponse { outcome }))
    }
}

impl From<RolloutError> for Status {
    fn from(error: RolloutError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            RolloutError::Subject(error) => super::resource::subject(&error),
            RolloutError::Refused { .. } => (Code::FailedPrecondition, Reason::PreconditionFailed),
            RolloutError::RequestIdReused(_) => (Code::InvalidArgument, Reason::FieldInvalid),
            RolloutError::Unknown(..) => (Code::Unknown, Reason::OutcomeUnknown),
            RolloutError::Overtaken(_) | RolloutError::Contended(_) => {
                (Code::Aborted, Reason::OperationInProgress)
            }
            RolloutError::Cluster(error) => object(&error),
        };
        status(code, reason, text)
    }
}

/// What an answer of the cluster about an object means.
pub(crate) fn object(error: &ObjectError) -> (Code, Reason) {
    match error {
        ObjectError::NotFound => (Code::NotFound, Reason::ResourceUnknown),
        ObjectError::NoKind(_) => (Code::FailedPrecondition, Reason::UpstreamUnavailable),
        ObjectError::Exists => (Code::AlreadyExists, Reason::NameTaken),
        ObjectError::Conflict => (Code::Aborted, Reason::OperationInProgress),
        ObjectError::Invalid(_) => (Code::InvalidArgument, Reason::FieldInvalid),
        ObjectError::Cluster(
            ClusterError::Kubeconfig { .. }
            | ClusterError::NotConfigured { .. }
            | ClusterError::Refused { .. }
            | ClusterError::NoApplications { .. },
        ) => (Code::FailedPrecondition, Reason::UpstreamUnavailable),
        ObjectError::Cluster(ClusterError::Unreachable { .. }) => {
            (Code::Unavailable, Reason::UpstreamUnavailable)
        }
    }
}
