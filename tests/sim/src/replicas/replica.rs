//! One replica of the inventory, on a runtime of its own, so that it can lose everything at once.

use std::{net::SocketAddr, path::Path, sync::Arc};

use causeway_database::DatabaseArgs;
use causeway_inventory::{
    Inventory, Metrics,
    inventory::NamesAreIds,
    store::sql::{SqlStore, WriterTask},
};
use causeway_shell::{Shell, serve_connection};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    sync::oneshot,
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::platform::services;

pub(super) struct Replica {
    pub(super) address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Replica {
    pub(super) async fn start(url: &str) -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        let runtime = runtime.unwrap();
        let (started, address) = oneshot::channel();
        runtime.spawn(serve(url.to_owned(), started));
        Self {
            address: address.await.unwrap(),
            runtime: Some(runtime),
        }
    }

    /// Ends it as a loss of power does: nothing more is said to anybody.
    pub(super) fn kill(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A store on the database, with the task that writes.
pub(super) async fn open(url: &str) -> (SqlStore, WriterTask) {
    let args = DatabaseArgs::from_url(url.to_owned());
    let opened = SqlStore::open(&args, Path::new(""), Metrics::unread()).await;
    opened.unwrap()
}

async fn serve(url: String, started: oneshot::Sender<SocketAddr>) {
    let (store, writer) = open(&url).await;
    let names = Arc::new(NamesAreIds);
    let inventory = Inventory::new(Arc::new(store), names, CancellationToken::new());
    let service = services(&inventory);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    started.send(listener.local_addr().unwrap()).unwrap();
    let (shell, _stop) = Shell::for_test("inventory");
    let mut tasks = JoinSet::new();
    tasks.spawn(writer);
    tasks.spawn(inventory.keep_members());
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        tasks.spawn(serve_connection(stream, service.clone(), &shell.shutdown()));
    }
}
