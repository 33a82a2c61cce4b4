//! Settings.

use causeway_argocd::{ArgocdArgs, KubeArgs};
use causeway_client::RuntimeArgs;

/// Settings of the source server.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub runtime: RuntimeArgs,
    #[command(flatten)]
    pub kube: KubeArgs,
    #[command(flatten)]
    pub argocd: ArgocdArgs,
    /// How many bytes of Argo CD's answers are kept in memory
    #[arg(
        long,
        env = "CAUSEWAY_CACHE_BYTES",
        value_name = "BYTES",
        default_value_t = 64 << 20
    )]
    pub cache_bytes: u64,
}
