//! The tunnel client: dials out of a cluster and serves what comes back.
//!
//! Owns: the dial (WSS, this runtime's assertion, backoff, two sessions to two replicas where there
//! are any, make-before-break), and the local table of routes, which is the whole of what can be
//! reached through it.
//!
//! Never: dials what is not in that table, looks into a call, or decides who may call.

mod config;
mod control;
mod dial;
mod failure;
mod forward;
mod headers;
mod metrics;
mod next;
mod route;
mod session;
mod setup;
mod slot;
mod upstream;

use causeway_shell::Shell;
use futures::FutureExt;
use futures::future::BoxFuture;

pub use config::Args;
pub use route::{Route, RouteError, RouteName};
pub use setup::Setup;

/// The part's name.
pub const PART: &str = "tunnel-client";

/// Holds sessions until the shell drains. This part listens on nothing.
pub fn serve(args: Args, shell: Shell) -> BoxFuture<'static, anyhow::Result<()>> {
    async move { Setup::read(&args)?.serve(shell).await }.boxed()
}
