//! Searches of users.

use causeway_proto::inventory::v1 as pb;
use pb::search_service_server::SearchService;
use tonic::{Request, Response, Status};

use super::convert;
use crate::{application::grpc::asked_by, grpc::Handler};

#[tonic::async_trait]
impl SearchService for Handler {
    async fn search(
        &self,
        request: Request<pb::SearchRequest>,
    ) -> Result<Response<pb::SearchResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let (query, kinds) = convert::wanted(request.get_ref(), visible)?;
        let found = self
            .inventory
            .search(&account, &query, &kinds, convert::to_commit);
        Ok(Response::new(convert::to_results(found.await?)))
    }
}
