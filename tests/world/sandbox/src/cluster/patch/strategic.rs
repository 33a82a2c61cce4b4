//! Strategic merge patch: lists with a merge key merge item by item; `$patch`, `$setElementOrder` and
//! `$deleteFromPrimitiveList` are understood.

use serde_json::{Map, Value};

use super::super::{refusal::Refusal, shape::Shape};

const DIRECTIVE: &str = "$patch";
const ORDER: &str = "$setElementOrder/";
const DELETE: &str = "$deleteFromPrimitiveList/";
const RETAIN: &str = "$retainKeys";

pub(super) fn merge(object: &mut Value, change: &Value, shape: Shape<'_>) -> Result<(), Refusal> {
    let Some(change) = change.as_object() else {
        return Err(Refusal::bad_request(
            "the body is not a strategic merge patch",
        ));
    };
    merge_map(object, change, shape)
}

fn merge_map(
    object: &mut Value,
    change: &Map<String, Value>,
    shape: Shape<'_>,
) -> Result<(), Refusal> {
    if change
        .get(DIRECTIVE)
        .is_some_and(|directive| directive == "replace")
    {
        *object = change
            .iter()
            .filter(|(key, _)| *key != DIRECTIVE)
            .map(|(key, inner)| (key.clone(), inner.clone()))
            .collect();
        return Ok(());
    }
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let Some(fields) = object.as_object_mut() else {
        return Ok(());
    };
    if let Some(kept) = change.get(RETAIN).and_then(Value::as_array) {
        fields.retain(|field, _| kept.iter().any(|name| name == field.as_str()));
    }
    for (key, inner) in change {
        if let Some(field) = key.strip_prefix(DELETE) {
            delete_values(fields.get_mut(field), inner);
        } else if inner.is_null() {
            fields.remove(key);
        } else if !key.starts_with('$') {
            let is_deleted = inner
                .get(DIRECTIVE)
                .is_some_and(|directive| directive == "delete");
            if is_deleted && inner.is_object() {
                fields.remove(key);
            } else {
                merge_value(
                    fields.entry(key.clone()).or_insert(Value::Null),
                    inner,
                    shape.field(key),
                )?;
            }
        }
    }
    for (key, order) in change {
        if let (Some(field), Some(order)) = (key.strip_prefix(ORDER), order.as_array()) {
            reorder(fields.get_mut(field), order, shape.field(field));
        }
    }
    Ok(())
}

fn merge_value(slot: &mut Value, change: &Value, shape: Shape<'_>) -> Result<(), Refusal> {
    match change {
        Value::Object(change) => merge_map(slot, change, shape),
        Value::Array(items) => merge_list(slot, items, shape),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            *slot = other.clone();
            Ok(())
        }
    }
}

fn merge_list(slot: &mut Value, items: &[Value], shape: Shape<'_>) -> Result<(), Refusal> {
    let replaces = |item: &Value| {
        item.get(DIRECTIVE)
            .is_some_and(|directive| directive == "replace")
    };
    let is_replaced = items.iter().any(replaces);
    let key = shape.merge_key().filter(|_| !is_replaced);
    let Some(held) = slot
        .as_array_mut()
        .filter(|_| key.is_some() || shape.merges_values())
    else {
        *slot = items
            .iter()
            .filter(|item| !replaces(item) && item.get(DIRECTIVE).is_none())
            .cloned()
            .collect();
        return Ok(());
    };
    for item in items {
        let Some(key) = key else {
            if !held.contains(item) {
                held.push(item.clone());
            }
            continue;
        };
        let name = item.get(key).ok_or_else(|| {
            Refusal::bad_request(format!(
                "a list item of the patch lacks its merge key {key:?}"
            ))
        })?;
        let at = held.iter().position(|other| other.get(key) == Some(name));
        let is_deleted = item
            .get(DIRECTIVE)
            .is_some_and(|directive| directive == "delete");
        match (at, is_deleted) {
            (Some(at), true) => drop(held.remove(at)),
            (Some(at), false) => merge_value(&mut held[at], item, shape.item())?,
            (None, true) => {}
            (None, false) => held.push(item.clone()),
        }
    }
    Ok(())
}

fn delete_values(list: Option<&mut Value>, gone: &Value) {
    let (Some(list), Some(gone)) = (list.and_then(Value::as_array_mut), gone.as_array()) else {
        return;
    };
    list.retain(|item| !gone.contains(item));
}

/// Named items in the given order first, others after them as they were.
fn reorder(list: Option<&mut Value>, order: &[Value], shape: Shape<'_>) {
    let Some(list) = list.and_then(Value::as_array_mut) else {
        return;
    };
    let key = shape.merge_key();
    let name = |item: &Value| key.map_or_else(|| Some(item.clone()), |key| item.get(key).cloned());
    let place = |item: &Value| {
        order
            .iter()
            .position(|named| name(named) == name(item))
            .unwrap_or(order.len())
    };
    list.sort_by_key(place);
}

#[cfg(test)]
mod tests;
