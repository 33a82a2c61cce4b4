//! Texts that are objects themselves.

use serde_json::Value;

use super::{Extent, Walk, secret};

/// How deep texts are looked at that are in texts.
const DEEPEST: usize = 4;
/// The longest text that is read as YAML.
const LONGEST_YAML: usize = 256 << 10;

impl Walk<'_> {
    /// A text that may hold an object itself, as annotations and ConfigMaps do.
    pub(super) fn nested(&self, text: &str, extent: Extent) -> String {
        if let Some(redacted) = self.document(text, extent) {
            return redacted;
        }
        if secret::in_manifest(text) {
            return self.mark(text);
        }
        self.text(text)
    }

    /// A text that is JSON or YAML.
    fn document(&self, text: &str, extent: Extent) -> Option<String> {
        if self.depth >= DEEPEST {
            return None;
        }
        if text.trim_start().starts_with(['{', '['])
            && let Ok(mut value) = serde_json::from_str::<Value>(text)
        {
            self.deeper().both(&mut value, extent);
            return Some(value.to_string());
        }
        let mut documents = yaml(text)?;
        let before = documents.clone();
        let deeper = self.deeper();
        documents
            .iter_mut()
            .for_each(|value| deeper.both(value, extent));
        if documents == before {
            // As it was written, comments and all, which the text's own rules look through.
            return Some(self.text(text));
        }
        let written = documents.iter().map(serde_saphyr::to_string);
        Some(written.collect::<Result<Vec<_>, _>>().ok()?.join("---\n"))
    }

    fn both(&self, value: &mut Value, extent: Extent) {
        self.hide_secrets(value);
        self.value(value, extent);
    }

    /// Whether there are secrets in a text.
    pub(super) fn reveals(&self, text: &str) -> bool {
        if self.depth >= DEEPEST {
            return false;
        }
        let deeper = self.deeper();
        if let Ok(mut value) = serde_json::from_str::<Value>(text) {
            let before = value.clone();
            deeper.both(&mut value, Extent::Named);
            return value != before;
        }
        deeper.nested(text, Extent::Named) != text
    }

    /// A text in a text, where it is an object with secrets in it.
    pub(in super::super) fn inner(&self, text: &str) -> Option<String> {
        if !self.reveals(text) {
            return None;
        }
        Some(self.deeper().nested(text, Extent::Named))
    }
}

/// The documents of a text that is YAML of maps or lists; nothing of any other.
fn yaml(text: &str) -> Option<Vec<Value>> {
    let likely = text.contains('\n') || text.trim_start().starts_with(['{', '[']);
    if !likely || !text.contains(':') || text.len() > LONGEST_YAML {
        return None;
    }
    let documents = serde_saphyr::from_multiple::<Value>(text).ok()?;
    let structured = |value: &Value| value.is_object() || value.is_array();
    let all = !documents.is_empty() && documents.iter().all(structured);
    all.then_some(documents)
}
