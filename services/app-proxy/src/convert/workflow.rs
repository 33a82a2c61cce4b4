//! Verbs on workflows.

use causeway_proto::proxy::v1 as pb;

use super::{FieldError, read_request_identity, rollout::read_object};
use crate::{
    outcome::Attempt,
    scope::Requester,
    workflow::{
        Changes, Verb,
        act::{Task, Template, WorkflowOrder, WorkflowOutcome},
        retry::{FieldMatch, RetrySelection, parameter},
    },
};

const MOST_PARAMETERS: usize = 100;
const LONGEST_VALUE: usize = 65_536;
const LONGEST_NAME: usize = 253;
const LONGEST_SELECTOR: usize = 1024;
/// What nodes are chosen by, beside their parameters.
const NODE_FIELDS: [&str; 7] = [
    "displayName",
    "templateName",
    "name",
    "id",
    "phase",
    "templateRef.name",
    "templateRef.template",
];

macro_rules! orders {
    ($($name:ident: $request:ident = |$it:ident| $task:expr;)*) => {$(
        pub(crate) fn $name(
            $it: pb::$request,
            requester: &Requester,
        ) -> Result<WorkflowOrder, FieldError> {
            let who = (stringify!($request), &requester.user);
            Ok(WorkflowOrder {
                asked: read_request_identity(who, &$it.request_id, &$it)?,
                task: $task,
                of: read_object($it.namespace, $it.name)?,
            })
        }
    )*};
}

orders! {
    stop: StopWorkflowRequest = |it| Task::Change(Verb::Stop);
    terminate: TerminateWorkflowRequest = |it| Task::Change(Verb::Terminate);
    suspend: SuspendWorkflowRequest = |it| Task::Change(Verb::Suspend);
    resume: ResumeWorkflowRequest = |it| Task::Change(Verb::Resume);
    retry: RetryWorkflowRequest = |it| Task::Retry(RetrySelection {
        chosen: read_chosen(&it.restart_successful)?,
        parameters: read_changes(&it.parameters, "")?.parameters,
    });
    resubmit: ResubmitWorkflowRequest = |it| Task::Resubmit(read_changes(&it.parameters, "")?);
    submit: SubmitWorkflowRequest = |it| Task::Submit(
        read_template(&it.kind)?,
        read_changes(&it.parameters, &it.entrypoint)?,
    );
}

fn read_template(kind: &str) -> Result<Template, FieldError> {
    match kind {
        "WorkflowTemplate" => Ok(Template::Workflow),
        "CronWorkflow" => Ok(Template::Cron),
        _ => Err(FieldError::Rule {
            field: "kind",
            rule: "must be WorkflowTemplate or CronWorkflow",
        }),
    }
}

fn read_chosen(selector: &str) -> Result<Vec<(String, FieldMatch)>, FieldError> {
    let parts = selector.split(',').map(str::trim);
    let parts = parts.filter(|part| !part.is_empty());
    let chosen = (selector.len() <= LONGEST_SELECTOR).then(|| parts.map(read_match).collect());
    chosen.flatten().ok_or(FieldError::Rule {
        field: "restart_successful",
        rule: "must be FIELD=VALUE or FIELD!=VALUE with commas between them, for example displayName=build; a FIELD is displayName, templateName, name, id, phase, templateRef.name, templateRef.template or inputs.parameters.NAME.value",
    })
}

fn read_match(part: &str) -> Option<(String, FieldMatch)> {
    let (field, wanted) = match part.split_once("!=") {
        Some((field, value)) => (field, FieldMatch::IsNot(value.trim().to_owned())),
        None => {
            let (field, value) = part.split_once('=')?;
            let value = value.strip_prefix('=').unwrap_or(value);
            (field, FieldMatch::Is(value.trim().to_owned()))
        }
    };
    let field = field.trim();
    let known = NODE_FIELDS.contains(&field) || parameter(field).is_some();
    known.then(|| (field.to_owned(), wanted))
}

fn read_changes(
    parameters: &[pb::WorkflowParameter],
    entrypoint: &str,
) -> Result<Changes, FieldError> {
    if parameters.len() > MOST_PARAMETERS {
        return Err(FieldError::Many {
            field: "parameters",
            number: parameters.len(),
            most: MOST_PARAMETERS,
        });
    }
    let fits = |it: &pb::WorkflowParameter| {
        !it.name.is_empty() && it.name.len() <= LONGEST_NAME && it.value.len() <= LONGEST_VALUE
    };
    if !parameters.iter().all(fits) || entrypoint.len() > LONGEST_NAME {
        return Err(FieldError::Rule {
            field: "parameters and entrypoint",
            rule: "must have names of 1 to 253 bytes and values of at most 64 KiB",
        });
    }
    let parameters = parameters.iter();
    Ok(Changes {
        parameters: parameters
            .map(|it| (it.name.clone(), it.value.clone()))
            .collect(),
        entrypoint: (!entrypoint.is_empty()).then(|| entrypoint.to_owned()),
    })
}

impl From<WorkflowOutcome> for pb::WorkflowOutcome {
    fn from(outcome: WorkflowOutcome) -> Self {
        Self {
            repeated_request: outcome.origin == Attempt::EarlierCall,
            name: outcome.name,
            resource_version: outcome.resource_version,
            unchanged: outcome.unchanged,
        }
    }
}
