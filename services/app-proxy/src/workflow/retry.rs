//! A Workflow that begins again at the steps that failed, in the same object, by the rules that Argo Workflows' server has for it:
//! what failed is as if it had never been, with all that came after it; what stands around it runs again; what succeeded is carried
//! over. Its controller does the rest. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    PREFIX, WorkflowRefusal, is_packed, text,
    tree::{Nodes, Tree, exit_handler},
    with_parameters,
};

/// Nodes that stand around others, and have no pod of their own.
const GROUPS: [&str; 4] = ["DAG", "TaskGroup", "Steps", "StepGroup"];
/// Nodes that do something.
const STEPS: [&str; 5] = ["Container", "Pod", "HTTP", "Plugin", "Suspend"];

/// Nodes and parameters of a retry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetrySelection {
    /// Which nodes begin again that succeeded: fields and their values, all of which hold; empty for none.
    pub chosen: Vec<(String, FieldMatch)>,
    /// Names and values of parameters that have another value from now on.
    pub parameters: Vec<(String, String)>,
}

/// Comparison of a field with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldMatch {
    /// It is this.
    Is(String),
    /// It is not this.
    IsNot(String),
}

/// Workflow that starts again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RetriedWorkflow {
    /// The whole of it.
    pub(crate) workflow: Value,
    /// The ids and names of the nodes that are as if they had never been, whose pods stand in the way of new ones.
    pub(crate) removed: BTreeMap<String, String>,
}

/// Nodes to remove and nodes to run again; removal wins.
#[derive(Default)]
struct NodePlan<'n> {
    removed: BTreeSet<&'n str>,
    running: BTreeSet<&'n str>,
}

/// How a Workflow that has ended begins again; `now` is RFC 3339.
///
/// # Errors
/// The Workflow is not for this.
pub(crate) fn begun(
    workflow: &Value,
    again: &RetrySelection,
    now: &str,
) -> Result<RetriedWorkflow, WorkflowRefusal> {
    match text(workflow, "/status/phase") {
        "Failed" | "Error" => {}
        "Succeeded" if !again.chosen.is_empty() => {}
        "Succeeded" => return Err(WorkflowRefusal::Succeeded),
        _ => return Err(WorkflowRefusal::NotEnded),
    }
    if is_packed(workflow) {
        return Err(WorkflowRefusal::Packed);
    }
    let nodes = workflow.pointer("/status/nodes").and_then(Value::as_object);
    let nodes = nodes.cloned().unwrap_or_default();
    let fates = fates(workflow, &nodes, again)?;
    if fates.removed.is_empty() && !nodes.is_empty() {
        return Err(WorkflowRefusal::NoStep);
    }
    let removed = fates.removed.iter();
    let named = |id: &&str| ((*id).to_owned(), text(&nodes[*id], "/name").to_owned());
    Ok(RetriedWorkflow {
        removed: removed.map(named).collect(),
        workflow: running(workflow, carried_over(&nodes, &fates, now), again, now),
    })
}

fn fates<'n>(
    workflow: &Value,
    nodes: &'n Nodes,
    again: &RetrySelection,
) -> Result<NodePlan<'n>, WorkflowRefusal> {
    let name = text(workflow, "/metadata/name");
    let tree = Tree::of(name, nodes)?;
    let chosen = |id: &str| !again.chosen.is_empty() && is_chosen(tree.node(id), &again.chosen);
    let failed = |id: &'n str| {
        STEPS.contains(&tree.kind(id)) && tree.has_failed(id) && !went_on(&tree, id, &chosen)
    };
    let mut fates = NodePlan::default();
    for id in tree.in_order() {
        if !fates.removed.contains(id) && (chosen(id) || failed(id)) {
            fates.begin_again_at(&tree, id);
        }
    }
    if !again.parameters.is_empty() {
        fates.expand_again(&tree);
    }
    let exit = exit_handler(name);
    let exits = nodes.iter();
    let exits = exits.filter(|(_, node)| text(node, "/name").starts_with(&exit));
    fates.removed.extend(exits.map(|(id, _)| id.as_str()));
    Ok(fates)
}

/// True if the workflow went on after a step that failed.
fn went_on<'n>(tree: &Tree<'n>, id: &'n str, chosen: &impl Fn(&str) -> bool) -> bool {
    let after = tree.after(tree.tried_by(id));
    let succeeded = |id: &&str| text(tree.node(id), "/phase") == "Succeeded" && !chosen(id);
    after.iter().any(succeeded)
}

impl<'n> NodePlan<'n> {
    fn remove(&mut self, tree: &Tree<'n>, id: &'n str) {
        self.removed.insert(id);
        self.removed.extend(tree.after(id));
    }

    /// Removes a node with all after it; on the way up from there everything around it runs again.
    fn begin_again_at(&mut self, tree: &Tree<'n>, id: &'n str) {
        self.remove(tree, id);
        let way = tree.way_up(id);
        if way.len() == 1 {
            return;
        }
        let mut at = 0;
        while let Some(&id) = way.get(at) {
            at = match tree.kind(id) {
                kind if GROUPS.contains(&kind) => {
                    self.running.insert(id);
                    self.run_around(tree, &way, at)
                }
                // Containers of one pod go and come together.
                "Container" => {
                    let pod = way[at..].iter().position(|id| tree.kind(id) == "Pod");
                    let pod = pod.map_or(way.len(), |further| at + further);
                    if let Some(&id) = way.get(pod) {
                        self.remove(tree, id);
                    }
                    pod
                }
                "Retry" if tree.has_failed(id) => {
                    self.running.insert(id);
                    at + 1
                }
                _ => at + 1,
            };
        }
    }

    /// Lets all run again that a group stands in, and gives where the way goes on.
    fn run_around(&mut self, tree: &Tree<'n>, way: &[&'n str], mut at: usize) -> usize {
        let kind = |at: usize| way.get(at).map_or("", |id| tree.kind(id));
        loop {
            if kind(at + 1) == "Retry" {
                at += 1;
                self.running.insert(way[at]);
            }
            if matches!(kind(at + 1), "StepGroup" | "TaskGroup") {
                self.running.insert(way[at + 1]);
            }
            let around = text(tree.node(way[at]), "/boundaryID");
            if around.is_empty() {
                return at + 1;
            }
            let further = way[at + 1..].iter().position(|id| *id == around);
            let Some(further) = further else {
                return way.len();
            };
            at += 1 + further;
            self.running.insert(way[at]);
        }
    }

    /// Resets groups that were expanded with parameters that have changed.
    fn expand_again(&mut self, tree: &Tree<'n>) {
        let expanded = |id: &&&str| matches!(tree.kind(id), "StepGroup" | "TaskGroup");
        let groups: Vec<_> = self.running.iter().filter(expanded).copied().collect();
        for group in groups {
            if !self.removed.contains(group) {
                self.removed.extend(tree.after(group));
            }
        }
    }
}

fn is_chosen(node: &Value, chosen: &[(String, FieldMatch)]) -> bool {
    chosen.iter().all(|(field, wanted)| {
        let found = value(node, field);
        match wanted {
            FieldMatch::Is(wanted) => found == *wanted,
            FieldMatch::IsNot(other) => found != *other,
        }
    })
}

/// A field as `argo` calls it.
fn value(node: &Value, field: &str) -> String {
    if let Some(name) = parameter(field) {
        let parameters = node.pointer("/inputs/parameters").and_then(Value::as_array);
        let mut parameters = parameters.into_iter().flatten();
        let found = parameters.find(|it| text(it, "/name") == name);
        return match found.and_then(|it| it.get("value")) {
            Some(Value::String(value)) => value.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        };
    }
    let found = match field {
        "templateName" if node.get("templateRef").is_some() => text(node, "/templateRef/template"),
        field => text(node, &format!("/{}", field.replace('.', "/"))),
    };
    found.to_owned()
}

/// The parameter that a field is the value of.
pub(crate) fn parameter(field: &str) -> Option<&str> {
    let rest = field.strip_prefix("inputs.parameters.")?;
    rest.strip_suffix(".value").filter(|name| !name.is_empty())
}

fn carried_over(nodes: &Nodes, fates: &NodePlan<'_>, now: &str) -> Nodes {
    let mut carried = Nodes::new();
    for (id, node) in nodes {
        if fates.removed.contains(id.as_str()) {
            continue;
        }
        let mut node = node.clone();
        for list in ["children", "outboundNodes"] {
            let ids = node.get_mut(list).and_then(Value::as_array_mut);
            let is_removed = |id: &Value| id.as_str().is_some_and(|id| fates.removed.contains(id));
            ids.into_iter()
                .for_each(|ids| ids.retain(|id| !is_removed(id)));
        }
        if fates.running.contains(id.as_str()) {
            run(&mut node, now);
        }
        carried.insert(id.clone(), node);
    }
    carried
}

fn run(node: &mut Value, now: &str) {
    let Some(fields) = node.as_object_mut() else {
        return;
    };
    // What was skipped stays so: nothing would ever end it.
    if fields.get("phase") != Some(&json!("Skipped")) {
        fields.insert("phase".to_owned(), json!("Running"));
    }
    fields.insert("startedAt".to_owned(), json!(now));
    for field in ["message", "finishedAt"] {
        fields.remove(field);
    }
}

/// The Workflow as one that runs.
fn running(workflow: &Value, nodes: Nodes, again: &RetrySelection, now: &str) -> Value {
    let mut workflow = workflow.clone();
    let labels = workflow.pointer_mut("/metadata/labels");
    if let Some(labels) = labels.and_then(Value::as_object_mut) {
        labels.remove(&format!("{PREFIX}completed"));
        labels.remove(&format!("{PREFIX}workflow-archiving-status"));
    }
    workflow["metadata"]["labels"][format!("{PREFIX}phase")] = json!("Running");
    for spec in ["/spec", "/status/storedWorkflowTemplateSpec"] {
        let Some(spec) = workflow.pointer_mut(spec) else {
            continue;
        };
        *spec = with_parameters(spec.take(), &again.parameters);
        if let Some(spec) = spec.as_object_mut() {
            spec.remove("shutdown");
            if spec.get("activeDeadlineSeconds") == Some(&json!(0)) {
                spec.remove("activeDeadlineSeconds");
            }
        }
    }
    if let Some(status) = workflow["status"].as_object_mut() {
        for field in ["message", "finishedAt", "persistentVolumeClaims"] {
            status.remove(field);
        }
        let conditions = status.get("conditions").and_then(Value::as_array);
        let conditions = conditions.into_iter().flatten();
        let others = conditions.filter(|it| text(it, "/type") != "Completed");
        let completed = json!({"type": "Completed", "status": "False"});
        let conditions: Vec<_> = others.cloned().chain([completed]).collect();
        status.insert("conditions".to_owned(), json!(conditions));
        status.insert("phase".to_owned(), json!("Running"));
        status.insert("startedAt".to_owned(), json!(now));
        status.insert("nodes".to_owned(), Value::Object(nodes));
    }
    workflow
}

#[cfg(test)]
mod tests;
