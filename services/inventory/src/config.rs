//! Settings.

use std::path::PathBuf;

use causeway_client::PlatformPeerArgs;
use causeway_database::DatabaseArgs;

use crate::{cleanup::RetentionPeriods, quota::Quotas};

/// Settings of the inventory.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The folder of the database where --database names none
    #[arg(long, env = "CAUSEWAY_DATA", value_name = "FOLDER")]
    pub data: PathBuf,
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// How long what applications were is kept
    #[arg(
        long,
        env = "CAUSEWAY_HISTORY_RETENTION",
        value_name = "TIME",
        default_value = "90d"
    )]
    pub history_retention: humantime::Duration,
    /// How long each state of an application is kept; after that the last one of each hour is, and each that ended an operation or
    /// changed sync or health
    #[arg(
        long,
        env = "CAUSEWAY_HISTORY_FULL",
        value_name = "TIME",
        default_value = "7d"
    )]
    pub history_full: humantime::Duration,
    #[command(flatten)]
    pub quotas: Quotas,
    #[command(flatten)]
    pub platform: PlatformPeerArgs,
}

impl Args {
    /// What is kept of what was.
    pub(crate) fn retention(&self) -> RetentionPeriods {
        RetentionPeriods {
            retention: *self.history_retention,
            full: *self.history_full,
        }
    }
}
