//! Predicts the result of applying a target: a three-way merge as `kubectl apply` does it.
//!
//! Fields that only the live object has stay, unless the last applied target had them too.

use serde_json::{Map, Value};

/// Merge keys of list items, tried in this order.
const KEYS: [&str; 7] = [
    "name",
    "containerPort",
    "port",
    "mountPath",
    "devicePath",
    "ip",
    "topologyKey",
];

/// The object after applying `target`. Equal to `live` when there is nothing to do.
pub(crate) fn predict(target: &Value, last_applied: Option<&Value>, live: &Value) -> Value {
    let nothing = Value::Null;
    merge(target, last_applied.unwrap_or(&nothing), live)
}

fn merge(target: &Value, last: &Value, live: &Value) -> Value {
    match (target, live) {
        (Value::Object(target), Value::Object(live)) => {
            Value::Object(merge_maps(target, last, live))
        }
        (Value::Array(target), Value::Array(live)) => Value::Array(merge_lists(target, last, live)),
        (target, _) => target.clone(),
    }
}

fn merge_maps(
    target: &Map<String, Value>,
    last: &Value,
    live: &Map<String, Value>,
) -> Map<String, Value> {
    let mut merged = live.clone();
    for (field, wanted) in target {
        if wanted.is_null() {
            merged.remove(field);
            continue;
        }
        let before = last.get(field).unwrap_or(&Value::Null);
        let after = live
            .get(field)
            .map_or_else(|| wanted.clone(), |live| merge(wanted, before, live));
        let empty_and_absent = !live.contains_key(field) && is_empty(wanted);
        if !empty_and_absent {
            merged.insert(field.clone(), after);
        }
    }
    for field in last
        .as_object()
        .into_iter()
        .flatten()
        .map(|(field, _)| field)
    {
        if !target.contains_key(field) {
            merged.remove(field);
        }
    }
    merged
}

fn merge_lists(target: &[Value], last: &Value, live: &[Value]) -> Vec<Value> {
    let last = last.as_array().map_or(&[][..], Vec::as_slice);
    let Some(key) = list_key(target, live) else {
        return merge_in_place(target, live);
    };
    let by =
        |list: &[Value], id: &Value| list.iter().find(|item| item.get(key) == Some(id)).cloned();
    let merge_one = |wanted: &Value| {
        let id = &wanted[key];
        let before = by(last, id).unwrap_or_default();
        by(live, id).map_or_else(|| wanted.clone(), |live| merge(wanted, &before, &live))
    };
    let mut merged: Vec<Value> = target.iter().map(merge_one).collect();
    // what something else added stays, what the last target had and this one has not goes
    let added = live
        .iter()
        .filter(|item| by(target, &item[key]).is_none() && by(last, &item[key]).is_none());
    merged.extend(added.cloned());
    if same_items(&merged, live) {
        live.to_vec()
    } else {
        merged
    }
}

/// The order of keyed items has no meaning, so a mere change of order is no change.
fn same_items(left: &[Value], right: &[Value]) -> bool {
    left.len() == right.len() && left.iter().all(|item| right.contains(item))
}

/// Lists without keys are replaced, but their items keep the defaults that the server added.
fn merge_in_place(target: &[Value], live: &[Value]) -> Vec<Value> {
    if target.len() != live.len() {
        return target.to_vec();
    }
    target
        .iter()
        .zip(live)
        .map(|(wanted, live)| merge(wanted, &Value::Null, live))
        .collect()
}

fn list_key(target: &[Value], live: &[Value]) -> Option<&'static str> {
    let all_have = |key: &&str| {
        target
            .iter()
            .chain(live)
            .all(|item| item.get(*key).is_some())
    };
    let unique = |key: &&str| {
        target
            .iter()
            .enumerate()
            .all(|(at, item)| target[..at].iter().all(|other| other[*key] != item[*key]))
    };
    KEYS.into_iter()
        .filter(|_| !target.is_empty() || !live.is_empty())
        .find(|key| all_have(key) && unique(key))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The JSON merge patch that makes `from` into `to`; an empty object when they are equal.
pub(crate) fn merge_patch(from: &Value, to: &Value) -> Value {
    let (Value::Object(before), Value::Object(after)) = (from, to) else {
        return to.clone();
    };
    let mut patch = Map::new();
    for field in before.keys().filter(|field| !after.contains_key(*field)) {
        patch.insert(field.clone(), Value::Null);
    }
    for (field, wanted) in after {
        match before.get(field) {
            Some(have) if have == wanted => {}
            Some(have) => drop(patch.insert(field.clone(), merge_patch(have, wanted))),
            None => drop(patch.insert(field.clone(), wanted.clone())),
        }
    }
    Value::Object(patch)
}

#[cfg(test)]
mod tests;
