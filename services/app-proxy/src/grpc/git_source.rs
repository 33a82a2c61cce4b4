//! The gRPC face of Git sources.

use causeway_proto::{
    error::v1::Reason,
    gitops::v1::{self as pb, git_source_service_server::GitSourceService},
};
use causeway_shell::{Caller, status::status};
use tonic::{Code, Request, Response, Status};

use super::rollout;
use crate::{
    convert::{git_source as convert, read_request_identity, read_requester},
    git_source::{GitSourceError, GitSources},
    scope::Requester,
};

/// Answers users.
pub(crate) struct GitSourceHandler {
    sources: GitSources,
}

impl GitSourceHandler {
    /// Acts by these.
    pub(crate) fn new(sources: GitSources) -> Self {
        Self { sources }
    }

    fn to_status(&self, error: GitSourceError) -> Status {
        self.sources.redacted(error).into()
    }
}

#[tonic::async_trait]
impl GitSourceService for GitSourceHandler {
    async fn list_git_sources(
        &self,
        request: Request<pb::ListGitSourcesRequest>,
    ) -> Result<Response<pb::ListGitSourcesResponse>, Status> {
        let (requester, _) = split(request)?;
        let found = self.sources.list(&requester).await;
        let found = found.map_err(|error| self.to_status(error))?;
        let git_sources = found.into_iter().map(pb::GitSource::from).collect();
        Ok(Response::new(pb::ListGitSourcesResponse { git_sources }))
    }

    async fn get_git_source(
        &self,
        request: Request<pb::GetGitSourceRequest>,
    ) -> Result<Response<pb::GetGitSourceResponse>, Status> {
        let (requester, request) = split(request)?;
        let name = convert::read_name(request.name)?;
        let found = self.sources.get(&name, &requester).await;
        let found = found.map_err(|error| self.to_status(error))?;
        let git_source = Some(found.into());
        Ok(Response::new(pb::GetGitSourceResponse { git_source }))
    }

    async fn create_git_source(
        &self,
        request: Request<pb::CreateGitSourceRequest>,
    ) -> Result<Response<pb::CreateGitSourceResponse>, Status> {
        let (requester, request) = split(request)?;
        let request_id = request.request_id.clone();
        let method = ("CreateGitSource", &requester.user);
        let identity = read_request_identity(method, &request_id, &request)?;
        let order = convert::read_create(request)?;
        let written = self.sources.write(order, &identity, &requester).await;
        let written = written.map_err(|error| self.to_status(error))?;
        Ok(Response::new(convert::to_create_response(
            written, request_id,
        )))
    }

    async fn delete_git_source(
        &self,
        request: Request<pb::DeleteGitSourceRequest>,
    ) -> Result<Response<pb::DeleteGitSourceResponse>, Status> {
        let (requester, request) = split(request)?;
        let name = convert::read_name(request.name)?;
        let deleted = self.sources.delete(&name, &requester).await;
        deleted.map_err(|error| self.to_status(error))?;
        let request_id = request.request_id;
        Ok(Response::new(pb::DeleteGitSourceResponse { request_id }))
    }
}

fn split<T>(request: Request<T>) -> Result<(Requester, T), Status> {
    let requester = read_requester(Caller::from_request(&request)?)?;
    Ok((requester, request.into_inner()))
}

impl From<GitSourceError> for Status {
    fn from(error: GitSourceError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            GitSourceError::OutOfScope => (Code::PermissionDenied, Reason::PermissionDenied),
            GitSourceError::Policy(_) => (Code::PermissionDenied, Reason::RuntimePolicy),
            GitSourceError::Unknown(_) => (Code::NotFound, Reason::ResourceUnknown),
            GitSourceError::Taken(_) => (Code::AlreadyExists, Reason::NameTaken),
            GitSourceError::Ordinary(_) => (Code::FailedPrecondition, Reason::PreconditionFailed),
            GitSourceError::Refused(_)
            | GitSourceError::Field(_)
            | GitSourceError::RequestIdReused(_) => (Code::InvalidArgument, Reason::FieldInvalid),
            GitSourceError::Cluster(error) => rollout::object(&error),
        };
        status(code, reason, text)
    }
}
