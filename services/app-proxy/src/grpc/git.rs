//! The gRPC face of Git.

use causeway_git::GitError;
use causeway_git_provider::ProviderError;
use causeway_proto::{
    error::v1::Reason,
    git::v1::{
        self as pb, commit_service_server::CommitService,
        integration_service_server::IntegrationService,
        pull_request_service_server::PullRequestService,
    },
};
use causeway_shell::{
    Caller,
    status::{EFFECT, status},
};
use tonic::{Code, Request, Response, Status};

use super::rollout;
use crate::{
    action::Actions,
    convert::{git as convert, git::pull_request, read_request_identity, read_requester},
    git::{Repositories, RepositoryError},
    scope::Requester,
};

/// Answers users. Cheap to clone.
#[derive(Clone)]
pub(crate) struct GitHandler {
    repositories: Repositories,
    actions: Actions,
}

impl GitHandler {
    /// Acts by these.
    pub(crate) fn new(repositories: Repositories, actions: Actions) -> Self {
        Self {
            repositories,
            actions,
        }
    }

    fn to_status(&self, error: RepositoryError) -> Status {
        if let RepositoryError::Application(error) = error {
            return self.actions.redacted(*error).into();
        }
        self.repositories.redacted(error).into()
    }
}

#[tonic::async_trait]
impl IntegrationService for GitHandler {
    async fn create_integration(
        &self,
        request: Request<pb::CreateIntegrationRequest>,
    ) -> Result<Response<pb::CreateIntegrationResponse>, Status> {
        let (requester, request) = split(request)?;
        let request_id = request.request_id.clone();
        let identity = read_request_identity(
            ("CreateIntegration", &requester.user),
            &request_id,
            &request,
        )?;
        let new = convert::read_create(request)?;
        let created = self.repositories.create(new, &identity, &requester).await;
        let created = created.map_err(|error| self.to_status(error))?;
        Ok(Response::new(convert::to_create_response(
            created, request_id,
        )))
    }

    async fn get_integration(
        &self,
        request: Request<pb::GetIntegrationRequest>,
    ) -> Result<Response<pb::GetIntegrationResponse>, Status> {
        let (requester, request) = split(request)?;
        let found = self
            .repositories
            .get(&request.name.parse()?, &requester)
            .await;
        let found = found.map_err(|error| self.to_status(error))?;
        let integration = Some(found.into());
        Ok(Response::new(pb::GetIntegrationResponse { integration }))
    }

    async fn list_integrations(
        &self,
        request: Request<pb::ListIntegrationsRequest>,
    ) -> Result<Response<pb::ListIntegrationsResponse>, Status> {
        let (requester, _) = split(request)?;
        let found = self.repositories.list(&requester).await;
        let found = found.map_err(|error| self.to_status(error))?;
        let integrations = found.into_iter().map(pb::Integration::from).collect();
        Ok(Response::new(pb::ListIntegrationsResponse { integrations }))
    }

    async fn test_integration(
        &self,
        request: Request<pb::TestIntegrationRequest>,
    ) -> Result<Response<pb::TestIntegrationResponse>, Status> {
        let (requester, request) = split(request)?;
        let repository = Some(request.repository.as_str()).filter(|it| !it.is_empty());
        let name = request.name.parse()?;
        let tested = self.repositories.test(&name, repository, &requester).await;
        let tested = tested.map_err(|error| self.to_status(error))?;
        Ok(Response::new(tested.into()))
    }

    async fn delete_integration(
        &self,
        request: Request<pb::DeleteIntegrationRequest>,
    ) -> Result<Response<pb::DeleteIntegrationResponse>, Status> {
        let (requester, request) = split(request)?;
        let name = request.name.parse()?;
        let deleted = self.repositories.delete(&name, &requester).await;
        deleted.map_err(|error| self.to_status(error))?;
        let request_id = request.request_id;
        Ok(Response::new(pb::DeleteIntegrationResponse { request_id }))
    }
}

#[tonic::async_trait]
impl CommitService for GitHandler {
    async fn commit_change(
        &self,
        request: Request<pb::CommitChangeRequest>,
    ) -> Result<Response<pb::CommitChangeResponse>, Status> {
        let (requester, request) = split(request)?;
        let request_id = request.request_id.clone();
        let order = convert::read_commit(request)?;
        let commit = self.repositories.commit(order, &requester).await;
        let commit = commit.map_err(|error| self.to_status(error))?;
        let effect = format!("commit {}", commit.id).parse();
        let mut response = Response::new(convert::to_commit_response(commit, request_id));
        if let Ok(effect) = effect {
            response.metadata_mut().insert(EFFECT, effect);
        }
        Ok(response)
    }

    async fn preview_change(
        &self,
        request: Request<pb::PreviewChangeRequest>,
    ) -> Result<Response<pb::PreviewChangeResponse>, Status> {
        let (requester, request) = split(request)?;
        let (target, edits) = convert::read_preview(request)?;
        let shown = self.repositories.preview(&target, edits, &requester).await;
        let shown = shown.map_err(|error| self.to_status(error))?;
        Ok(Response::new(convert::to_preview_response(shown)))
    }

    async fn plan_source_change(
        &self,
        request: Request<pb::PlanSourceChangeRequest>,
    ) -> Result<Response<pb::PlanSourceChangeResponse>, Status> {
        let (requester, request) = split(request)?;
        let order = convert::read_plan(request, &requester)?;
        let planned = self.repositories.plan(&self.actions, &order, &requester);
        let planned = planned.await.map_err(|error| self.to_status(error))?;
        let response = convert::to_plan_response(planned, self.repositories.redactor());
        Ok(Response::new(response))
    }
}

#[tonic::async_trait]
impl PullRequestService for GitHandler {
    async fn open_pull_request(
        &self,
        request: Request<pb::OpenPullRequestRequest>,
    ) -> Result<Response<pb::OpenPullRequestResponse>, Status> {
        let (requester, request) = split(request)?;
        let request_id = request.request_id.clone();
        let order = pull_request::read_open(request)?;
        let opened = self.repositories.open_pull_request(order, &requester).await;
        let opened = opened.map_err(|error| self.to_status(error))?;
        let response = pull_request::to_open_response(opened, request_id);
        Ok(Response::new(response))
    }

    async fn get_pull_request(
        &self,
        request: Request<pb::GetPullRequestRequest>,
    ) -> Result<Response<pb::GetPullRequestResponse>, Status> {
        let (requester, request) = split(request)?;
        let name = pull_request::read_get(request)?;
        let found = self.repositories.pull_request(&name, &requester).await;
        let found = found.map_err(|error| self.to_status(error))?;
        let pull_request = Some(pull_request::to_pull_request(found));
        Ok(Response::new(pb::GetPullRequestResponse { pull_request }))
    }

    async fn list_pull_requests(
        &self,
        request: Request<pb::ListPullRequestsRequest>,
    ) -> Result<Response<pb::ListPullRequestsResponse>, Status> {
        let (requester, request) = split(request)?;
        let (repository, filter) = pull_request::read_list(request)?;
        let listed = self
            .repositories
            .pull_requests(&repository, filter, &requester);
        let listed = listed.await.map_err(|error| self.to_status(error))?;
        Ok(Response::new(pull_request::to_list_response(listed)))
    }

    async fn merge_pull_request(
        &self,
        request: Request<pb::MergePullRequestRequest>,
    ) -> Result<Response<pb::MergePullRequestResponse>, Status> {
        let (requester, request) = split(request)?;
        let request_id = request.request_id.clone();
        let order = pull_request::read_merge(request)?;
        let merged = self
            .repositories
            .merge_pull_request(&order, &requester)
            .await;
        let merged = merged.map_err(|error| self.to_status(error))?;
        let response = pull_request::to_merge_response(merged, request_id);
        Ok(Response::new(response))
    }

    async fn close_pull_request(
        &self,
        request: Request<pb::ClosePullRequestRequest>,
    ) -> Result<Response<pb::ClosePullRequestResponse>, Status> {
        let (requester, request) = split(request)?;
        let request_id = request.request_id.clone();
        let name = pull_request::read_close(request)?;
        let closed = self
            .repositories
            .close_pull_request(&name, &requester)
            .await;
        closed.map_err(|error| self.to_status(error))?;
        Ok(Response::new(pb::ClosePullRequestResponse { request_id }))
    }
}

fn split<T>(request: Request<T>) -> Result<(Requester, T), Status> {
    let requester = read_requester(Caller::from_request(&request)?)?;
    Ok((requester, request.into_inner()))
}

impl From<RepositoryError> for Status {
    fn from(error: RepositoryError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            RepositoryError::OutOfScope => (Code::PermissionDenied, Reason::PermissionDenied),
            RepositoryError::Off
            | RepositoryError::Policy(_)
            | RepositoryError::NotAllowed { .. }
            | RepositoryError::PathNotAllowed(_) => (Code::PermissionDenied, Reason::RuntimePolicy),
            RepositoryError::Name
            | RepositoryError::OtherHost { .. }
            | RepositoryError::Sealed
            | RepositoryError::Credential
            | RepositoryError::HostAddress(_)
            | RepositoryError::Field(_)
            | RepositoryError::RequestIdReused(_) => (Code::InvalidArgument, Reason::FieldInvalid),
            RepositoryError::Unknown(_) => (Code::NotFound, Reason::ResourceUnknown),
            RepositoryError::Taken(_) => (Code::AlreadyExists, Reason::NameTaken),
            RepositoryError::SshKey | RepositoryError::TooManyFiles(_) => {
                (Code::FailedPrecondition, Reason::PreconditionFailed)
            }
            RepositoryError::HostUnknown(_) => (Code::Unavailable, Reason::UpstreamUnavailable),
            RepositoryError::Host(error) => host(&error),
            RepositoryError::Damaged(_) => (Code::FailedPrecondition, Reason::UpstreamUnavailable),
            RepositoryError::Full(_) => (Code::ResourceExhausted, Reason::TooLarge),
            RepositoryError::OtherKey(_)
            | RepositoryError::Plan(_)
            | RepositoryError::Source(_) => (Code::FailedPrecondition, Reason::PreconditionFailed),
            RepositoryError::Application(error) => return Self::from(*error),
            RepositoryError::Cluster(error) => rollout::object(&error),
            RepositoryError::Git(error) => git(&error),
        };
        status(code, reason, text)
    }
}

fn host(error: &ProviderError) -> (Code, Reason) {
    match error {
        ProviderError::InvalidUrl(_) | ProviderError::InvalidName(_) => {
            (Code::InvalidArgument, Reason::FieldInvalid)
        }
        ProviderError::NotFound { .. } => (Code::NotFound, Reason::ResourceUnknown),
        ProviderError::RateLimited { .. } => (Code::ResourceExhausted, Reason::Overloaded),
        ProviderError::TooLarge { .. } => (Code::ResourceExhausted, Reason::TooLarge),
        ProviderError::Unavailable { .. } => (Code::Unavailable, Reason::UpstreamUnavailable),
        ProviderError::Refused { .. } | ProviderError::Unsupported { .. } => {
            (Code::FailedPrecondition, Reason::PreconditionFailed)
        }
        ProviderError::InvalidKey
        | ProviderError::Unauthorized { .. }
        | ProviderError::ClockSkew { .. }
        | ProviderError::Forbidden { .. }
        | ProviderError::Moved { .. }
        | ProviderError::Html { .. }
        | ProviderError::OtherProvider { .. }
        | ProviderError::Malformed { .. } => {
            (Code::FailedPrecondition, Reason::UpstreamUnavailable)
        }
    }
}

fn git(error: &GitError) -> (Code, Reason) {
    match error {
        GitError::InvalidUrl(_)
        | GitError::InvalidPath { .. }
        | GitError::InvalidChange(_)
        | GitError::SigningKey(_)
        | GitError::StepReused { .. } => (Code::InvalidArgument, Reason::FieldInvalid),
        GitError::Draining => (Code::Unavailable, Reason::Draining),
        GitError::QueueFull { .. } => (Code::ResourceExhausted, Reason::Overloaded),
        GitError::RepositoryNotFound
        | GitError::BranchNotFound { .. }
        | GitError::FileNotFound { .. } => (Code::NotFound, Reason::ResourceUnknown),
        GitError::BranchExists { .. } => (Code::AlreadyExists, Reason::NameTaken),
        GitError::StaleFile { .. } | GitError::Contended { .. } => {
            (Code::Aborted, Reason::OperationInProgress)
        }
        GitError::Edit { .. }
        | GitError::NotEditable { .. }
        | GitError::NothingToCommit
        | GitError::TooLarge { .. }
        | GitError::TooManyFiles { .. }
        | GitError::Rejected { .. }
        | GitError::HistoryRewritten { .. } => {
            (Code::FailedPrecondition, Reason::PreconditionFailed)
        }
        GitError::Unauthorized => (Code::FailedPrecondition, Reason::UpstreamUnavailable),
        GitError::Unavailable(_) | GitError::Timeout { .. } => {
            (Code::Unavailable, Reason::UpstreamUnavailable)
        }
        GitError::JournalDamaged { .. } | GitError::Storage(_) | GitError::Git(_) => {
            (Code::Internal, Reason::UpstreamUnavailable)
        }
    }
}
