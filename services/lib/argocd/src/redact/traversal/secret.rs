//! Kubernetes Secrets anywhere within an object.

use serde_json::{Map, Value};

use super::{
    super::{encoded, name},
    Traversal, plain,
};

/// Annotation with kubectl's copy of the applied manifest.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

impl Traversal<'_> {
    /// Hides the content of each Secret and drops the copies of manifests in annotations and managed fields.
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

    /// Hides the content of a Secret or of a SecretList, whose items may lack a kind.
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
                        *value = self.placeholder_of_content(field, &plain(value)).into();
                    }
                }
                Some(other) => *other = Value::Null,
                None => {}
            }
        }
    }

    /// Hashes the decoded value, so it equals the placeholder of the same value elsewhere.
    fn placeholder_of_content(&self, field: &str, value: &str) -> String {
        match encoded::decode_base64(value).filter(|_| field == "data") {
            Some(bytes) => self.placeholder_of_bytes(&bytes),
            None => self.placeholder(value),
        }
    }
}

/// Returns true if an object is a Secret or an event about one.
pub(super) fn is_about_secret(map: &Map<String, Value>) -> bool {
    let is_secret = |of: &Map<String, Value>| of.get("kind").is_some_and(|kind| kind == "Secret");
    let mut regarding = ["involvedObject", "regarding"]
        .iter()
        .filter_map(|field| map.get(*field)?.as_object());
    is_secret(map) || regarding.any(is_secret)
}

/// Returns true if a JSON patch step sets a value with a secret name or the content of a Secret.
pub(super) fn is_patch(map: &Map<String, Value>) -> bool {
    let path = map.get("path").and_then(Value::as_str).unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default();
    let content = path.starts_with("/data/") || path.starts_with("/stringData/");
    map.contains_key("op") && (content || name::is_secret_name(last))
}

/// Returns true if a YAML text has a Secret among its documents.
pub(super) fn has_secret_manifest(text: &str) -> bool {
    let kind = |line: &str| {
        let value = line.trim().trim_start_matches("- ").strip_prefix("kind:")?;
        Some(value.trim().trim_matches(['"', '\'']).to_owned())
    };
    text.lines()
        .filter_map(kind)
        .any(|kind| kind == "Secret" || kind == "SecretList")
}
