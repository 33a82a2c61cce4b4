//! Merge patches (RFC 7386): what one does, and which one leads from one value to another.

use serde_json::{Map, Value};

/// What a merge patch makes of a value.
pub(crate) fn applied(to: &Value, patch: &Value) -> Value {
    let Value::Object(patch) = patch else {
        return patch.clone();
    };
    let mut fields = to.as_object().cloned().unwrap_or_default();
    for (name, change) in patch {
        if change.is_null() {
            fields.remove(name);
            continue;
        }
        let changed = applied(fields.get(name).unwrap_or(&Value::Null), change);
        fields.insert(name.clone(), changed);
    }
    Value::Object(fields)
}

/// The merge patch that leads from one value to another that has no nulls in it; lists are replaced whole.
pub(crate) fn difference(from: &Value, to: &Value) -> Value {
    let (Value::Object(from), Value::Object(to)) = (from, to) else {
        return to.clone();
    };
    let mut patch: Map<String, Value> = from
        .keys()
        .filter(|name| !to.contains_key(*name))
        .map(|name| (name.clone(), Value::Null))
        .collect();
    for (name, wanted) in to {
        match from.get(name) {
            Some(there) if there == wanted => {}
            Some(there) => drop(patch.insert(name.clone(), difference(there, wanted))),
            None => drop(patch.insert(name.clone(), wanted.clone())),
        }
    }
    Value::Object(patch)
}

/// True if a merge patch leaves a value as it is.
pub(crate) fn changes_nothing(value: &Value, patch: &Value) -> bool {
    applied(value, patch) == *value
}

#[cfg(test)]
mod tests;
