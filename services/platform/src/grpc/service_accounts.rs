//! `ServiceAccountService`.

use causeway_proto::platform::v1::{
    self as pb, service_account_service_server::ServiceAccountService,
};
use tonic::{Request, Response, Status};

use super::Handler;

#[tonic::async_trait]
impl ServiceAccountService for Handler {
    async fn create_service_account(
        &self,
        _: Request<pb::CreateServiceAccountRequest>,
    ) -> Result<Response<pb::CreateServiceAccountResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn set_trust_rules(
        &self,
        _: Request<pb::SetTrustRulesRequest>,
    ) -> Result<Response<pb::SetTrustRulesResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn list_service_accounts(
        &self,
        _: Request<pb::ListServiceAccountsRequest>,
    ) -> Result<Response<pb::ListServiceAccountsResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }
}
