//! Settings.

use causeway_argocd::{ArgocdArgs, KubeArgs};
use causeway_client::RuntimeArgs;

use crate::policy::Action;

/// Settings of the app proxy.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub runtime: RuntimeArgs,
    #[command(flatten)]
    pub kube: KubeArgs,
    #[command(flatten)]
    pub argocd: ArgocdArgs,
    /// What users may do in this runtime at all, whatever the platform allows them; nothing if not given
    #[arg(
        long,
        env = "CAUSEWAY_ALLOW",
        value_name = "ACTION",
        value_delimiter = ','
    )]
    pub allow: Vec<Action>,
}
