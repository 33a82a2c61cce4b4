//! What a custom kind's schema does to an object before it is checked: defaults filled in, unknown fields dropped. Pure.

use serde_json::Value;

const DEEPEST: usize = 64;

/// Fills in defaults and drops what the schema does not know. Gives the paths of what was dropped.
pub(super) fn prune(schema: &Value, value: &mut Value) -> Vec<String> {
    let mut dropped = Vec::new();
    // every object has these, whatever its schema says of them
    let Some(fields) = value.as_object_mut() else {
        return dropped;
    };
    let own: Vec<_> = ["apiVersion", "kind", "metadata"]
        .into_iter()
        .filter_map(|field| fields.remove_entry(field))
        .collect();
    walk(schema, value, "", DEEPEST, &mut dropped);
    if let Some(fields) = value.as_object_mut() {
        fields.extend(own);
    }
    dropped
}

fn walk(schema: &Value, value: &mut Value, path: &str, depth: usize, dropped: &mut Vec<String>) {
    if depth == 0 || !schema.is_object() || schema["x-kubernetes-embedded-resource"] == true {
        return;
    }
    match value {
        Value::Object(fields) => {
            let known = schema["properties"].as_object();
            for (name, inner) in known.into_iter().flatten() {
                if let Some(default) = inner.get("default").filter(|_| !fields.contains_key(name)) {
                    fields.insert(name.clone(), default.clone());
                }
            }
            let others = schema
                .get("additionalProperties")
                .filter(|other| **other != false);
            let keeps = schema["x-kubernetes-preserve-unknown-fields"] == true || others.is_some();
            fields.retain(|name, _| {
                let is_known = keeps || known.is_some_and(|known| known.contains_key(name));
                if !is_known {
                    dropped.push(join(path, name));
                }
                is_known
            });
            for (name, inner) in fields {
                if let Some(schema) = known.and_then(|known| known.get(name)).or(others) {
                    walk(schema, inner, &join(path, name), depth - 1, dropped);
                }
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                walk(
                    &schema["items"],
                    item,
                    &format!("{path}[{at}]"),
                    depth - 1,
                    dropped,
                );
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn join(path: &str, field: &str) -> String {
    if path.is_empty() {
        field.to_owned()
    } else {
        format!("{path}.{field}")
    }
}
