//! The part `application-event-reporter`: reports Argo CD Applications to the inventory. It drops no final state, sends no
//! secrets, and isolates malformed objects.

mod applications;
mod compression;
mod config;
mod convert;
mod enrichment;
mod parent;
mod setup;
mod source;

use causeway_client::announce;
use causeway_reporting::Reporter;
use causeway_shell::Shell;
use futures::future::BoxFuture;
use tokio::net::TcpListener;

pub use applications::Applications;
pub use config::Args;
pub use source::Source;

/// Name of the part.
pub const PART: &str = "application-event-reporter";

/// Reports until the shell drains. The listener serves health and reflection only.
pub fn serve(
    args: Args,
    listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    Box::pin(async move {
        let part = args.reporter.runtime.part(PART)?;
        let watched = setup::watched(&args, &part, &shell).await?;
        for watcher in watched.watchers {
            let watching = watcher.run();
            let stop = shell.shutdown();
            shell.tasks().spawn("watch", async move {
                tokio::select! {
                    () = watching => {}
                    () = stop.requested() => {}
                }
            });
        }
        let reporter = Reporter::new(watched.setup, watched.objects);
        let reporting = reporter.run(shell.shutdown().requested());
        shell.tasks().spawn_essential("report", async move {
            reporting.await;
            Ok(())
        });
        announce(&shell, part.platform());
        let server = shell.server(setup::access(&part.runtime)?);
        server.serve(listener).await
    })
}
