//! Settings.

use causeway_argocd::{ArgocdArgs, KubeArgs, redact::RedactionArgs};
use causeway_client::RuntimeArgs;

use crate::{
    git::GitArgs,
    policy::{Entry, syntax},
};

/// Settings of the app proxy.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub runtime: RuntimeArgs,
    #[command(flatten)]
    pub kube: KubeArgs,
    #[command(flatten)]
    pub argocd: ArgocdArgs,
    #[command(flatten)]
    pub redaction: RedactionArgs,
    /// What the cluster is called on the platform; the same as for the reporter, so that roles mean the same cluster
    #[arg(
        long,
        env = "CAUSEWAY_CLUSTER",
        value_name = "NAME",
        default_value = "in-cluster"
    )]
    pub cluster: String,
    /// The namespaces that may be looked through for an application of a near name; all if not given. The same as for the reporter
    #[arg(
        long,
        env = "CAUSEWAY_WATCH_NAMESPACES",
        value_name = "NAMESPACE",
        value_delimiter = ','
    )]
    pub watch_namespaces: Vec<String>,
    #[arg(
        long,
        env = "CAUSEWAY_ALLOW",
        value_name = "ENTRY",
        value_delimiter = ',',
        help = "What users may do in this runtime at all, whatever the platform allows them; nothing if not given",
        long_help = syntax()
    )]
    pub allow: Vec<Entry>,
    #[command(flatten)]
    pub git: GitArgs,
}
