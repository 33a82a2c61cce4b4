//! Settings of the tunnel client.

use std::path::PathBuf;

use causeway_client::RuntimeArgs;
use http::Uri;

use crate::route::Route;

/// How the tunnel client is started.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// What can be reached through the tunnel: NAME=http://HOST:PORT, can be given several times
    #[arg(
        long = "route",
        env = "CAUSEWAY_ROUTES",
        value_name = "ROUTE",
        value_delimiter = ',',
        default_value = "router=http://127.0.0.1:7500"
    )]
    pub routes: Vec<Route>,

    /// Where the tunnel server is, wss://HOST[:PORT]; default: the address from the join
    #[arg(long, env = "CAUSEWAY_TUNNEL_URL", value_name = "URL")]
    pub tunnel_url: Option<Uri>,

    /// PEM file with the CA certificates of the tunnel server, instead of those from the join
    #[arg(long, env = "CAUSEWAY_TUNNEL_CA", value_name = "FILE")]
    pub tunnel_ca: Option<PathBuf>,

    #[command(flatten)]
    pub runtime: RuntimeArgs,
}
