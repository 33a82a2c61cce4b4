//! Redaction of an object, or of a text in one.

use causeway_argocd::redact::Redactor;
use serde_json::{Value, json};

/// Output that marks may add to a small object.
const MARKS: usize = 64 << 10;

/// Redacts an object.
///
/// # Panics
/// The output is more than its share of the input.
pub fn redact(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let configuration = || json!({"kind": "ConfigMap", "data": {"a": text}});
    let mut object: Value = serde_json::from_str(&text).unwrap_or_else(|_| configuration());
    let input = object.to_string().len();
    let redactor = Redactor::new(b"the key of a runtime");
    redactor.manifest(&mut object);
    let output = object.to_string().len();
    assert!(output <= 4 * input + MARKS, "{input} bytes became {output}");
    let _ = redactor.message(&text);
}
