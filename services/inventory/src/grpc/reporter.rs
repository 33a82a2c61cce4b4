//! Calls of users who ask who reports.

use causeway_proto::inventory::v1 as pb;
use pb::reporter_service_server::ReporterService;
use tonic::{Request, Response, Status};

use super::{Handler, application::asked_by};
use crate::convert;

#[tonic::async_trait]
impl ReporterService for Handler {
    async fn list_reporters(
        &self,
        request: Request<pb::ListReportersRequest>,
    ) -> Result<Response<pb::ListReportersResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let runtime = convert::runtime_of(request.into_inner())?;
        let asked = self.inventory.reporters(&account, &visible, &runtime);
        Ok(Response::new(convert::to_groups(&runtime, asked.await?)))
    }
}
