//! Command-line options.

use causeway_reporting::ReporterArgs;

/// Settings of the reporter.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub reporter: ReporterArgs,
    /// Where the part source-server is; without it applications are reported without manifests, trees and commits
    #[arg(long, env = "CAUSEWAY_SOURCE_SERVER", value_name = "URL")]
    pub source_server: Option<String>,
    /// The namespace that Argo CD runs in, where an application's parent is that is named without another one; may be repeated where there are several. Without it the parent is where its child is
    #[arg(
        long = "argocd-namespace",
        env = "CAUSEWAY_ARGOCD_NAMESPACE",
        value_name = "NAMESPACE",
        value_delimiter = ','
    )]
    pub argocd_namespaces: Vec<String>,
}
