//! `AuditService`.

use causeway_proto::platform::v1::{self as pb, audit_service_server::AuditService};
use tonic::{Request, Response, Status};

use super::{Handler, user_of};
use crate::convert;

#[tonic::async_trait]
impl AuditService for Handler {
    async fn list_audit_records(
        &self,
        request: Request<pb::ListAuditRecordsRequest>,
    ) -> Result<Response<pb::ListAuditRecordsResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let asked = request.get_ref();
        let size = convert::page_size(asked.page_size)?;
        let before = convert::page_token(&asked.page_token)?;
        let records = self
            .0
            .store
            .list_audit(&caller.account, before, size + 1)
            .await?;
        let (records, last) = convert::page(records, size);
        Ok(Response::new(pb::ListAuditRecordsResponse {
            next_page_token: last
                .map(|record| record.audit_id.to_string())
                .unwrap_or_default(),
            records: records.into_iter().map(pb::AuditRecord::from).collect(),
        }))
    }
}
