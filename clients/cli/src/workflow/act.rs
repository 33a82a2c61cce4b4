//! Verbs on workflows, as `argo` has them.

use anyhow::Context as _;
use causeway_proto::proxy::v1 as pb;

use super::print::Workflows;
use crate::{
    connection::Connection,
    name::{FullName, stated},
    output::{self, Format},
    request::{self, RequestIdArgs},
    resource::{NameArgs, ReportedKind as _, find},
};

/// One workflow to act on.
#[derive(clap::Args, Debug)]
pub(crate) struct ActArgs {
    #[command(flatten)]
    name: NameArgs,
    #[command(flatten)]
    ids: RequestIdArgs,
}

/// A workflow to begin again.
#[derive(clap::Args, Debug)]
pub(crate) struct RetryArgs {
    #[command(flatten)]
    act: ActArgs,
    /// Override a parameter (repeatable)
    #[arg(short, long = "parameter", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    parameters: Vec<pb::WorkflowParameter>,
    /// Also restart successful steps that match --node-field-selector
    #[arg(long, requires = "node_field_selector")]
    restart_successful: bool,
    /// Select steps by FIELD=VALUE or FIELD!=VALUE, separated by commas
    ///
    /// For example displayName=build. FIELD is displayName, templateName, name, id, phase, templateRef.name, templateRef.template or inputs.parameters.NAME.value.
    #[arg(long, value_name = "SELECTOR", value_parser = stated, requires = "restart_successful")]
    node_field_selector: Option<String>,
}

/// A workflow to run again.
#[derive(clap::Args, Debug)]
pub(crate) struct ResubmitArgs {
    #[command(flatten)]
    act: ActArgs,
    /// Override a parameter (repeatable)
    #[arg(short, long = "parameter", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    parameters: Vec<pb::WorkflowParameter>,
}

/// A workflow to begin.
#[derive(clap::Args, Debug)]
pub(crate) struct SubmitArgs {
    /// Template: workflowtemplate/NAME or cronwf/NAME
    #[arg(long, value_name = "KIND/NAME", value_parser = parse_source)]
    from: (String, String),
    /// The runtime
    #[arg(long, value_name = "NAME", value_parser = stated)]
    runtime: String,
    /// The namespace of the template, and of the workflow
    #[arg(short, long, value_name = "NAMESPACE", value_parser = stated, default_value = "default")]
    namespace: String,
    /// Override a parameter (repeatable)
    #[arg(short, long = "parameter", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    parameters: Vec<pb::WorkflowParameter>,
    /// Override the entrypoint template
    #[arg(long, value_name = "NAME")]
    entrypoint: Option<String>,
    #[command(flatten)]
    ids: RequestIdArgs,
}

/// Verbs that need no more than which workflow.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verb {
    Stop,
    Terminate,
    Suspend,
    Resume,
}

/// Sends a request about a workflow and returns its outcome.
macro_rules! call {
    ($connection:ident.$call:ident($request:ident { $($field:ident),* }) of $workflow:ident by $ids:ident) => {{
        let requests = $ids.for_one()?;
        let request = pb::$request {
            request_id: requests.request_id(&$workflow.name),
            runtime: $workflow.runtime,
            namespace: $workflow.namespace,
            name: $workflow.name,
            $($field),*
        };
        let call = async || $connection.workflow_actions().$call(request.clone()).await;
        request::send(&requests.retry_command(), call).await?.outcome
    }};
}

pub(super) async fn change(
    connection: &Connection,
    args: ActArgs,
    verb: Verb,
    format: Format,
) -> anyhow::Result<()> {
    let workflow = find::resolve(connection, Workflows::RESOURCE, &args.name).await?;
    let ids = args.ids;
    let outcome = match verb {
        Verb::Stop => call!(connection.stop_workflow(StopWorkflowRequest {}) of workflow by ids),
        Verb::Terminate => {
            call!(connection.terminate_workflow(TerminateWorkflowRequest {}) of workflow by ids)
        }
        Verb::Suspend => {
            call!(connection.suspend_workflow(SuspendWorkflowRequest {}) of workflow by ids)
        }
        Verb::Resume => {
            call!(connection.resume_workflow(ResumeWorkflowRequest {}) of workflow by ids)
        }
    };
    let done = match verb {
        Verb::Stop => "is stopping",
        Verb::Terminate => "is terminated",
        Verb::Suspend => "is suspended",
        Verb::Resume => "goes on",
    };
    print_outcome(outcome, done, format)
}

pub(super) async fn retry(
    connection: &Connection,
    args: RetryArgs,
    format: Format,
) -> anyhow::Result<()> {
    let workflow = find::resolve(connection, Workflows::RESOURCE, &args.act.name).await?;
    let ids = args.act.ids;
    let restart_successful = args.node_field_selector.unwrap_or_default();
    let parameters = args.parameters;
    let outcome = call!(connection.retry_workflow(RetryWorkflowRequest { restart_successful, parameters }) of workflow by ids);
    print_outcome(outcome, "begins again", format)
}

pub(super) async fn resubmit(
    connection: &Connection,
    args: ResubmitArgs,
    format: Format,
) -> anyhow::Result<()> {
    let workflow = find::resolve(connection, Workflows::RESOURCE, &args.act.name).await?;
    let ids = args.act.ids;
    let parameters = args.parameters;
    let outcome = call!(connection.resubmit_workflow(ResubmitWorkflowRequest { parameters }) of workflow by ids);
    print_outcome(outcome, "is submitted", format)
}

pub(super) async fn submit(
    connection: &Connection,
    args: SubmitArgs,
    format: Format,
) -> anyhow::Result<()> {
    let (kind, name) = args.from;
    let template = FullName {
        runtime: args.runtime,
        namespace: args.namespace,
        name,
    };
    let ids = args.ids;
    let (parameters, entrypoint) = (args.parameters, args.entrypoint.unwrap_or_default());
    let outcome = call!(connection.submit_workflow(SubmitWorkflowRequest { parameters, kind, entrypoint }) of template by ids);
    print_outcome(outcome, "is submitted", format)
}

fn print_outcome(
    outcome: Option<pb::WorkflowOutcome>,
    done: &str,
    format: Format,
) -> anyhow::Result<()> {
    let missing = "the runtime answered without an outcome: is it of another version?";
    let outcome = outcome.context(missing)?;
    if format != Format::Table {
        return output::document(&outcome, format);
    }
    let name = &outcome.name;
    match (outcome.unchanged, outcome.repeated_request) {
        (true, _) => output::line(format!("workflow '{name}' is so already")),
        (false, true) => output::line(format!("workflow '{name}' {done}, by an earlier request")),
        (false, false) => output::line(format!("workflow '{name}' {done}")),
    }
}

fn parse_parameter(text: &str) -> Result<pb::WorkflowParameter, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok(pb::WorkflowParameter {
            name: name.to_owned(),
            value: value.to_owned(),
        }),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

fn parse_source(text: &str) -> Result<(String, String), String> {
    let wanted = "write workflowtemplate/NAME or cronwf/NAME";
    let (kind, name) = text.split_once('/').ok_or(wanted)?;
    let kind = match kind.to_ascii_lowercase().as_str() {
        "workflowtemplate" | "workflowtemplates" | "wftmpl" => "WorkflowTemplate",
        "cronworkflow" | "cronworkflows" | "cronwf" | "cwf" => "CronWorkflow",
        _ => return Err(wanted.to_owned()),
    };
    Ok((kind.to_owned(), name.to_owned()))
}
