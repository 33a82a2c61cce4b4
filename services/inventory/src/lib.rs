//! The inventory: what every runtime last reported, in one place. Owns the order of states, the store and live views of it.
//! Never accepts a state older than the one it holds, never acknowledges before the commit, never answers outside the
//! caller's account, never talks to a cluster.

#[cfg(test)]
extern crate self as causeway_inventory;

pub mod application;
mod cleanup;
mod config;
mod convert;
pub mod deployment;
pub mod digest;
pub mod event;
#[cfg(test)]
mod fixture;
pub mod grpc;
pub mod history;
pub mod image;
pub mod inventory;
pub mod kind;
mod metrics;
mod names;
pub mod order;
pub mod page_key;
pub mod quota;
mod replica_sync;
pub mod report;
pub mod reporters;
pub mod resource;
mod rows;
pub mod search;
pub mod store;
pub mod summary;
pub mod views;
pub mod watch;

use std::sync::Arc;

use anyhow::Context as _;
use causeway_assertion::{ExpectedAudience, Verifier};
use causeway_client::{PlatformKeys, follow_revocations};
use causeway_database::Database;
pub use causeway_proto::delta as patch;
use causeway_shell::{Access, Shell};
use futures::{FutureExt as _, future::BoxFuture};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub use config::Args;
pub use inventory::Inventory;
pub use metrics::Metrics;
use names::PlatformNames;
pub use store::sql::KEPT;
use store::{Store, sql::SqlStore};

/// Serves the inventory until the shell drains.
pub fn serve(
    args: Args,
    listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    Box::pin(async move {
        let ready = shell.ready_handle("store");
        let identity = args.platform.identity("inventory")?;
        let metrics = Metrics::new(&shell.meter());
        let (store, writer) = tokio::select! {
            opened = SqlStore::open(&args.database, &args.data, metrics.clone()) => opened?,
            () = shell.shutdown().requested() => return Ok(()),
        };
        shell.tasks().spawn_essential("writer", writer.map(Ok));
        check_database(&shell, store.database().clone());
        let store: Arc<dyn Store> = Arc::new(store);
        let stop = stop_of(&shell);
        let following = replica_sync::follow(store.clone(), shell.clone());
        shell.tasks().spawn("replica sync", following);
        let names = PlatformNames::new(identity.platform.clone());
        let replica = shell.instance().parse().context("the id of this replica")?;
        let inventory = Inventory::new(store.clone(), Arc::new(names), stop.clone())
            .as_replica(replica)
            .with_quotas(args.quotas)
            .with_metrics(metrics.clone());
        shell.tasks().spawn("members", inventory.keep_members());
        let observing = metrics.observe(inventory.clone(), stop.clone());
        shell.tasks().spawn("figures", observing);
        let cleanup = cleanup::run(store, args.retention(), args.quotas, stop);
        shell.tasks().spawn("cleanup", cleanup);
        let revocations = follow_revocations(&shell, identity.platform.clone());
        let verifier = Verifier::new(
            Arc::new(PlatformKeys::new(identity.platform.clone(), revocations)),
            ExpectedAudience::platform("inventory".parse()?),
        );
        causeway_client::announce(&shell, identity.platform);
        drop(ready);
        shell
            .server(Access::from_contract(verifier))
            .add(grpc::application_service(&inventory))
            .add(grpc::resource_service(&inventory))
            .add(grpc::view_service(&inventory))
            .add(grpc::report_service(&inventory))
            .add(grpc::reporter_service(&inventory))
            .add(grpc::summary_service(&inventory))
            .add(grpc::search_service(&inventory))
            .serve(listener)
            .await
    })
}

/// Keeps the part unready while its database cannot be written.
fn check_database(shell: &Shell, database: Database) {
    let check = move || {
        let database = database.clone();
        async move { database.check_writable().await }
    };
    let checking = shell.clone().check_condition("writable database", check);
    shell.tasks().spawn("database check", checking);
}

fn stop_of(shell: &Shell) -> CancellationToken {
    let stop = CancellationToken::new();
    let (stopping, requested) = (stop.clone(), shell.shutdown().requested());
    shell.tasks().spawn("stop", async move {
        requested.await;
        stopping.cancel();
    });
    stop
}

#[cfg(test)]
mod tests;
