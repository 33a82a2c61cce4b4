//! Settings.

use causeway_reporting::ReporterArgs;

/// Settings of the reporter.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub reporter: ReporterArgs,
    /// Where the part source-server is; without it applications are reported without manifests, trees and commits
    #[arg(long, env = "CAUSEWAY_SOURCE_SERVER", value_name = "URL")]
    pub source_server: Option<String>,
}
