//! gRPC handlers of `AuditService`.

use causeway_proto::{error::v1::Reason, platform::v1 as pb};
use causeway_shell::page::Page;
use causeway_shell::{Caller, status::status};
use futures::{StreamExt as _, TryStreamExt as _, stream::BoxStream};
use tonic::{Code, Request, Response, Status};

use crate::grpc::{Handler, PAGES, internal, user_of};
use crate::{
    accounts::model::first_account,
    audit::ChainId,
    audit::service::AuditService,
    convert,
    convert::FieldError,
    platform::{ReadAuditError, now},
};

#[tonic::async_trait]
impl pb::audit_service_server::AuditService for Handler<AuditService> {
    async fn list_audit_records(
        &self,
        request: Request<pb::ListAuditRecordsRequest>,
    ) -> Result<Response<pb::ListAuditRecordsResponse>, Status> {
        let chain = chain_of(&request, request.get_ref().platform.then_some(()))?;
        let asked = Page::from_request(request.get_ref(), Caller::from_request(&request)?, PAGES)?;
        let of = (asked.after().copied(), asked.size());
        let query = convert::audit_query(chain, of, request.into_inner())?;
        let page = self.0.store.list_audit(&query).await?;
        Ok(Response::new(pb::ListAuditRecordsResponse {
            next_page_token: page
                .next
                .map(|next| asked.token_after(&next))
                .unwrap_or_default(),
            records: page
                .records
                .into_iter()
                .map(pb::AuditRecord::from)
                .collect(),
        }))
    }

    async fn get_audit_record(
        &self,
        request: Request<pb::GetAuditRecordRequest>,
    ) -> Result<Response<pb::GetAuditRecordResponse>, Status> {
        let chain = chain_of(&request, request.get_ref().platform.then_some(()))?;
        let audit_id = convert::audit_id(&request.get_ref().audit_id)?;
        let found = self.0.store.find_audit(&chain, audit_id).await?;
        let record = found.ok_or_else(|| {
            let text = FieldError::new("audit_id", "there is no such call").to_string();
            status(Code::NotFound, Reason::ObjectUnknown, text)
        })?;
        let record = Some(record.into());
        Ok(Response::new(pb::GetAuditRecordResponse { record }))
    }

    async fn get_audit_head(
        &self,
        request: Request<pb::GetAuditHeadRequest>,
    ) -> Result<Response<pb::GetAuditHeadResponse>, Status> {
        let chain = chain_of(&request, request.get_ref().platform.then_some(()))?;
        let sealed = self.0.sealed_audit_head(&chain, now()).await?;
        let head = convert::audit_head(&chain, sealed, self.0.ring.root());
        Ok(Response::new(head))
    }

    type ExportAuditEntriesStream =
        BoxStream<'static, Result<pb::ExportAuditEntriesResponse, Status>>;

    async fn export_audit_entries(
        &self,
        request: Request<pb::ExportAuditEntriesRequest>,
    ) -> Result<Response<Self::ExportAuditEntriesStream>, Status> {
        let chain = chain_of(&request, request.get_ref().platform.then_some(()))?;
        let (from, since) = convert::export_from(request.get_ref());
        let batches = self.0.audit_entries(chain, from, since).await?;
        let responses = batches.map_ok(|entries| pb::ExportAuditEntriesResponse {
            entries: entries.into_iter().map(pb::AuditEntry::from).collect(),
        });
        Ok(Response::new(responses.map_err(Status::from).boxed()))
    }
}

/// The chain that a user asks for. The platform's own one is for the first account.
fn chain_of<T>(request: &Request<T>, platform: Option<()>) -> Result<ChainId, Status> {
    let (caller, _) = user_of(request)?;
    if platform.is_some() && caller.account != first_account() {
        let text = "the platform's own audit is for admins of the first account";
        return Err(status(
            Code::PermissionDenied,
            Reason::PermissionDenied,
            text,
        ));
    }
    Ok(convert::chain(&caller.account, platform))
}

impl From<ReadAuditError> for Status {
    fn from(error: ReadAuditError) -> Self {
        match error {
            ReadAuditError::Store(error) => error.into(),
            ReadAuditError::Signing(error) => internal(error),
            ReadAuditError::Removed { .. } => {
                status(Code::Aborted, Reason::EntriesRemoved, error.to_string())
            }
            ReadAuditError::Stopped => internal(error),
        }
    }
}
