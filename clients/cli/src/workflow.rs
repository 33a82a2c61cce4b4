//! `causeway workflow …`: where workflows stand.

mod print;

use crate::{
    connection::Connection,
    output::{self, Format},
    resource::{self, FilterArgs, NameArgs, find},
};

const WORKFLOWS: &str = "workflows.argoproj.io";

#[derive(clap::Subcommand, Debug)]
pub(crate) enum WorkflowCommand {
    /// List workflows
    #[command(visible_alias = "ls")]
    List(Box<FilterArgs>),
    /// Show one workflow and its nodes
    Get(NameArgs),
}

impl WorkflowCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => {
                let found = find::all(connection, args.to_filter(WORKFLOWS, "")).await?;
                resource::list(found, format, print::list)
            }
            Self::Get(args) => {
                let found = find::one(connection, WORKFLOWS, &args, false).await?;
                let found = found.resource.unwrap_or_default();
                match format {
                    Format::Table => output::line(print::whole(&found)),
                    Format::Json | Format::Yaml => resource::document(&found, format),
                }
            }
        }
    }
}
