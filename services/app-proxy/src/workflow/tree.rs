//! The nodes of a Workflow as they hang together: each has those that came after it as children, so that what stands around a step
//! is found on the way up from it. Pure.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Map, Value};

use super::{WorkflowRefusal, text};

/// Nodes by their ids.
pub(super) type Nodes = Map<String, Value>;

/// Nodes, and which one each came after.
pub(super) struct Tree<'n> {
    nodes: &'n Nodes,
    parents: BTreeMap<&'n str, &'n str>,
    root: Option<&'n str>,
}

impl<'n> Tree<'n> {
    /// Of the workflow of this name.
    ///
    /// # Errors
    /// A node came after none that there is, or before one that there is not.
    pub(super) fn of(workflow: &str, nodes: &'n Nodes) -> Result<Self, WorkflowRefusal> {
        let is_root = |(_, node): &(&String, &Value)| text(node, "/name") == workflow;
        let mut tree = Self {
            nodes,
            parents: BTreeMap::new(),
            root: nodes.iter().find(is_root).map(|(id, _)| id.as_str()),
        };
        for id in nodes.keys() {
            for child in tree.children(id) {
                if !nodes.contains_key(child) {
                    return Err(WorkflowRefusal::Torn(child.to_owned()));
                }
                tree.parents.insert(child, id);
            }
        }
        let exit = exit_handler(workflow);
        let lost = nodes.iter().find(|(id, node)| {
            let hangs = tree.parents.contains_key(id.as_str()) || tree.root == Some(id);
            !hangs && !text(node, "/name").starts_with(&exit)
        });
        match lost {
            Some((id, _)) => Err(WorkflowRefusal::Torn(id.clone())),
            None => Ok(tree),
        }
    }

    pub(super) fn node(&self, id: &str) -> &'n Value {
        self.nodes.get(id).unwrap_or(&Value::Null)
    }

    /// `DAG`, `Pod`, `Retry`, ….
    pub(super) fn kind(&self, id: &str) -> &'n str {
        text(self.node(id), "/type")
    }

    pub(super) fn has_failed(&self, id: &str) -> bool {
        matches!(text(self.node(id), "/phase"), "Failed" | "Error")
    }

    fn children(&self, id: &str) -> impl Iterator<Item = &'n str> + use<'n> {
        let children = self.node(id).get("children").and_then(Value::as_array);
        children.into_iter().flatten().filter_map(Value::as_str)
    }

    /// All from the root on, each before those that are further away from it.
    pub(super) fn in_order(&self) -> Vec<&'n str> {
        let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
        let mut left: VecDeque<_> = self.root.into_iter().collect();
        while let Some(id) = left.pop_front() {
            if seen.insert(id) {
                order.push(id);
                left.extend(self.children(id));
            }
        }
        order
    }

    /// All that came after a node.
    pub(super) fn after(&self, id: &str) -> BTreeSet<&'n str> {
        let (mut found, mut left) = (BTreeSet::new(), vec![]);
        left.extend(self.children(id));
        while let Some(id) = left.pop() {
            if found.insert(id) {
                left.extend(self.children(id));
            }
        }
        found
    }

    /// The way up from a node, with it, to the root.
    pub(super) fn way_up(&self, id: &'n str) -> Vec<&'n str> {
        let above = std::iter::successors(Some(id), |id| self.parents.get(id).copied());
        above.take(self.nodes.len()).collect()
    }

    /// The node that tried this one again and again, or the node itself.
    pub(super) fn tried_by(&self, id: &'n str) -> &'n str {
        let is_try = self.node(id).pointer("/nodeFlag/retried") == Some(&Value::Bool(true));
        let mut retries = self.nodes.keys().filter(|it| self.kind(it) == "Retry");
        let by = retries.find(|it| is_try && self.children(it).any(|child| child == id));
        by.map_or(id, String::as_str)
    }
}

/// What the names of the nodes begin with that run when a workflow has ended.
pub(super) fn exit_handler(workflow: &str) -> String {
    format!("{workflow}.onExit")
}
