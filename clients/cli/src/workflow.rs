//! `causeway workflow …`: where workflows stand, and what is done with them.

mod act;
mod print;

use causeway_proto::proxy::v1::StreamLogsRequest;

use self::act::Verb;
use crate::{
    connection::Connection,
    output::{self, Format},
    resource::{self, FilterArgs, NameArgs, find, logs::LinesArgs},
};

const WORKFLOWS: &str = "workflows.argoproj.io";

#[derive(clap::Subcommand, Debug)]
pub(crate) enum WorkflowCommand {
    /// List workflows
    #[command(visible_alias = "ls")]
    List(Box<FilterArgs>),
    /// Show one workflow and its nodes
    Get(NameArgs),
    /// Show what the pods of a workflow write, while its runtime's cluster has them
    Logs(LogsArgs),
    /// End a workflow by its exit handler
    Stop(act::ActArgs),
    /// End a workflow at once, without its exit handler
    Terminate(act::ActArgs),
    /// Make a workflow begin no further step
    Suspend(act::ActArgs),
    /// Make a suspended workflow go on, past the steps that wait for a person
    Resume(act::ActArgs),
    /// Begin a workflow again at the steps that failed, and keep what succeeded
    Retry(act::RetryArgs),
    /// Run a workflow again, as a new one
    Resubmit(act::ResubmitArgs),
    /// Begin a workflow from a WorkflowTemplate or a CronWorkflow
    Submit(act::SubmitArgs),
}

/// A workflow, and which lines of its pods.
#[derive(clap::Args, Debug)]
pub(crate) struct LogsArgs {
    #[command(flatten)]
    name: NameArgs,
    #[command(flatten)]
    lines: LinesArgs,
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
            Self::Logs(args) => logs(connection, &args, format).await,
            Self::Stop(args) => act::change(connection, args, Verb::Stop, format).await,
            Self::Terminate(args) => act::change(connection, args, Verb::Terminate, format).await,
            Self::Suspend(args) => act::change(connection, args, Verb::Suspend, format).await,
            Self::Resume(args) => act::change(connection, args, Verb::Resume, format).await,
            Self::Retry(args) => act::retry(connection, args, format).await,
            Self::Resubmit(args) => act::resubmit(connection, args, format).await,
            Self::Submit(args) => act::submit(connection, args, format).await,
        }
    }
}

async fn logs(connection: &Connection, args: &LogsArgs, format: Format) -> anyhow::Result<()> {
    let workflow = find::meant(connection, WORKFLOWS, &args.name).await?;
    let request = StreamLogsRequest {
        group: workflow.group,
        kind: workflow.kind,
        namespace: workflow.namespace,
        name: workflow.name,
        ..args.lines.to_request(workflow.runtime)
    };
    args.lines.print(connection, request, format).await
}
