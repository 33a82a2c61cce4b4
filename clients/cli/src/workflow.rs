//! `causeway workflow …`: lists, follows and controls Argo Workflows.

mod act;
mod print;
mod wait;

use causeway_proto::proxy::v1::StreamLogsRequest;

use self::{act::Verb, print::Workflows};
use crate::{
    connection::Connection,
    output::Format,
    resource::{
        GetOfKindArgs, ListedOfKindArgs, NameArgs, ReportedKind as _, find, logs::LinesArgs,
    },
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum WorkflowCommand {
    /// List workflows
    #[command(visible_alias = "ls")]
    List(Box<ListedOfKindArgs>),
    /// Show one workflow and its nodes
    Get(GetOfKindArgs),
    /// Wait until a workflow finishes
    ///
    /// Exit code 0 if it succeeded, 3 if it did not, 5 if it did not finish in time.
    ///
    /// It is looked at in its cluster first, so that an end from before 'workflow retry' is none. Where that cannot be done, as in a
    /// cluster that its runtime manages from another one, what was reported last counts. A workflow that was just submitted is not
    /// there until its runtime has reported it.
    Wait(wait::WaitArgs),
    /// Print logs of the pods of a workflow while they exist
    Logs(LogsArgs),
    /// Stop a workflow and run its exit handler
    Stop(act::ActArgs),
    /// Terminate a workflow without running its exit handler
    Terminate(act::ActArgs),
    /// Suspend a workflow before its next step
    Suspend(act::ActArgs),
    /// Resume a suspended workflow
    Resume(act::ActArgs),
    /// Retry the failed steps of a workflow
    Retry(act::RetryArgs),
    /// Resubmit a workflow as a new one
    Resubmit(act::ResubmitArgs),
    /// Submit a workflow from a WorkflowTemplate or CronWorkflow
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
            Self::List(args) => args.run::<Workflows>(connection, format).await,
            Self::Get(args) => args.run::<Workflows>(connection, format).await,
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
    let workflow = find::resolve(connection, Workflows::RESOURCE, &args.name).await?;
    let request = StreamLogsRequest {
        group: workflow.group,
        kind: workflow.kind,
        namespace: workflow.namespace,
        name: workflow.name,
        ..args.lines.to_request(workflow.runtime)
    };
    args.lines.print(connection, request, format).await
}
