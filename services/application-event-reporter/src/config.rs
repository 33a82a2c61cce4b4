//! Command-line options.

use causeway_reporting::ReporterArgs;

/// Settings of the reporter.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub reporter: ReporterArgs,
    /// URL of the part source-server; without it applications are reported without manifests, trees and commits
    #[arg(long, env = "CAUSEWAY_SOURCE_SERVER", value_name = "URL")]
    pub source_server: Option<String>,
    /// Namespace of Argo CD, for parent applications named without a namespace; may be repeated. Default: the namespace of the
    /// child
    #[arg(
        long = "argocd-namespace",
        env = "CAUSEWAY_ARGOCD_NAMESPACE",
        value_name = "NAMESPACE",
        value_delimiter = ','
    )]
    pub argocd_namespaces: Vec<String>,
}
