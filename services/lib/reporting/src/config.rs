//! The flags that every reporter has.

use causeway_argocd::{KubeArgs, redact::RedactionArgs};
use causeway_client::RuntimeArgs;

/// Of which cluster it is reported, as whom, and without which secrets.
#[derive(Debug, Clone, clap::Args)]
pub struct ReporterArgs {
    #[command(flatten)]
    pub runtime: RuntimeArgs,
    #[command(flatten)]
    pub kube: KubeArgs,
    #[command(flatten)]
    pub redaction: RedactionArgs,
    /// What the cluster is called on the platform
    #[arg(
        long,
        env = "CAUSEWAY_CLUSTER",
        value_name = "NAME",
        default_value = "in-cluster"
    )]
    pub cluster: String,
    /// The namespaces to watch; all if not given
    #[arg(
        long,
        env = "CAUSEWAY_WATCH_NAMESPACES",
        value_name = "NAMESPACE",
        value_delimiter = ','
    )]
    pub watch_namespaces: Vec<String>,
}
