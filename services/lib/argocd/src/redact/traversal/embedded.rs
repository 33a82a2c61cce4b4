//! Texts that embed whole objects.

use serde_json::Value;

use super::{HideMode, Traversal, secret};

const MAX_DEPTH: usize = 4;
const MAX_YAML_BYTES: usize = 256 << 10;

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
        if text.trim_start().starts_with(['{', '['])
            && let Ok(mut value) = serde_json::from_str::<Value>(text)
        {
            self.nested_traversal().redact_value(&mut value, mode);
            return Some(value.to_string());
        }
        let mut documents = parse_yaml(text)?;
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

    fn redact_value(&self, value: &mut Value, mode: HideMode) {
        self.hide_secrets(value);
        self.value(value, mode);
    }

    /// Returns true if redaction changes the text.
    pub(super) fn reveals(&self, text: &str) -> bool {
        if self.depth >= MAX_DEPTH {
            return false;
        }
        let nested_traversal = self.nested_traversal();
        if let Ok(mut value) = serde_json::from_str::<Value>(text) {
            let before = value.clone();
            nested_traversal.redact_value(&mut value, HideMode::SecretNames);
            return value != before;
        }
        nested_traversal.nested(text, HideMode::SecretNames) != text
    }

    /// Redacts an embedded object; `None` if it has no secrets.
    pub(super) fn redact_embedded(&self, text: &str) -> Option<String> {
        if !self.reveals(text) {
            return None;
        }
        Some(self.nested_traversal().nested(text, HideMode::SecretNames))
    }
}

/// Parses YAML documents of maps or lists; `None` for any other text.
fn parse_yaml(text: &str) -> Option<Vec<Value>> {
    let likely = text.contains('\n') || text.trim_start().starts_with(['{', '[']);
    if !likely || !text.contains(':') || text.len() > MAX_YAML_BYTES {
        return None;
    }
    let documents = serde_saphyr::from_multiple::<Value>(text).ok()?;
    let structured = |value: &Value| value.is_object() || value.is_array();
    let all = !documents.is_empty() && documents.iter().all(structured);
    all.then_some(documents)
}
