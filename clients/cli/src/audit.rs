//! `causeway audit …`: what was done, by whom, how it ended, and whether that is still what was written.

mod export;
mod line;
mod list;
mod memory;
mod ocsf;
mod prefix;
mod verify;

use std::path::PathBuf;

use self::{export::ExportArgs, list::ListArgs, verify::VerifyArgs};
use crate::{connection::Connection, output::Format};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum AuditCommand {
    /// List calls, newest first
    #[command(visible_alias = "ls")]
    List(Box<ListArgs>),
    /// Show one call
    Get {
        /// The call's id, or at least its first 8 characters
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        chain: ChainArgs,
    },
    /// Write entries as JSON, one in a line, oldest first
    Export(ExportArgs),
    /// Verify that no entry was changed, removed, added or moved since it was written
    Verify(VerifyArgs),
}

/// Which chain of entries.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct ChainArgs {
    /// Refusals of unknown callers instead of the account's entries; for admins of the first account
    #[arg(long)]
    platform: bool,
}

impl AuditCommand {
    /// What needs no platform, if it is that.
    pub(crate) fn without_platform(&self) -> Option<anyhow::Result<()>> {
        match self {
            Self::Verify(args) => args.verify_file(),
            Self::List(_) | Self::Get { .. } | Self::Export(_) => None,
        }
    }

    /// `memory` is the file of what was verified before.
    pub(crate) async fn run(
        self,
        connection: &Connection,
        format: Format,
        memory: PathBuf,
    ) -> anyhow::Result<()> {
        match self {
            Self::List(args) => list::list(connection, &args, format).await,
            Self::Get { id, chain } => {
                let id = prefix::complete(connection, id, chain).await?;
                list::get(connection, id, chain, format).await
            }
            Self::Export(args) => export::run(connection, &args).await,
            Self::Verify(args) => verify::run(connection, &args, memory).await,
        }
    }
}
