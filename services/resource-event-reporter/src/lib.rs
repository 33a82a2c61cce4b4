//! The part `resource-event-reporter`: reports Rollouts, AnalysisRuns, ReplicaSets, Workflows, events and other kinds to the
//! inventory. Opens one stream for each kind of each cluster.

mod applications;
mod config;
mod convert;
mod detail;
mod object;
mod owner_lookup;
mod owners;
mod resources;
mod rollout_children;
mod setup;
mod watch;

use std::sync::Arc;

use causeway_client::announce;
use causeway_shell::Shell;
use futures::future::BoxFuture;
use tokio::net::TcpListener;

pub use applications::Applications;
pub use config::{Args, MalformedFlag, ManagedCluster};
pub use watch::{Home, ReportTarget, Watch};

/// Name of the part.
pub const PART: &str = "resource-event-reporter";

/// Reports until the shell drains. The listener serves health and reflection only.
pub fn serve(
    args: Args,
    listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    Box::pin(async move {
        let part = args.reporter.runtime.part(PART)?;
        let setup = Arc::new(setup::Setup::new(args, &part, &shell).await?);
        report(&shell, setup.own(&shell)).await;
        for managed in setup.managed().to_vec() {
            let (setup, shell) = (Arc::clone(&setup), shell.clone());
            shell.tasks().clone().spawn("open", async move {
                let stop = shell.shutdown();
                tokio::select! {
                    watch = setup.managed_watch(&managed) => report(&shell, watch).await,
                    () = stop.requested() => {}
                }
            });
        }
        announce(&shell, part.platform());
        let server = shell.server(setup::access(&part.runtime)?);
        server.serve(listener).await
    })
}

/// Starts to report a cluster.
async fn report(shell: &Shell, watch: Watch) {
    for reporting in watch.start().await {
        let stop = shell.shutdown();
        shell.tasks().spawn_essential("report", async move {
            tokio::select! {
                () = reporting => {}
                () = stop.requested() => {}
            }
            Ok(())
        });
    }
}
