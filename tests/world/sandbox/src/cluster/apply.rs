//! Server-side apply: merges the applied fields, removes those that the manager omits now, and refuses conflicts.

use serde_json::{Value, json};

use super::{
    ownership::{
        Entry, FieldSet, Operation, entries, ownable, set_entries, subresource_of, version_of,
    },
    refusal::{Reason, Refusal},
    resource::Resource,
    shape::{ListKind, Shape, item_key, value_key},
    store::{Context, Part},
};

const MOST_CONFLICTS: usize = 50;

/// Handling of fields that other managers own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Force {
    Refuse,
    TakeOver,
}

/// Apply request of one manager for one object.
pub(crate) struct ApplyRequest<'a> {
    pub(crate) resource: &'a Resource,
    pub(crate) applied: &'a Value,
    pub(crate) part: Part,
    pub(crate) force: Force,
}

/// Merges the request into `live` and records the owners.
///
/// # Errors
/// `Conflict` when a field has another owner and another value.
pub(crate) fn apply(
    request: &ApplyRequest<'_>,
    live: &Value,
    context: &Context<'_>,
) -> Result<Value, Refusal> {
    let api_version = request.applied["apiVersion"].as_str().unwrap_or_default();
    let shape = Shape::root(request.resource, version_of(api_version));
    let wanted = without_nulls(ownable(request.resource, request.applied, request.part));
    let wanted_fields = FieldSet::of(&wanted, shape);
    let subresource = subresource_of(request.part);
    let mut known = entries(live);
    let mine = known
        .iter()
        .position(|entry| entry.is_of(context.manager, Operation::Apply, subresource));
    let previous = mine.map(|at| known.remove(at));

    let conflicts = conflicts(&known, &wanted_fields, live, &wanted, shape);
    if !conflicts.is_empty() && request.force == Force::Refuse {
        return Err(refuse(&conflicts));
    }
    for conflict in &conflicts {
        known[conflict.entry].fields.subtract(&conflict.fields);
    }

    let mut result = live.clone();
    merge(&mut result, &wanted, shape);
    if let Some(previous) = &previous {
        let mut others = FieldSet::default();
        known.iter().for_each(|entry| others.add(&entry.fields));
        remove_unwanted(
            &mut result,
            &previous.fields,
            Some(&wanted_fields),
            Some(&others),
            shape,
        );
    }
    let unchanged =
        previous.filter(|entry| entry.fields == wanted_fields && entry.api_version == api_version);
    known.push(unchanged.unwrap_or_else(|| Entry {
        manager: context.manager.to_owned(),
        operation: Operation::Apply,
        subresource: subresource.to_owned(),
        api_version: api_version.to_owned(),
        time: context.now.to_owned(),
        fields: wanted_fields,
    }));
    set_entries(&mut result, &known);
    Ok(result)
}

struct Conflict {
    entry: usize,
    manager: String,
    paths: Vec<String>,
    fields: FieldSet,
}

fn conflicts(
    known: &[Entry],
    wanted: &FieldSet,
    live: &Value,
    applied: &Value,
    shape: Shape<'_>,
) -> Vec<Conflict> {
    let mut found = Vec::new();
    for (at, entry) in known.iter().enumerate() {
        let mut search = Search { paths: Vec::new() };
        let sides = FieldChange {
            live: Some(live),
            applied: Some(applied),
        };
        let fields = search.clash(wanted, &entry.fields, sides, shape, "");
        if !search.paths.is_empty() {
            let using = match entry.operation {
                Operation::Apply => String::new(),
                Operation::Update => format!(" using {}", entry.api_version),
            };
            let manager = format!("\"{}\"{using}", entry.manager);
            found.push(Conflict {
                entry: at,
                manager,
                paths: search.paths,
                fields,
            });
        }
    }
    found
}

struct Search {
    paths: Vec<String>,
}

/// The values at one place, before and as wanted.
#[derive(Clone, Copy)]
struct FieldChange<'a> {
    live: Option<&'a Value>,
    applied: Option<&'a Value>,
}

impl Search {
    /// The members of both sets whose values differ.
    fn clash(
        &mut self,
        wanted: &FieldSet,
        owned: &FieldSet,
        sides: FieldChange<'_>,
        shape: Shape<'_>,
        path: &str,
    ) -> FieldSet {
        let mut clashing = FieldSet::default();
        let FieldChange { live, applied } = sides;
        if live == applied {
            return clashing;
        }
        if wanted.children.is_empty() {
            let changes_nothing =
                applied.is_some_and(is_hollow) && live.is_some_and(Value::is_object);
            if owned.owned && live.is_some() && !changes_nothing {
                self.paths.push(path.to_owned());
                clashing = owned.clone();
            }
            return clashing;
        }
        for (key, wanted) in &wanted.children {
            let Some(owned) = owned.get(key) else {
                continue;
            };
            let sides = FieldChange {
                live: pick(live, key, shape),
                applied: pick(applied, key, shape),
            };
            let inner_path = format!("{path}{}", path_of(key));
            let inner = self.clash(wanted, owned, sides, shape_of(shape, key), &inner_path);
            if !inner.is_empty() {
                clashing.children.insert(key.clone(), inner);
            }
        }
        clashing
    }
}

fn shape_of<'a>(shape: Shape<'a>, key: &'a str) -> Shape<'a> {
    key.strip_prefix("f:")
        .map_or_else(|| shape.item(), |field| shape.field(field))
}

fn path_of(key: &str) -> String {
    match key.split_once(':') {
        Some(("f", field)) => format!(".{field}"),
        Some((_, item)) => format!(
            "[{}]",
            item.trim_matches(['{', '}'])
                .replace("\":", "\"=")
                .replace(['"'], "\"")
        ),
        None => key.to_owned(),
    }
}

fn pick<'a>(value: Option<&'a Value>, key: &str, shape: Shape<'_>) -> Option<&'a Value> {
    let value = value?;
    match key.strip_prefix("f:") {
        Some(field) => value.get(field),
        None => value
            .as_array()?
            .iter()
            .find(|item| name_of(item, shape).as_deref() == Some(key)),
    }
}

fn name_of(item: &Value, shape: Shape<'_>) -> Option<String> {
    match shape.list_kind() {
        ListKind::Atomic => None,
        ListKind::Set => Some(value_key(item)),
        ListKind::Map(keys) => item_key(item, &keys),
    }
}

fn merge(live: &mut Value, wanted: &Value, shape: Shape<'_>) {
    match (live, wanted) {
        (Value::Object(live), Value::Object(wanted)) if !shape.is_atomic_map() => {
            for (field, inner) in wanted {
                match live.get_mut(field) {
                    Some(slot) => merge(slot, inner, shape.field(field)),
                    None => drop(live.insert(field.clone(), inner.clone())),
                }
            }
        }
        (Value::Array(live), Value::Array(wanted)) if shape.list_kind() != ListKind::Atomic => {
            for item in wanted {
                let name = name_of(item, shape);
                match live
                    .iter_mut()
                    .find(|held| name.is_some() && name_of(held, shape) == name)
                {
                    Some(held) => merge(held, item, shape.item()),
                    None => live.push(item.clone()),
                }
            }
        }
        (live, wanted) => *live = wanted.clone(),
    }
}

/// Removes fields that the manager applied before, omits now, and no other manager owns.
fn remove_unwanted(
    value: &mut Value,
    before: &FieldSet,
    wanted: Option<&FieldSet>,
    others: Option<&FieldSet>,
    shape: Shape<'_>,
) {
    for (key, inner) in &before.children {
        let wanted = wanted.and_then(|set| set.get(key));
        let others = others.and_then(|set| set.get(key));
        let is_kept = wanted.is_some() || others.is_some();
        let is_whole = inner.children.is_empty() || !key.starts_with("f:");
        if is_whole && !is_kept {
            take_out(value, key, shape);
        } else if let Some(below) = pick_mut(value, key, shape) {
            remove_unwanted(below, inner, wanted, others, shape_of(shape, key));
            if !is_kept && is_hollow(below) {
                take_out(value, key, shape);
            }
        }
    }
}

fn is_hollow(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
        || value.as_array().is_some_and(Vec::is_empty)
}

fn pick_mut<'a>(value: &'a mut Value, key: &str, shape: Shape<'_>) -> Option<&'a mut Value> {
    match key.strip_prefix("f:") {
        Some(field) => value.get_mut(field),
        None => value
            .as_array_mut()?
            .iter_mut()
            .find(|item| name_of(item, shape).as_deref() == Some(key)),
    }
}

fn take_out(value: &mut Value, key: &str, shape: Shape<'_>) {
    match (key.strip_prefix("f:"), value) {
        (Some(field), Value::Object(object)) => drop(object.remove(field)),
        (None, Value::Array(items)) => {
            items.retain(|item| name_of(item, shape).as_deref() != Some(key))
        }
        _ => {}
    }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, inner)| !inner.is_null())
            .map(|(field, inner)| (field, without_nulls(inner)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => plain,
    }
}

fn refuse(conflicts: &[Conflict]) -> Refusal {
    let all = conflicts.iter().flat_map(|conflict| {
        conflict
            .paths
            .iter()
            .map(move |path| (&conflict.manager, path))
    });
    let all: Vec<(&String, &String)> = all.take(MOST_CONFLICTS).collect();
    let causes: Vec<Value> = all
        .iter()
        .map(|(manager, path)| {
            json!({ "reason": "FieldManagerConflict", "message": format!("conflict with {manager}"), "field": path })
        })
        .collect();
    let told = if let [(manager, path)] = all.as_slice() {
        format!("Apply failed with 1 conflict: conflict with {manager}: {path}")
    } else {
        let by_manager = conflicts.iter().map(|conflict| {
            let paths = conflict.paths.iter().take(MOST_CONFLICTS);
            let paths: String = paths.map(|path| format!("\n- {path}")).collect();
            format!("conflicts with {}:{paths}", conflict.manager)
        });
        let by_manager: Vec<String> = by_manager.collect();
        format!(
            "Apply failed with {} conflicts: {}",
            all.len(),
            by_manager.join("\n")
        )
    };
    Refusal::new(Reason::Conflict, told).with_details(json!({ "causes": causes }))
}

#[cfg(test)]
mod tests;
