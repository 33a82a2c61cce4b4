//! `causeway git …`.

mod commit;
mod edit;
mod pull_request;

pub(crate) use commit::show_difference;

use crate::{connection::Connection, output::Format};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum GitCommand {
    Commit(Box<commit::CommitArgs>),
    /// Open, show, list, merge and close pull requests
    #[command(subcommand, visible_alias = "pr")]
    PullRequest(pull_request::PullRequestCommand),
}

impl GitCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::Commit(args) => args.run(connection, format).await,
            Self::PullRequest(command) => command.run(connection, format).await,
        }
    }
}
