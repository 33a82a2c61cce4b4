//! `SessionService`.

use causeway_proto::platform::v1::{self as pb, session_service_server::SessionService};
use tonic::{Request, Response, Status};

use super::Handler;

#[tonic::async_trait]
impl SessionService for Handler {
    async fn who_am_i(
        &self,
        _: Request<pb::WhoAmIRequest>,
    ) -> Result<Response<pb::WhoAmIResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn list_sessions(
        &self,
        _: Request<pb::ListSessionsRequest>,
    ) -> Result<Response<pb::ListSessionsResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn revoke_session(
        &self,
        _: Request<pb::RevokeSessionRequest>,
    ) -> Result<Response<pb::RevokeSessionResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }

    async fn sign_out(
        &self,
        _: Request<pb::SignOutRequest>,
    ) -> Result<Response<pb::SignOutResponse>, Status> {
        Err(Status::invalid_argument("not there yet"))
    }
}
