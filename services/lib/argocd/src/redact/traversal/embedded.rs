//! Texts that embed whole objects.

use serde_json::Value;

use super::{super::budget::Work, HideMode, Traversal, UNCHECKED, secret, text};

const MAX_DEPTH: usize = 4;
const MAX_YAML_BYTES: usize = 256 << 10;
/// Cost of starting a parser, as bytes of YAML.
const YAML_START_BYTES: usize = 128;

impl Traversal<'_> {
    /// Redacts a text that may embed an object, as annotations and ConfigMaps do.
    pub(super) fn nested(&self, text: &str, mode: HideMode) -> String {
        if let Some(redacted) = self.document(text, mode) {
            return redacted;
        }
        if secret::has_secret_manifest(text) {
            return self.placeholder(text);
        }
        self.text(text)
    }

    /// Redacts a JSON or YAML document.
    fn document(&self, text: &str, mode: HideMode) -> Option<String> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        if text.trim_start().starts_with(['{', '[']) {
            if !self.budget.spend(Work::Json, text.len()) {
                return Some(UNCHECKED.to_owned());
            }
            if let Ok(mut value) = serde_json::from_str::<Value>(text) {
                self.nested_traversal().redact_value(&mut value, mode);
                return Some(value.to_string());
            }
        }
        if !is_likely_yaml(text) {
            return None;
        }
        if !self.budget.spend(Work::Yaml, text.len() + YAML_START_BYTES) {
            return Some(UNCHECKED.to_owned());
        }
        let Some(mut documents) = parse_yaml(text) else {
            return self.aliased(text);
        };
        let before = documents.clone();
        let nested_traversal = self.nested_traversal();
        documents
            .iter_mut()
            .for_each(|value| nested_traversal.redact_value(value, mode));
        if documents == before {
            // Unchanged values: the original text is kept, because its comments may have secrets of their own.
            return Some(self.text(text));
        }
        let written = documents.iter().map(serde_saphyr::to_string);
        Some(written.collect::<Result<Vec<_>, _>>().ok()?.join("---\n"))
    }

    /// Hides a text that may be YAML with aliases, if it has the name of a secret: an alias shows the value somewhere else.
    fn aliased(&self, text: &str) -> Option<String> {
        let aliased = text.contains(['&']) && text.contains('*');
        (aliased && text::has_secret_name(text)).then(|| self.placeholder(text))
    }

    fn redact_value(&self, value: &mut Value, mode: HideMode) {
        self.hide_secrets(value);
        self.value(value, mode);
    }

    /// Redacts a text; `None` if redaction changes nothing.
    pub(super) fn redact_embedded(&self, text: &str) -> Option<String> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        let nested_traversal = self.nested_traversal();
        if !self.budget.spend(Work::Json, text.len()) {
            return Some(UNCHECKED.to_owned());
        }
        if let Ok(mut value) = serde_json::from_str::<Value>(text) {
            let before = value.clone();
            nested_traversal.redact_value(&mut value, HideMode::SecretNames);
            return (value != before).then(|| value.to_string());
        }
        let redacted = nested_traversal.nested(text, HideMode::SecretNames);
        (redacted != text).then_some(redacted)
    }

    /// Returns true if redaction changes the text.
    pub(super) fn reveals(&self, text: &str) -> bool {
        self.redact_embedded(text).is_some()
    }
}

fn is_likely_yaml(text: &str) -> bool {
    let likely = text.contains('\n') || text.trim_start().starts_with(['{', '[']);
    likely && text.contains(':') && text.len() <= MAX_YAML_BYTES
}

/// Parses YAML documents of maps or lists without aliases; `None` for any other text.
fn parse_yaml(text: &str) -> Option<Vec<Value>> {
    let options = serde_saphyr::options! {
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 0,
            max_replay_stack_depth: 0,
            max_alias_expansions_per_anchor: 0,
        },
    };
    let documents = serde_saphyr::from_multiple_with_options::<Value>(text, options).ok()?;
    let structured = |value: &Value| value.is_object() || value.is_array();
    let all = !documents.is_empty() && documents.iter().all(structured);
    all.then_some(documents)
}
