//! `SignInService`.

use causeway_proto::platform::v1::{self as pb, sign_in_service_server::SignInService};
use tonic::{Request, Response, Status};

use super::Handler;

#[tonic::async_trait]
impl SignInService for Handler {
    async fn list_sign_in_providers(
        &self,
        _: Request<pb::ListSignInProvidersRequest>,
    ) -> Result<Response<pb::ListSignInProvidersResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn start_sign_in(
        &self,
        _: Request<pb::StartSignInRequest>,
    ) -> Result<Response<pb::StartSignInResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn finish_sign_in(
        &self,
        _: Request<pb::FinishSignInRequest>,
    ) -> Result<Response<pb::FinishSignInResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn start_device_sign_in(
        &self,
        _: Request<pb::StartDeviceSignInRequest>,
    ) -> Result<Response<pb::StartDeviceSignInResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn finish_device_sign_in(
        &self,
        _: Request<pb::FinishDeviceSignInRequest>,
    ) -> Result<Response<pb::FinishDeviceSignInResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn exchange_token(
        &self,
        _: Request<pb::ExchangeTokenRequest>,
    ) -> Result<Response<pb::ExchangeTokenResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }
}
