//! Which of an application's resources a partial sync is about.

use causeway_argocd::rest::SyncResource;
use causeway_assertion::glob_matches;
use serde_json::Value;

use super::OrderError;

/// Chooses among the resources of an application; without choices all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) choices: Vec<Choice>,
}

/// What to choose, or to leave out. An empty group is the core group, and any other empty field stands for all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) exclude: bool,
}

impl Selection {
    /// Those of the live object that are chosen; empty where nothing is to be chosen.
    pub(crate) fn of(&self, live: &Value) -> Result<Vec<SyncResource>, OrderError> {
        if self.choices.is_empty() {
            return Ok(Vec::new());
        }
        let all = live.pointer("/status/resources").and_then(Value::as_array);
        let all = all.into_iter().flatten().filter(|it| it["hook"] != true);
        let chosen: Vec<SyncResource> = all.map(read).filter(|it| self.takes(it)).collect();
        if chosen.is_empty() {
            Err(OrderError::NothingChosen(
                live["metadata"]["name"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
            ))
        } else {
            Ok(chosen)
        }
    }

    fn takes(&self, resource: &SyncResource) -> bool {
        let matches = |choice: &&Choice| choice.matches(resource);
        let (out, wanted): (Vec<&Choice>, Vec<&Choice>) =
            self.choices.iter().partition(|choice| choice.exclude);
        let chosen = wanted.is_empty() || wanted.iter().any(matches);
        chosen && !out.iter().any(matches)
    }
}

impl Choice {
    fn matches(&self, resource: &SyncResource) -> bool {
        let is = |pattern: &str, value: &str| pattern.is_empty() || glob_matches(pattern, value);
        let group = match self.group.as_str() {
            "" => resource.group.is_empty(),
            pattern => glob_matches(pattern, &resource.group),
        };
        group
            && is(&self.kind, &resource.kind)
            && is(&self.namespace, &resource.namespace)
            && is(&self.name, &resource.name)
    }
}

fn read(resource: &Value) -> SyncResource {
    let text = |field: &str| resource[field].as_str().unwrap_or_default().to_owned();
    SyncResource {
        group: text("group"),
        kind: text("kind"),
        name: text("name"),
        namespace: text("namespace"),
    }
}

#[cfg(test)]
mod tests;
