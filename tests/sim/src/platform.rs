//! The platform's host: an inventory on a store that outlives it, as a disk does.

use std::{net::Ipv4Addr, sync::Arc};

use causeway_assertion::{Scope, Subject};
use causeway_inventory::{Inventory, grpc, inventory::NamesAreIds, store::Store};
use causeway_proto::ids::{AccountId, RuntimeId};
use causeway_shell::{Caller, HttpService, Shell, serve_connection};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tonic::{
    Request, Status,
    service::{Routes, interceptor::InterceptedService},
};
use turmoil::net::TcpListener;

use crate::network::PORT;

/// Whose applications are reported.
pub(crate) fn account() -> AccountId {
    "default".parse().expect("a word")
}

/// Serves until the host crashes.
pub(crate) async fn serve(store: Arc<dyn Store>) -> turmoil::Result {
    let (shell, _stop) = Shell::for_test("inventory");
    let inventory = Inventory::new(store, Arc::new(NamesAreIds), CancellationToken::new());
    let service = services(&inventory);
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await?;
    let mut open = JoinSet::new();
    open.spawn(inventory.keep_members());
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, _) = accepted?;
                open.spawn(serve_connection(stream, service.clone(), &shell.shutdown()));
            }
            Some(ended) = open.join_next() => ended?,
        }
    }
}

pub(crate) fn services(inventory: &Inventory) -> HttpService {
    let reports = InterceptedService::new(grpc::report_service(inventory), as_runtime);
    let applications = InterceptedService::new(grpc::application_service(inventory), as_user);
    HttpService::new(Routes::new(reports).add_service(applications).prepare())
}

fn as_runtime(request: Request<()>) -> Result<Request<()>, Status> {
    let runtime: RuntimeId = "rt-one".parse().expect("an id");
    let subject = Subject::Runtime {
        account: account(),
        runtime: runtime.clone(),
    };
    Ok(called_by(request, subject, Some(runtime)))
}

fn as_user(request: Request<()>) -> Result<Request<()>, Status> {
    let subject = Subject::User("ann".parse().expect("a name"));
    Ok(called_by(request, subject, None))
}

fn called_by(
    mut request: Request<()>,
    subject: Subject,
    runtime: Option<RuntimeId>,
) -> Request<()> {
    request.extensions_mut().insert(Arc::new(Caller {
        subject,
        account: account(),
        runtime,
        scope: Scope::everything("admin"),
        request_id: None,
        issued_at: 0,
        jti: None,
        credential: None,
    }));
    request
}
