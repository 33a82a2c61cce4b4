//! Calls of users about all of their applications.

use std::time::SystemTime;

use causeway_proto::{inventory::v1 as pb, time::to_millis};
use pb::summary_service_server::SummaryService;
use tonic::{Request, Response, Status};

use super::convert;
use crate::{
    application::grpc::asked_by,
    convert::{CountEnded, to_counts},
    grpc::Handler,
};

#[tonic::async_trait]
impl SummaryService for Handler {
    async fn get_summary(
        &self,
        request: Request<pb::GetSummaryRequest>,
    ) -> Result<Response<pb::GetSummaryResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let (filter, most) = convert::wanted(request.into_inner(), visible)?;
        let now = to_millis(SystemTime::now());
        let summary = self
            .inventory
            .summary(&account, &filter, (most, now), convert::READERS);
        Ok(Response::new(convert::to_summary(summary.await?)))
    }

    async fn count_deployments(
        &self,
        request: Request<pb::CountDeploymentsRequest>,
    ) -> Result<Response<pb::CountDeploymentsResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let now = to_millis(SystemTime::now());
        let CountEnded { of, period } = CountEnded::read(request.into_inner(), visible, now)?;
        let counts = self.inventory.count_deployments(&account, of, period);
        Ok(Response::new(to_counts(period, counts.await?)))
    }
}
