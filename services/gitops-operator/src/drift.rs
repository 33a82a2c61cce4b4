//! Differences between a live object and its plan.

use causeway_git_source::text;
use serde_json::Value;

/// Whether a live object has the spec, labels, owner and finalizers of its plan.
pub(crate) fn is_settled(live: &Value, planned: &Value) -> bool {
    let within = |pointer: &str| match (live.pointer(pointer), planned.pointer(pointer)) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(live), Some(planned)) => includes(live, planned),
    };
    live.get("spec") == planned.get("spec")
        && within("/metadata/labels")
        && within("/metadata/ownerReferences")
        && within("/metadata/finalizers")
}

/// Whether a live spec has fields that its plan lacks. Server-side apply leaves those of other writers.
pub(crate) fn has_surplus(live: &Value, planned: &Value) -> bool {
    match (live, planned) {
        (Value::Object(live), Value::Object(planned)) => live.iter().any(|(field, value)| {
            planned
                .get(field)
                .is_none_or(|planned| has_surplus(value, planned))
        }),
        (Value::Array(live), Value::Array(planned)) => {
            live.len() > planned.len()
                || live
                    .iter()
                    .zip(planned)
                    .any(|(live, planned)| has_surplus(live, planned))
        }
        (live, planned) => live != planned,
    }
}

/// Names the fields of the spec that differ.
pub(crate) fn changed_fields(before: &Value, after: &Value) -> Vec<String> {
    let fields = |object: &Value| -> Vec<String> {
        let spec = object.get("spec").and_then(Value::as_object);
        spec.into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect()
    };
    let mut names = fields(before);
    names.extend(fields(after));
    names.sort();
    names.dedup();
    names.retain(|name| before["spec"].get(name) != after["spec"].get(name));
    names
}

/// Describes an object that was put right.
pub(crate) fn describe(after: &Value, fields: &[String]) -> String {
    let (kind, name) = (text(after, "/kind"), text(after, "/metadata/name"));
    format!("{kind} {name}: {}", fields.join(", "))
}

/// Whether each value of `part` is in `whole`.
fn includes(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(field, value)| whole.get(field).is_some_and(|it| includes(it, value))),
        (Value::Array(whole), Value::Array(part)) => part
            .iter()
            .all(|value| whole.iter().any(|it| includes(it, value))),
        (whole, part) => whole == part,
    }
}

#[cfg(test)]
mod tests;
