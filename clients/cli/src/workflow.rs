//! `causeway workflow …`: where workflows stand, and what is done with them.

mod act;
mod print;
mod wait;

use causeway_proto::proxy::v1::StreamLogsRequest;

use self::act::Verb;
use crate::{
    connection::Connection,
    output::{self, Format},
    resource::{self, ListedOfKindArgs, NameArgs, find, logs::LinesArgs, watch},
};

const WORKFLOWS: &str = "workflows.argoproj.io";

#[derive(clap::Subcommand, Debug)]
pub(crate) enum WorkflowCommand {
    /// List workflows
    #[command(visible_alias = "ls")]
    List(Box<ListedOfKindArgs>),
    /// Show one workflow and its nodes
    Get(GetArgs),
    /// Wait for the end of a workflow; exit code 0 where it succeeded, 3 where it did not, 5 for neither in time
    ///
    /// It is looked at in its cluster first, so that an end from before 'workflow retry' is none. Where that cannot be done, as in a
    /// cluster that its runtime manages from another one, what was reported last counts. A workflow that was just submitted is not
    /// there until its runtime has reported it.
    Wait(wait::WaitArgs),
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

/// One workflow.
#[derive(clap::Args, Debug)]
pub(crate) struct GetArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Show it again whenever it changes
    #[arg(short, long)]
    watch: bool,
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
            Self::List(args) => args.run(connection, WORKFLOWS, format, print::list).await,
            Self::Get(args) if args.watch => {
                let meant = find::meant(connection, WORKFLOWS, &args.name).await?;
                watch::one(connection, meant, format, print::whole).await
            }
            Self::Get(args) => {
                let found = find::one(connection, WORKFLOWS, &args.name, false).await?;
                let found = found.resource.unwrap_or_default();
                match format {
                    Format::Table => output::line(print::whole(&found)),
                    Format::Json | Format::Yaml => resource::document(&found, format),
                }
            }
            Self::Wait(args) => wait::run(connection, &args, format).await,
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
