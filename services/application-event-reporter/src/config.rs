//! Settings.

use causeway_argocd::{KubeArgs, redact::RedactionArgs};
use causeway_client::RuntimeArgs;

/// Settings of the reporter.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub runtime: RuntimeArgs,
    #[command(flatten)]
    pub kube: KubeArgs,
    #[command(flatten)]
    pub redaction: RedactionArgs,
    /// Where the part source-server is; without it applications are reported without manifests, trees and commits
    #[arg(long, env = "CAUSEWAY_SOURCE_SERVER", value_name = "URL")]
    pub source_server: Option<String>,
    /// What the cluster is called on the platform
    #[arg(
        long,
        env = "CAUSEWAY_CLUSTER",
        value_name = "NAME",
        default_value = "in-cluster"
    )]
    pub cluster: String,
    /// The namespaces to watch for Applications; all if not given
    #[arg(
        long,
        env = "CAUSEWAY_WATCH_NAMESPACES",
        value_name = "NAMESPACE",
        value_delimiter = ','
    )]
    pub watch_namespaces: Vec<String>,
}
