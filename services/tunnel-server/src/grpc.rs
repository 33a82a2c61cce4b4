//! `TunnelService`: what this replica knows of its sessions.

use causeway_proto::tunnel::v1 as pb;
use causeway_shell::{
    Caller,
    page::{Page, PageSizes},
};
use pb::tunnel_service_server::TunnelService;
use tonic::{Request, Response, Status};

use crate::convert::listed;
use crate::forward::Table;

/// As many as there may have been in an answer before this list had pages.
const PAGES: PageSizes = PageSizes::fixed(10_000);

pub(crate) struct Handler {
    pub(crate) table: Table,
}

#[tonic::async_trait]
impl TunnelService for Handler {
    async fn list_sessions(
        &self,
        request: Request<pb::ListSessionsRequest>,
    ) -> Result<Response<pb::ListSessionsResponse>, Status> {
        let page = Page::from_request(request.get_ref(), Caller::from_request(&request)?, PAGES)?;
        let mut sessions: Vec<_> = self.table.lock().all().map(listed).collect();
        sessions.sort_by_cached_key(place);
        let (sessions, next_page_token) = page.paginate(sessions, place);
        Ok(Response::new(pb::ListSessionsResponse {
            sessions,
            next_page_token,
        }))
    }
}

/// What sessions are sorted by. One that is taken over has the place of the one before it, and another generation.
fn place(session: &pb::TunnelSession) -> (String, String, String, u32, u64) {
    (
        session.account.clone(),
        session.runtime_id.clone(),
        session.client.clone(),
        session.slot,
        session.generation,
    )
}
