//! Calls of users who ask who reports.

use causeway_proto::inventory::v1 as pb;
use causeway_shell::{
    Caller,
    page::{Page, PageSizes},
};
use pb::reporter_service_server::ReporterService;
use tonic::{Request, Response, Status};

use crate::{application::grpc::asked_by, convert, grpc::Handler};

/// Kinds in clusters: each has its own reporters, and what they share is counted for the answer.
const PAGES: PageSizes = PageSizes::fixed(200);

#[tonic::async_trait]
impl ReporterService for Handler {
    async fn list_reporters(
        &self,
        request: Request<pb::ListReportersRequest>,
    ) -> Result<Response<pb::ListReportersResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let page = Page::from_request(request.get_ref(), Caller::from_request(&request)?, PAGES)?;
        let runtime = convert::runtime_of(request.into_inner())?;
        let asked = (page.after(), page.size() as usize);
        let found = self
            .inventory
            .reporters(&account, &visible, &runtime, asked);
        let (groups, last) = found.await?;
        let next = last.map(|last| page.token_after(&last)).unwrap_or_default();
        Ok(Response::new(convert::to_groups(&runtime, groups, next)))
    }
}
