//! `IdentityProviderService`.

use causeway_proto::platform::v1::{
    self as pb, identity_provider_service_server::IdentityProviderService,
};
use tonic::{Request, Response, Status};

use super::Handler;

#[tonic::async_trait]
impl IdentityProviderService for Handler {
    async fn create_identity_provider(
        &self,
        _: Request<pb::CreateIdentityProviderRequest>,
    ) -> Result<Response<pb::CreateIdentityProviderResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn list_identity_providers(
        &self,
        _: Request<pb::ListIdentityProvidersRequest>,
    ) -> Result<Response<pb::ListIdentityProvidersResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn update_identity_provider(
        &self,
        _: Request<pb::UpdateIdentityProviderRequest>,
    ) -> Result<Response<pb::UpdateIdentityProviderResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn delete_identity_provider(
        &self,
        _: Request<pb::DeleteIdentityProviderRequest>,
    ) -> Result<Response<pb::DeleteIdentityProviderResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn link_identity(
        &self,
        _: Request<pb::LinkIdentityRequest>,
    ) -> Result<Response<pb::LinkIdentityResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn unlink_identity(
        &self,
        _: Request<pb::UnlinkIdentityRequest>,
    ) -> Result<Response<pb::UnlinkIdentityResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn list_identities(
        &self,
        _: Request<pb::ListIdentitiesRequest>,
    ) -> Result<Response<pb::ListIdentitiesResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }
}
