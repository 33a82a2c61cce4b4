//! Secrets, wherever in an object they are.

use serde_json::{Map, Value};

use super::{
    super::{encoded, name},
    Walk, plain,
};

/// The name of the annotation in which kubectl keeps a copy of what was applied.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

impl Walk<'_> {
    /// The content of each Secret in a value, and the copies of objects that others keep in them.
    pub(super) fn hide_secrets(&self, value: &mut Value) {
        match value {
            Value::Object(map) => {
                self.hide_secret(map);
                map.remove("managedFields");
                map.remove(LAST_APPLIED);
                map.values_mut().for_each(|value| self.hide_secrets(value));
            }
            Value::Array(list) => list.iter_mut().for_each(|value| self.hide_secrets(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The content of a Secret, or of each Secret of a list, whose items need not tell their kind.
    fn hide_secret(&self, map: &mut Map<String, Value>) {
        let kind = map.get("kind").and_then(Value::as_str).unwrap_or_default();
        let (secret, list) = (kind == "Secret", kind == "SecretList");
        if secret {
            self.hide_content(map);
        }
        if list && let Some(Value::Array(items)) = map.get_mut("items") {
            let items = items.iter_mut().filter_map(Value::as_object_mut);
            items.for_each(|item| self.hide_content(item));
        }
    }

    fn hide_content(&self, secret: &mut Map<String, Value>) {
        for field in ["data", "stringData"] {
            match secret.get_mut(field) {
                Some(Value::Object(entries)) => {
                    for value in entries.values_mut() {
                        *value = self.mark_of_content(field, &plain(value)).into();
                    }
                }
                Some(other) => *other = Value::Null,
                None => {}
            }
        }
    }

    /// Of what is encoded, so that it is the mark of the same value elsewhere.
    fn mark_of_content(&self, field: &str, value: &str) -> String {
        match encoded::decoded(value).filter(|_| field == "data") {
            Some(bytes) => self.mark_bytes(&bytes),
            None => self.mark(value),
        }
    }
}

/// Whether an object is a Secret, or tells what happened to one.
pub(super) fn is_about_secret(map: &Map<String, Value>) -> bool {
    let is_secret = |of: &Map<String, Value>| of.get("kind").is_some_and(|kind| kind == "Secret");
    let mut regarding = ["involvedObject", "regarding"]
        .iter()
        .filter_map(|field| map.get(*field)?.as_object());
    is_secret(map) || regarding.any(is_secret)
}

/// Whether a step of a JSON patch sets what has the name of a secret, or what a Secret holds.
pub(super) fn is_patch(map: &Map<String, Value>) -> bool {
    let path = map.get("path").and_then(Value::as_str).unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default();
    let content = path.starts_with("/data/") || path.starts_with("/stringData/");
    map.contains_key("op") && (content || name::tells_of_secret(last))
}

/// Whether a YAML text has a Secret among its documents.
pub(super) fn in_manifest(text: &str) -> bool {
    let kind = |line: &str| {
        let value = line.trim().trim_start_matches("- ").strip_prefix("kind:")?;
        Some(value.trim().trim_matches(['"', '\'']).to_owned())
    };
    text.lines()
        .filter_map(kind)
        .any(|kind| kind == "Secret" || kind == "SecretList")
}
