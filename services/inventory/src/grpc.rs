//! The gRPC face: converts in, calls the inventory once, converts out.

pub(crate) mod status;

use causeway_proto::{
    inventory::v1::{
        reporter_service_server::ReporterServiceServer,
        resource_service_server::ResourceServiceServer, search_service_server::SearchServiceServer,
        summary_service_server::SummaryServiceServer, view_service_server::ViewServiceServer,
    },
    list::ListRequest,
};
use causeway_shell::Caller;
use tonic::{Request, Status};

pub use crate::{application::grpc::Applications, report::grpc::Reports};
use crate::{
    inventory::Inventory,
    page_key::{CursorKey, Question},
};

/// How large a message may be. A little above what a state may have, so that one that is too large is named instead of ending
/// the stream.
pub(crate) const MESSAGE_BYTES: usize = 5 << 20;

/// Serves the services of the inventory.
#[derive(Debug, Clone)]
pub struct Handler {
    pub(crate) inventory: Inventory,
}

/// The service for users.
pub fn application_service(inventory: &Inventory) -> Applications {
    Applications::new(Handler::new(inventory))
}

/// The service for users, of what is no Application.
pub fn resource_service(inventory: &Inventory) -> ResourceServiceServer<Handler> {
    ResourceServiceServer::new(Handler::new(inventory))
}

/// The service for users that watch several lists.
pub fn view_service(inventory: &Inventory) -> ViewServiceServer<Handler> {
    ViewServiceServer::new(Handler::new(inventory))
}

/// The service for reporters.
pub fn report_service(inventory: &Inventory) -> Reports {
    Reports::new(Handler::new(inventory))
}

/// The service that tells users of reporters.
pub fn reporter_service(inventory: &Inventory) -> ReporterServiceServer<Handler> {
    ReporterServiceServer::new(Handler::new(inventory))
}

/// The service of counts and causes for users.
pub fn summary_service(inventory: &Inventory) -> SummaryServiceServer<Handler> {
    SummaryServiceServer::new(Handler::new(inventory))
}

/// The search for users.
pub fn search_service(inventory: &Inventory) -> SearchServiceServer<Handler> {
    SearchServiceServer::new(Handler::new(inventory))
}

impl Handler {
    fn new(inventory: &Inventory) -> Self {
        let inventory = inventory.clone();
        Self { inventory }
    }

    /// What the cursors of a request's caller are sealed with.
    pub(crate) fn cursors<T>(&self, request: &Request<T>) -> Result<CursorKey, Status> {
        let caller = Caller::from_request(request)?;
        Ok(self.inventory.store().reads().page_key().cursors(caller))
    }

    /// A request for a page with its token as it was made here, and what the token of the next page is sealed for.
    pub(crate) fn opened<R: ListRequest>(
        &self,
        request: Request<R>,
    ) -> Result<(R, Question<'_>), Status> {
        let caller = Caller::from_request(&request)?.clone();
        let key = self.inventory.store().reads().page_key();
        Ok(key.open(&caller, request.into_inner())?)
    }
}

#[cfg(test)]
mod tests;
