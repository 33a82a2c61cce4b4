//! Settings.

use std::path::PathBuf;

use causeway_argocd::KubeArgs;
use causeway_client::RuntimeArgs;

use crate::route::Route;

/// What users may do with webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum AllowedAction {
    /// Hand a delivery to its subscribers again
    Replay,
    /// Send a signed sample to a route
    Test,
}

/// Settings of the event source.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub runtime: RuntimeArgs,
    #[command(flatten)]
    pub kube: KubeArgs,
    /// Folder of the spool; it must outlive this process
    #[arg(long, env = "CAUSEWAY_DATA", value_name = "FOLDER")]
    pub data: PathBuf,
    /// A webhook route and its provider, for example github=github or shop=gitlab:2097152 with the largest body in bytes; once for each route
    #[arg(
        long = "webhook-route",
        env = "CAUSEWAY_WEBHOOK_ROUTES",
        value_name = "NAME=PROVIDER",
        value_delimiter = ','
    )]
    pub webhook_routes: Vec<Route>,
    /// Folder with a file for each route, named like it: one secret in a line, or two during a rotation; read again when it changes
    #[arg(long, env = "CAUSEWAY_WEBHOOK_SECRETS", value_name = "FOLDER")]
    pub webhook_secrets: Option<PathBuf>,
    /// What users may do with webhooks in this runtime, whatever the platform allows them; nothing if not given
    #[arg(
        long,
        env = "CAUSEWAY_ALLOW_WEBHOOK",
        value_name = "ACTION",
        value_delimiter = ','
    )]
    pub allow_webhook: Vec<AllowedAction>,
    /// How many bytes of webhooks are kept on disk
    #[arg(
        long,
        env = "CAUSEWAY_SPOOL_BYTES",
        value_name = "BYTES",
        default_value_t = 512 << 20
    )]
    pub spool_bytes: u64,
    /// The namespaces whose Applications are refreshed; all if not given
    #[arg(
        long,
        env = "CAUSEWAY_WATCH_NAMESPACES",
        value_name = "NAMESPACE",
        value_delimiter = ','
    )]
    pub watch_namespaces: Vec<String>,
}
