//! What a verb does to a Workflow as it is now, and the Workflows that are made of others: the writes that `argo` makes, decided by
//! the live object alone.

pub(crate) mod act;
mod pods;
pub(crate) mod retry;
mod tree;

use serde_json::{Map, Value, json};

/// The prefix of Argo Workflows' labels and annotations.
const PREFIX: &str = "workflows.argoproj.io/";
/// Labels that say how the other one stands, or who made it.
const OF_THE_OTHER: [&str; 6] = [
    "phase",
    "completed",
    "workflow-archiving-status",
    "creator",
    "creator-email",
    "creator-preferred-username",
];
/// As long as a name may be that is to be a label, less what is added to it.
const LONGEST_PREFIX: usize = 54;

/// What can be asked of a Workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// End by the exit handler.
    Stop,
    /// End at once.
    Terminate,
    /// Begin no further step.
    Suspend,
    /// Go on, past the steps that wait for a person.
    Resume,
}

/// What a new Workflow has in another way than what it is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Names and values of parameters.
    pub parameters: Vec<(String, String)>,
    /// The template to begin with; nothing for the one that is named there.
    pub entrypoint: Option<String>,
}

/// Why a Workflow is not for this. Each text is one line that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkflowRefusal {
    #[error("it has ended: run it again with 'causeway workflow resubmit'")]
    Ended,
    #[error(
        "its nodes are not in the object but packed or in a database: use argo, which reads them"
    )]
    Packed,
    #[error("it has not ended: end it first with 'causeway workflow stop'")]
    NotEnded,
    #[error(
        "it succeeded: choose what begins again with --restart-successful and --node-field-selector, or run all of it with 'causeway workflow resubmit'"
    )]
    Succeeded,
    #[error(
        "none of its steps failed or is chosen: 'causeway workflow get' shows them, and 'causeway workflow resubmit' runs all of it again"
    )]
    NoStep,
    #[error(
        "its nodes do not hang together at {0}: run all of it again with 'causeway workflow resubmit'"
    )]
    Torn(String),
    #[error(
        "its step waits for a value of '{0}', which has no default: give it with 'argo node set'"
    )]
    NoValue(String),
}

impl Verb {
    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Terminate => "terminate",
            Self::Suspend => "suspend",
            Self::Resume => "resume",
        }
    }

    /// The merge patch for a Workflow; `now` is RFC 3339.
    ///
    /// # Errors
    /// The Workflow is not for this.
    pub(crate) fn plan(
        self,
        workflow: &Value,
        user: &str,
        now: &str,
    ) -> Result<Value, WorkflowRefusal> {
        if self != Self::Resume && has_ended(workflow) {
            return Err(WorkflowRefusal::Ended);
        }
        Ok(match self {
            Self::Stop => json!({"spec": {"shutdown": "Stop"}}),
            Self::Terminate => json!({"spec": {"shutdown": "Terminate"}}),
            Self::Suspend => json!({"spec": {"suspend": true}}),
            Self::Resume => return resume(workflow, user, now),
        })
    }
}

fn has_ended(workflow: &Value) -> bool {
    let phase = text(workflow, "/status/phase");
    matches!(phase, "Succeeded" | "Failed" | "Error")
}

fn resume(workflow: &Value, user: &str, now: &str) -> Result<Value, WorkflowRefusal> {
    if is_packed(workflow) {
        return Err(WorkflowRefusal::Packed);
    }
    let mut nodes = Map::new();
    let known = workflow.pointer("/status/nodes").and_then(Value::as_object);
    for (id, node) in known.into_iter().flatten() {
        if text(node, "/type") == "Suspend" && text(node, "/phase") == "Running" {
            nodes.insert(id.clone(), resumed(node, user, now)?);
        }
    }
    let mut patch = json!({"spec": {"suspend": null}});
    if !nodes.is_empty() {
        patch["status"] = json!({"nodes": nodes});
    }
    Ok(patch)
}

/// True if its nodes are elsewhere, or in a form of their own.
fn is_packed(workflow: &Value) -> bool {
    let packed = ["compressedNodes", "offloadNodeStatusVersion"];
    let is_said = |name: &str| !text(workflow, &format!("/status/{name}")).is_empty();
    packed.into_iter().any(is_said)
}

fn resumed(node: &Value, user: &str, now: &str) -> Result<Value, WorkflowRefusal> {
    let message = match text(node, "/message") {
        "" => format!("Resumed by: {user}"),
        said => format!("{said}; Resumed by: {user}"),
    };
    let mut patch = json!({"phase": "Succeeded", "message": message, "finishedAt": now});
    let parameters = node
        .pointer("/outputs/parameters")
        .and_then(Value::as_array);
    let Some(mut parameters) = parameters.cloned() else {
        return Ok(patch);
    };
    for parameter in parameters.iter_mut().filter_map(Value::as_object_mut) {
        let from = parameter.get("valueFrom").cloned().unwrap_or_default();
        if from.get("supplied").is_none() {
            continue;
        }
        let Some(default) = from.get("default") else {
            let name = parameter.get("name").and_then(Value::as_str);
            return Err(WorkflowRefusal::NoValue(
                name.unwrap_or_default().to_owned(),
            ));
        };
        parameter.insert("value".to_owned(), default.clone());
        parameter.remove("valueFrom");
    }
    patch["outputs"] = json!({"parameters": parameters});
    Ok(patch)
}

/// A new Workflow with the spec of another one; without a name.
pub(crate) fn resubmitted(workflow: &Value, changes: &Changes) -> Value {
    let mut spec = object(workflow, "/spec");
    spec.remove("shutdown");
    if spec.get("activeDeadlineSeconds") == Some(&json!(0)) {
        spec.remove("activeDeadlineSeconds");
    }
    let mut labels = object(workflow, "/metadata/labels");
    for name in OF_THE_OTHER {
        labels.remove(&format!("{PREFIX}{name}"));
    }
    let name = text(workflow, "/metadata/name");
    labels.insert(format!("{PREFIX}resubmitted-from-workflow"), json!(name));
    let mut metadata = json!({
        "generateName": prefix_of(workflow),
        "labels": labels,
        "annotations": workflow.pointer("/metadata/annotations").cloned().unwrap_or_else(|| json!({})),
    });
    if let Some(owners) = workflow.pointer("/metadata/ownerReferences") {
        metadata["ownerReferences"] = owners.clone();
    }
    made(&metadata, spec, changes)
}

/// A new Workflow by a WorkflowTemplate; without a name.
pub(crate) fn of_template(template: &Value, changes: &Changes) -> Value {
    let name = text(template, "/metadata/name");
    let metadata = json!({
        "generateName": format!("{name}-"),
        "labels": {format!("{PREFIX}workflow-template"): name},
        "annotations": {},
    });
    let mut spec = Map::new();
    spec.insert("workflowTemplateRef".to_owned(), json!({"name": name}));
    made(&metadata, spec, changes)
}

/// A new Workflow as a CronWorkflow would begin it now; without a name. `now` is RFC 3339.
pub(crate) fn of_schedule(schedule: &Value, changes: &Changes, now: &str) -> Value {
    let name = text(schedule, "/metadata/name");
    let mut labels = object(schedule, "/spec/workflowMetadata/labels");
    labels.insert(format!("{PREFIX}cron-workflow"), json!(name));
    let instance = format!("{PREFIX}controller-instanceid");
    if let Some(id) = object(schedule, "/metadata/labels").remove(&instance) {
        labels.insert(instance, id);
    }
    let mut annotations = object(schedule, "/spec/workflowMetadata/annotations");
    annotations.insert(format!("{PREFIX}scheduled-time"), json!(now));
    let owner = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "CronWorkflow",
        "name": name,
        "uid": schedule.pointer("/metadata/uid"),
        "controller": true,
        "blockOwnerDeletion": true,
    });
    let metadata = json!({
        "generateName": format!("{name}-"),
        "labels": labels,
        "annotations": annotations,
        "ownerReferences": [owner],
    });
    made(&metadata, object(schedule, "/spec/workflowSpec"), changes)
}

/// The same name for the same request, in place of one that is drawn by lot.
pub(crate) fn named(mut workflow: Value, request: &str) -> Value {
    let prefix = text(&workflow, "/metadata/generateName");
    let prefix: String = prefix.chars().take(LONGEST_PREFIX).collect();
    workflow["metadata"]["name"] = json!(format!("{prefix}{}", &request[..8]));
    workflow
}

fn made(metadata: &Value, mut spec: Map<String, Value>, changes: &Changes) -> Value {
    if let Some(entrypoint) = &changes.entrypoint {
        spec.insert("entrypoint".to_owned(), json!(entrypoint));
    }
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": metadata,
        "spec": with_parameters(Value::Object(spec), &changes.parameters),
    })
}

/// A spec with other values of parameters.
fn with_parameters(mut spec: Value, parameters: &[(String, String)]) -> Value {
    if parameters.is_empty() {
        return spec;
    }
    let given = parameters.iter();
    let given = given.map(|(name, value)| json!({"name": name, "value": value}));
    let is_given = |it: &&Value| {
        let name = text(it, "/name");
        parameters.iter().any(|(given, _)| given == name)
    };
    let there = spec
        .pointer("/arguments/parameters")
        .and_then(Value::as_array);
    let there = there.into_iter().flatten().filter(|it| !is_given(it));
    let all: Vec<Value> = given.chain(there.cloned()).collect();
    let mut arguments = object(&spec, "/arguments");
    arguments.insert("parameters".to_owned(), json!(all));
    spec["arguments"] = Value::Object(arguments);
    spec
}

fn prefix_of(workflow: &Value) -> String {
    match text(workflow, "/metadata/generateName") {
        "" => format!("{}-", text(workflow, "/metadata/name")),
        prefix => prefix.to_owned(),
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

fn object(value: &Value, pointer: &str) -> Map<String, Value> {
    let fields = value.pointer(pointer).and_then(Value::as_object);
    fields.cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests;
