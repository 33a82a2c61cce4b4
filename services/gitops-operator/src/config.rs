//! Settings.

use causeway_argocd::KubeArgs;
use causeway_client::RuntimeArgs;

/// Settings of the operator.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub runtime: RuntimeArgs,
    #[command(flatten)]
    pub kube: KubeArgs,
    /// Namespace of Argo CD; Git sources are read there, and their projects and Applications created
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_NAMESPACE",
        value_name = "NAMESPACE",
        default_value = "argocd"
    )]
    pub argocd_namespace: String,
}
