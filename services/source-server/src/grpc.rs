//! The gRPC face: converts in, asks the source once, converts out.

use std::sync::Arc;

use causeway_argocd::ArgocdError;
use causeway_proto::{
    error::v1::Reason,
    source::v1::{self as pb, source_service_server::SourceService},
};
use causeway_shell::status::status;
use tonic::{Code, Request, Response, Status};

use crate::{
    convert::{self, FieldError},
    link::GitHosts,
    network::Pods,
    source::{RevisionKey, Source, StateKey},
};

/// Answers parts of the same runtime.
pub struct Handler {
    source: Source,
    links: GitHosts,
}

impl Handler {
    /// Answers from a source, with links to these servers.
    pub fn new(source: Source, links: GitHosts) -> Self {
        Self { source, links }
    }
}

#[tonic::async_trait]
impl SourceService for Handler {
    async fn get_managed_resources(
        &self,
        request: Request<pb::GetManagedResourcesRequest>,
    ) -> Result<Response<pb::GetManagedResourcesResponse>, Status> {
        let key = StateKey::try_from(request.into_inner())?;
        let resources = self
            .source
            .managed_resources(&key)
            .await
            .map_err(|error| explain(&error))?;
        let resources = resources.iter().map(convert::to_managed_resource).collect();
        Ok(Response::new(pb::GetManagedResourcesResponse { resources }))
    }

    async fn get_resource_tree(
        &self,
        request: Request<pb::GetResourceTreeRequest>,
    ) -> Result<Response<pb::GetResourceTreeResponse>, Status> {
        let key = StateKey::try_from(request.into_inner())?;
        let nodes = self
            .source
            .resource_tree(&key)
            .await
            .map_err(|error| explain(&error))?;
        let pods = Pods::of(&nodes);
        let nodes = nodes.iter().map(|node| convert::to_node(node, &pods));
        let nodes = nodes.collect();
        Ok(Response::new(pb::GetResourceTreeResponse { nodes }))
    }

    async fn get_revision_metadata(
        &self,
        request: Request<pb::GetRevisionMetadataRequest>,
    ) -> Result<Response<pb::GetRevisionMetadataResponse>, Status> {
        let request = request.into_inner();
        let repository = convert::repository(&request)?;
        let key = RevisionKey::try_from(request)?;
        let commit = self
            .source
            .revision(&key)
            .await
            .map_err(|error| explain(&error))?;
        let commit = convert::to_commit(&commit, &self.links, &repository, &key.revision);
        Ok(Response::new(commit))
    }
}

impl From<FieldError> for Status {
    fn from(error: FieldError) -> Self {
        let text = error.to_string();
        status(Code::InvalidArgument, Reason::FieldInvalid, text)
    }
}

fn explain(error: &Arc<ArgocdError>) -> Status {
    let (code, reason) = match error.as_ref() {
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
    };
    status(code, reason, error.to_string())
}
