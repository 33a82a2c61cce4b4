//! The gRPC face: converts in, calls the inventory once, converts out.

mod application;
mod report;
mod reporter;
mod resource;
mod status;

use causeway_proto::inventory::v1::{
    reporter_service_server::ReporterServiceServer, resource_service_server::ResourceServiceServer,
};

use crate::inventory::Inventory;
pub use application::Applications;
pub use report::Reports;

/// How large a message may be. A little above what a state may have, so that one that is too large is named instead of ending
/// the stream.
const MESSAGE_BYTES: usize = 5 << 20;

/// Serves the services of the inventory.
#[derive(Debug, Clone)]
pub struct Handler {
    inventory: Inventory,
}

/// The service for users.
pub fn application_service(inventory: &Inventory) -> Applications {
    Applications::new(Handler::new(inventory))
}

/// The service for users, of what is no Application.
pub fn resource_service(inventory: &Inventory) -> ResourceServiceServer<Handler> {
    ResourceServiceServer::new(Handler::new(inventory))
}

/// The service for reporters.
pub fn report_service(inventory: &Inventory) -> Reports {
    Reports::new(Handler::new(inventory))
}

/// The service that tells users of reporters.
pub fn reporter_service(inventory: &Inventory) -> ReporterServiceServer<Handler> {
    ReporterServiceServer::new(Handler::new(inventory))
}

impl Handler {
    fn new(inventory: &Inventory) -> Self {
        let inventory = inventory.clone();
        Self { inventory }
    }
}

#[cfg(test)]
mod tests;
