//! Settings.

use std::path::PathBuf;

use causeway_client::PlatformPeerArgs;

/// Settings of the inventory.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The folder that the inventory keeps its database in
    #[arg(long, env = "CAUSEWAY_DATA", value_name = "FOLDER")]
    pub data: PathBuf,
    #[command(flatten)]
    pub platform: PlatformPeerArgs,
}
