//! Settings.

use std::path::PathBuf;

use causeway_client::PlatformPeerArgs;
use causeway_database::DatabaseArgs;

/// Settings of the inventory.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The folder of the database where --database names none
    #[arg(long, env = "CAUSEWAY_DATA", value_name = "FOLDER")]
    pub data: PathBuf,
    #[command(flatten)]
    pub database: DatabaseArgs,
    #[command(flatten)]
    pub platform: PlatformPeerArgs,
}
