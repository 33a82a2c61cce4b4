//! The gRPC face of workflows.

use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, workflow_action_service_server::WorkflowActionService},
};
use causeway_shell::{Caller, status::status};
use tonic::{Code, Request, Response, Status};

use super::{resource, rollout};
use crate::{
    convert::{FieldError, read_requester, workflow as convert},
    scope::Requester,
    workflow::act::{WorkflowError, WorkflowOrder, Workflows},
};

/// Answers users.
pub struct WorkflowHandler {
    workflows: Workflows,
}

impl WorkflowHandler {
    /// Acts by these.
    pub fn new(workflows: Workflows) -> Self {
        Self { workflows }
    }

    async fn act<T>(
        &self,
        request: Request<T>,
        read: fn(T, &Requester) -> Result<WorkflowOrder, FieldError>,
    ) -> Result<Option<pb::WorkflowOutcome>, Status> {
        let requester = read_requester(Caller::from_request(&request)?)?;
        let order = read(request.into_inner(), &requester)?;
        let outcome = self.workflows.act(&order, &requester).await;
        Ok(Some(outcome.map_err(|error| self.to_status(error))?.into()))
    }

    fn to_status(&self, error: WorkflowError) -> Status {
        self.workflows.redacted(error).into()
    }
}

#[tonic::async_trait]
impl WorkflowActionService for WorkflowHandler {
    async fn stop_workflow(
        &self,
        request: Request<pb::StopWorkflowRequest>,
    ) -> Result<Response<pb::StopWorkflowResponse>, Status> {
        let outcome = self.act(request, convert::stop).await?;
        Ok(Response::new(pb::StopWorkflowResponse { outcome }))
    }

    async fn terminate_workflow(
        &self,
        request: Request<pb::TerminateWorkflowRequest>,
    ) -> Result<Response<pb::TerminateWorkflowResponse>, Status> {
        let outcome = self.act(request, convert::terminate).await?;
        Ok(Response::new(pb::TerminateWorkflowResponse { outcome }))
    }

    async fn suspend_workflow(
        &self,
        request: Request<pb::SuspendWorkflowRequest>,
    ) -> Result<Response<pb::SuspendWorkflowResponse>, Status> {
        let outcome = self.act(request, convert::suspend).await?;
        Ok(Response::new(pb::SuspendWorkflowResponse { outcome }))
    }

    async fn resume_workflow(
        &self,
        request: Request<pb::ResumeWorkflowRequest>,
    ) -> Result<Response<pb::ResumeWorkflowResponse>, Status> {
        let outcome = self.act(request, convert::resume).await?;
        Ok(Response::new(pb::ResumeWorkflowResponse { outcome }))
    }

    async fn retry_workflow(
        &self,
        request: Request<pb::RetryWorkflowRequest>,
    ) -> Result<Response<pb::RetryWorkflowResponse>, Status> {
        let outcome = self.act(request, convert::retry).await?;
        Ok(Response::new(pb::RetryWorkflowResponse { outcome }))
    }

    async fn resubmit_workflow(
        &self,
        request: Request<pb::ResubmitWorkflowRequest>,
    ) -> Result<Response<pb::ResubmitWorkflowResponse>, Status> {
        let outcome = self.act(request, convert::resubmit).await?;
        Ok(Response::new(pb::ResubmitWorkflowResponse { outcome }))
    }

    async fn submit_workflow(
        &self,
        request: Request<pb::SubmitWorkflowRequest>,
    ) -> Result<Response<pb::SubmitWorkflowResponse>, Status> {
        let outcome = self.act(request, convert::submit).await?;
        Ok(Response::new(pb::SubmitWorkflowResponse { outcome }))
    }
}

impl From<WorkflowError> for Status {
    fn from(error: WorkflowError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            WorkflowError::Subject(error) => resource::subject(&error),
            WorkflowError::Refused { .. } => (Code::FailedPrecondition, Reason::PreconditionFailed),
            WorkflowError::RequestIdReused(_) => (Code::InvalidArgument, Reason::FieldInvalid),
            WorkflowError::Overtaken(_) | WorkflowError::Contended(_) => {
                (Code::Aborted, Reason::OperationInProgress)
            }
            WorkflowError::Taken(_) => (Code::AlreadyExists, Reason::NameTaken),
            WorkflowError::Cluster(error) => rollout::object(&error),
        };
        status(code, reason, text)
    }
}
