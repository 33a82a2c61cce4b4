//! The part `application-event-reporter`: what Argo CD's Applications are, told to the inventory. Never drops a final state,
//! deletions included; never lets a secret out of the cluster; never lets one bad object stop the others.

mod config;

use causeway_client::announce;
use causeway_shell::{
    Access, Shell,
    assertion::{Recipient, StaticKeys, Verifier},
};
use futures::future::BoxFuture;
use tokio::net::TcpListener;

pub use config::Args;

/// The part's name.
pub const PART: &str = "application-event-reporter";

/// Reports until the shell drains. The listener serves health and reflection only.
pub fn serve(
    args: Args,
    listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    Box::pin(async move {
        let identity = args.runtime.identity()?;
        announce(&shell, identity.platform());
        let (account, runtime) = (identity.account.clone(), identity.runtime_id.clone());
        let recipient = Recipient::runtime(account, runtime, PART.parse()?);
        let nobody = Verifier::new(std::sync::Arc::new(StaticKeys::new([])), recipient);
        let server = shell.server(Access::from_contract(nobody));
        server.serve(listener).await
    })
}
