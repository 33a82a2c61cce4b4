//! Calls of reporters.

mod wire;

use std::time::Duration;

use causeway_proto::{
    ids::{AccountId, RuntimeId},
    inventory::v1 as pb,
};
use causeway_shell::Caller;
use futures::{StreamExt as _, future, stream::BoxStream};
use tonic::{Request, Response, Status, Streaming};

use crate::{
    convert,
    grpc::Handler,
    inventory::{Inventory, NameError},
    report::Incoming,
};
use wire::Received;
pub use wire::Reports;

/// With the time that a name is known for, a stream ends within 5 s of the revocation.
const CHECK_EVERY: Duration = Duration::from_millis(1500);

type ReportStream = BoxStream<'static, Result<pb::ReportResponse, Status>>;

impl Handler {
    async fn report(
        &self,
        request: Request<Streaming<Received>>,
    ) -> Result<Response<ReportStream>, Status> {
        let caller = Caller::from_request(&request)?;
        let runtime = caller.runtime.clone();
        let runtime = runtime.ok_or_else(|| Status::permission_denied("only a runtime reports"))?;
        let reporter = self
            .inventory
            .reporter(caller.account.clone(), runtime.clone())
            .await?;
        let revoked = revoked(self.inventory.clone(), caller.account.clone(), runtime);
        let outgoing = self.inventory.report(
            reporter,
            convert::from_delta,
            incoming(request.into_inner()),
        );
        let responses = outgoing.map(|outgoing| Ok(convert::to_response(outgoing?)));
        Ok(Response::new(responses.take_until(revoked).boxed()))
    }
}

/// Resolves when the platform knows the runtime no more.
async fn revoked(inventory: Inventory, account: AccountId, runtime: RuntimeId) {
    loop {
        tokio::time::sleep(CHECK_EVERY).await;
        let known = inventory.reporter(account.clone(), runtime.clone()).await;
        if matches!(known, Err(NameError::Unknown)) {
            return;
        }
    }
}

/// What comes in until the reporter ends it or the connection is lost.
fn incoming(requests: Streaming<Received>) -> BoxStream<'static, Incoming> {
    requests
        .map(|request| {
            request.inspect_err(|status| tracing::debug!(%status, "a report stream broke off"))
        })
        .take_while(|request| future::ready(request.is_ok()))
        .filter_map(|request| future::ready(request.ok()))
        .map(|received| convert::to_incoming(received.request, &received.encoded))
        .boxed()
}
