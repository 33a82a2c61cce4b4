//! What leaves a cluster, without its secrets. Owns the promise that the content of a Secret, a credential in an address or
//! a copy of either in an annotation or a message never goes out: in their place stands a keyed hash, so that two equal
//! values can still be seen to be equal by whoever cannot guess them.

mod name;
mod text;

use aws_lc_rs::hmac;
use serde_json::{Map, Value};

use crate::application::Application;

/// The longest message that goes out, in bytes.
pub const LONGEST_MESSAGE: usize = 4096;
/// The name of the annotation in which kubectl keeps a copy of what was applied.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Redacts with the key of one runtime. Equal values have equal marks as long as the key is the same.
#[derive(Clone, Debug)]
pub struct Redactor {
    key: hmac::Key,
}

/// How the values of a map are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Only those whose name tells of a secret.
    Named,
    /// All but those whose name tells of a reference.
    Whole,
}

impl Redactor {
    /// Takes anything secret of the runtime that does not change, for example its private key.
    pub fn new(secret: &[u8]) -> Self {
        let derived = hmac::sign(
            &hmac::Key::new(hmac::HMAC_SHA256, secret),
            b"causeway-redaction-v1",
        );
        Self {
            key: hmac::Key::new(hmac::HMAC_SHA256, derived.as_ref()),
        }
    }

    /// Redacts an object or anything within one.
    pub fn manifest(&self, value: &mut Value) {
        self.walk(value, Depth::Named);
    }

    /// Redacts the texts of an Application that come from outside.
    pub fn application(&self, application: &mut Application) {
        let spec = &mut application.spec;
        for source in spec.sources.iter_mut().chain(&mut spec.source) {
            source.repo_url = self.text(&source.repo_url);
        }
        for value in application.metadata.labels.values_mut() {
            *value = self.text(value);
        }
        let status = &mut application.status;
        status.health.message = self.message(&status.health.message);
        for condition in &mut status.conditions {
            condition.message = self.message(&condition.message);
        }
        for health in status
            .resources
            .iter_mut()
            .filter_map(|it| it.health.as_mut())
        {
            health.message = self.message(&health.message);
        }
        let Some(state) = &mut status.operation_state else {
            return;
        };
        state.message = self.message(&state.message);
        for result in state
            .sync_result
            .iter_mut()
            .flat_map(|it| &mut it.resources)
        {
            result.message = self.message(&result.message);
        }
    }

    /// A text without the credentials in it, at most [`LONGEST_MESSAGE`] bytes.
    pub fn message(&self, message: &str) -> String {
        let mut redacted = self.text(message);
        if redacted.len() > LONGEST_MESSAGE {
            let end = redacted.floor_char_boundary(LONGEST_MESSAGE - '…'.len_utf8());
            redacted.truncate(end);
            redacted.push('…');
        }
        redacted
    }

    /// A text without the credentials in it.
    pub fn text(&self, text: &str) -> String {
        text::scrub(text, &|secret| self.mark(secret))
    }

    fn walk(&self, value: &mut Value, depth: Depth) {
        match value {
            Value::Object(map) => self.walk_map(map, depth),
            Value::Array(list) => self.walk_list(list, depth),
            Value::String(text) => *text = self.nested(text, depth),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn walk_map(&self, map: &mut Map<String, Value>, depth: Depth) {
        self.hide_secret(map);
        map.remove("managedFields");
        map.remove(LAST_APPLIED);
        let named = map.get("name").and_then(Value::as_str);
        let pair = named.is_some_and(name::tells_of_secret);
        for (key, value) in map.iter_mut() {
            let secret = name::tells_of_secret(key) || (pair && key == "value");
            let whole = depth == Depth::Whole && !name::tells_of_reference(key);
            let hidden = secret || whole;
            if value.is_object() && name::holds_secrets(key) {
                self.walk(value, Depth::Whole);
            } else if let Some(text) = value.as_str().filter(|_| hidden) {
                *value = self.mark(text).into();
            } else if let Some(list) = value.as_array_mut().filter(|_| secret) {
                self.hide_texts(list, depth);
            } else {
                self.walk(value, depth);
            }
        }
    }

    fn walk_list(&self, list: &mut [Value], depth: Depth) {
        let mut after_flag = false;
        for value in list {
            let flag = value.as_str().is_some_and(is_secret_flag);
            match value.as_str().filter(|_| after_flag) {
                Some(text) => *value = self.mark(text).into(),
                None => self.walk(value, depth),
            }
            after_flag = flag;
        }
    }

    fn hide_texts(&self, list: &mut [Value], depth: Depth) {
        for value in list {
            match value.as_str().map(|text| self.mark(text)) {
                Some(mark) => *value = mark.into(),
                None => self.walk(value, depth),
            }
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
                    let hide = |value: &mut Value| *value = self.mark(&plain(value)).into();
                    entries.values_mut().for_each(hide);
                }
                Some(other) => *other = Value::Null,
                None => {}
            }
        }
    }

    /// A text that may hold an object itself, as annotations and ConfigMaps do.
    fn nested(&self, text: &str, depth: Depth) -> String {
        let start = text.trim_start();
        if start.starts_with(['{', '['])
            && let Ok(mut value) = serde_json::from_str::<Value>(text)
        {
            self.walk(&mut value, depth);
            return value.to_string();
        }
        if holds_secret_manifest(text) {
            return self.mark(text);
        }
        self.text(text)
    }

    fn mark(&self, secret: &str) -> String {
        if secret.is_empty() || is_mark(secret) {
            return secret.to_owned();
        }
        let tag = hmac::sign(&self.key, secret.as_bytes());
        let bytes = tag.as_ref().iter().take(6);
        let hex: String = bytes.map(|byte| format!("{byte:02x}")).collect();
        format!("{MARK}{hex})")
    }
}

const MARK: &str = "(redacted ";

fn is_mark(text: &str) -> bool {
    text.len() == MARK.len() + 13 && text.starts_with(MARK) && text.ends_with(')')
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn is_secret_flag(argument: &str) -> bool {
    argument.starts_with('-') && !argument.contains(['=', ' ']) && name::tells_of_secret(argument)
}

/// Whether a YAML text has a Secret among its documents.
fn holds_secret_manifest(text: &str) -> bool {
    let kind = |line: &str| {
        let value = line.trim().trim_start_matches("- ").strip_prefix("kind:")?;
        Some(value.trim().trim_matches(['"', '\'']).to_owned())
    };
    text.lines()
        .filter_map(kind)
        .any(|kind| kind == "Secret" || kind == "SecretList")
}

#[cfg(test)]
mod tests;
