//! `causeway git …`.

mod commit;
mod edit;

use crate::{connection::Connection, output::Format};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum GitCommand {
    Commit(Box<commit::CommitArgs>),
}

impl GitCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::Commit(args) => args.run(connection, format).await,
        }
    }
}
