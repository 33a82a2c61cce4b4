//! Settings.

use causeway_argocd::{ArgocdArgs, KubeArgs};
use causeway_client::RuntimeArgs;

use crate::link::GitHost;

/// Settings of the source server.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub runtime: RuntimeArgs,
    #[command(flatten)]
    pub kube: KubeArgs,
    #[command(flatten)]
    pub argocd: ArgocdArgs,
    /// A Git server of one's own and its kind, so that commits have links: github, gitlab, bitbucket, bitbucket-server, gitea (Forgejo too) or azure-devops
    #[arg(
        long,
        env = "CAUSEWAY_GIT_HOSTS",
        value_name = "HOST=KIND",
        value_delimiter = ','
    )]
    pub git_host: Vec<GitHost>,
    /// How many bytes of Argo CD's answers are kept in memory
    #[arg(
        long,
        env = "CAUSEWAY_CACHE_BYTES",
        value_name = "BYTES",
        default_value_t = 64 << 20
    )]
    pub cache_bytes: u64,
}
