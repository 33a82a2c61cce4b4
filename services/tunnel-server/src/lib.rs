//! The tunnel server: sessions of tunnel clients, and calls into the runtimes behind them.
//!
//! Owns: the tunnel listener (WSS, authenticated before the upgrade), the table of sessions with
//! its fencing, and the internal listener, where a call goes to a session of exactly the runtime
//! that its assertion is for. Tells `platform` which sessions there are.
//!
//! Never: names an address inside a cluster, makes or changes an assertion, or looks into a call.

mod admission;
mod authority;
mod config;
mod connect;
mod control;
mod convert;
mod failure;
mod forward;
mod grpc;
mod headers;
mod internal_listener;
mod link;
mod metrics;
mod report;
mod session;
mod setup;
mod supervise;

use causeway_shell::{Shell, bind};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::net::TcpListener;

pub use config::Args;
pub use setup::Setup;

/// The part's name.
pub const PART: &str = "tunnel-server";

/// The sockets of this part, bound before anything else starts.
pub struct Listeners {
    pub internal: TcpListener,
    pub tunnel: TcpListener,
}

/// Serves until the shell drains. The tunnel listener is bound here, before anything else.
pub fn serve(
    args: Args,
    internal: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    async move {
        let tunnel = bind("--tunnel-listen", args.tunnel_listen).await?;
        let setup = Setup::read(&args, internal.local_addr()?, &shell)?;
        setup.serve(Listeners { internal, tunnel }, shell).await
    }
    .boxed()
}
