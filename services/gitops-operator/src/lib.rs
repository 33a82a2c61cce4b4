//! The part `gitops-operator`: keeps the AppProjects and the Application of each RestrictedGitSource as its spec says. Owns these
//! objects and the status of the source. Never adopts an object that it did not create, and takes no calls.

mod config;
mod controller;
mod drift;
mod kube;
mod reconcile;
mod removal;
mod status;

use std::sync::Arc;

use causeway_argocd::Cluster;
use causeway_assertion::{ExpectedAudience, StaticKeys, Verifier};
use causeway_client::{RuntimeIdentity, announce};
use causeway_shell::{Access, Shell};
use futures::future::BoxFuture;
use tokio::net::TcpListener;

pub use config::Args;
pub use controller::run;
pub use reconcile::Operator;

/// Name of the part.
pub const PART: &str = "gitops-operator";

/// Reconciles until the shell drains. The listener serves health and reflection only.
pub fn serve(
    args: Args,
    listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    Box::pin(async move {
        let part = args.runtime.part(PART)?;
        let cluster = Cluster::open(&args.kube).await?;
        let operator = Arc::new(Operator::new(cluster, args.argocd_namespace));
        let running = run(&operator, shell.notices());
        let stop = shell.shutdown();
        shell.tasks().spawn_essential("reconcile", async move {
            tokio::select! {
                () = running => {}
                () = stop.requested() => {}
            }
            Ok(())
        });
        announce(&shell, part.platform());
        shell.server(access(&part.runtime)?).serve(listener).await
    })
}

/// Access table of a part without callers: only public services are served.
fn access(identity: &RuntimeIdentity) -> anyhow::Result<Access> {
    let (account, runtime) = (identity.account.clone(), identity.runtime_id.clone());
    let recipient = ExpectedAudience::runtime(account, runtime, PART.parse()?);
    let nobody = Verifier::new(Arc::new(StaticKeys::new([])), recipient);
    Ok(Access::from_contract(nobody))
}
