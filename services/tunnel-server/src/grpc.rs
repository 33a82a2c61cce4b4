//! `TunnelService`: what this replica knows of its sessions.

use causeway_proto::tunnel::v1 as pb;
use pb::tunnel_service_server::TunnelService;
use tonic::{Request, Response, Status};

use crate::convert::listed;
use crate::forward::Table;

pub(crate) struct Handler {
    pub(crate) table: Table,
}

#[tonic::async_trait]
impl TunnelService for Handler {
    async fn list_sessions(
        &self,
        _request: Request<pb::ListSessionsRequest>,
    ) -> Result<Response<pb::ListSessionsResponse>, Status> {
        let sessions = self.table.lock().all().map(listed).collect();
        Ok(Response::new(pb::ListSessionsResponse { sessions }))
    }
}
