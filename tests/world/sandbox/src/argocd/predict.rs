//! What a live object becomes when a target is applied to it: a three-way merge as `kubectl apply` does it.
//!
//! Fields that only the live object has stay, unless the last applied target had them too.

use serde_json::{Map, Value};

/// By which field the items of a list are told apart, tried in this order.
const KEYS: [&str; 7] = [
    "name",
    "containerPort",
    "port",
    "mountPath",
    "devicePath",
    "ip",
    "topologyKey",
];

/// Fields whose entries are amounts: `1000m` and `1` are one.
const AMOUNTS: [&str; 4] = ["limits", "requests", "capacity", "hard"];

/// The object after applying `target`. Equal to `live` when there is nothing to do.
pub(crate) fn predict(target: &Value, last_applied: Option<&Value>, live: &Value) -> Value {
    let nothing = Value::Null;
    merge("", target, last_applied.unwrap_or(&nothing), live)
}

/// `below` is the field that holds these values: in some of them numbers are amounts with units.
fn merge(below: &str, target: &Value, last: &Value, live: &Value) -> Value {
    match (target, live) {
        (Value::Object(target), Value::Object(live)) => {
            Value::Object(merge_maps(below, target, last, live))
        }
        (Value::Array(target), Value::Array(live)) => Value::Array(merge_lists(target, last, live)),
        (target, live) if AMOUNTS.contains(&below) && same_amount(target, live) => live.clone(),
        (target, _) => target.clone(),
    }
}

fn merge_maps(
    below: &str,
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
        let after = live.get(field).map_or_else(
            || wanted.clone(),
            |live| merge(inner(below, field), wanted, before, live),
        );
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

/// The entries of a map of amounts are amounts; anything else is judged by its own field.
fn inner<'a>(below: &'a str, field: &'a str) -> &'a str {
    if AMOUNTS.contains(&below) {
        below
    } else {
        field
    }
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
        by(live, id).map_or_else(|| wanted.clone(), |live| merge("", wanted, &before, &live))
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
        .map(|(wanted, live)| merge("", wanted, &Value::Null, live))
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

/// `1000m` and `1`, `1024Mi` and `1Gi`, 1 and `1`: equal for the API server, so equal here.
fn same_amount(left: &Value, right: &Value) -> bool {
    let amount = |value: &Value| match value {
        Value::String(text) => quantity(text),
        Value::Number(number) => number.as_f64(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let same =
        |left: f64, right: f64| (left - right).abs() <= f64::EPSILON * left.abs().max(right.abs());
    amount(left)
        .zip(amount(right))
        .is_some_and(|(left, right)| same(left, right))
}

fn quantity(text: &str) -> Option<f64> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && !".+-".contains(c))
        .unwrap_or(text.len());
    let (number, suffix) = text.split_at(digits);
    let scale = match suffix {
        "" => 1.0,
        "m" => 0.001,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "Ki" => 1024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        "Ti" => 1_099_511_627_776.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * scale)
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
