//! Verbs that change the template of pods: another image, or that of an earlier revision.

use serde_json::{Map, Value, json};

use super::{RolloutRefusal, RolloutState};
use crate::merge::difference;

/// What Argo Rollouts writes on the templates of what it makes.
const HASH: &str = "rollouts-pod-template-hash";
const REVISION: &str = "rollout.argoproj.io/revision";
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// The patch that gives containers another image.
pub(super) fn set_image(
    rollout: &Value,
    container: &str,
    image: &str,
) -> Result<Value, RolloutRefusal> {
    own_template(rollout)?;
    let (mut lists, mut names, mut found) = (Map::new(), Vec::new(), false);
    for list in CONTAINERS {
        let there = rollout.pointer(&format!("/spec/template/spec/{list}"));
        let Some(mut there) = there.and_then(Value::as_array).cloned() else {
            continue;
        };
        for one in there.iter_mut().filter_map(Value::as_object_mut) {
            let name = one.get("name").and_then(Value::as_str).unwrap_or_default();
            names.push(name.to_owned());
            if container == "*" || container == name {
                found = true;
                one.insert("image".to_owned(), json!(image));
            }
        }
        lists.insert(list.to_owned(), Value::Array(there));
    }
    if !found {
        let names = names.join(", ");
        return Err(RolloutRefusal::NoContainer(container.to_owned(), names));
    }
    Ok(json!({"spec": {"template": {"spec": lists}}}))
}

/// The patch that takes the template of an earlier revision; one that changes nothing where it is so already.
pub(super) fn undo(seen: RolloutState<'_>, revision: Option<u64>) -> Result<Value, RolloutRefusal> {
    own_template(seen.rollout)?;
    let uid = seen.rollout.pointer("/metadata/uid");
    let mut made: Vec<(u64, &Value)> = seen
        .replica_sets
        .iter()
        .filter(|set| uid.is_some() && controller(set) == uid)
        .map(|set| (number(set), set))
        .collect();
    made.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    let wanted = match revision {
        Some(wanted) => made.iter().find(|(number, _)| *number == wanted),
        None => made.get(1),
    };
    let (_, set) = wanted.ok_or_else(|| {
        revision.map_or(RolloutRefusal::NothingBefore, RolloutRefusal::NoRevision)
    })?;
    let nothing = Value::Null;
    let now = seen.rollout.pointer("/spec/template").unwrap_or(&nothing);
    let then = without_hash(set.pointer("/spec/template").unwrap_or(&nothing));
    // What the API server filled in for the ReplicaSet is no difference.
    let patch = if is_part_of(&without_hash(now), &then) {
        json!({})
    } else {
        difference(now, &then)
    };
    Ok(json!({"spec": {"template": patch}}))
}

fn own_template(rollout: &Value) -> Result<(), RolloutRefusal> {
    let text = |name: &str| {
        let text = rollout.pointer(&format!("/spec/workloadRef/{name}"));
        text.and_then(Value::as_str).map(str::to_owned)
    };
    match (text("kind"), text("name")) {
        (None, None) => Ok(()),
        (kind, name) => Err(RolloutRefusal::Referenced {
            kind: kind.unwrap_or_default(),
            name: name.unwrap_or_default(),
        }),
    }
}

fn controller(set: &Value) -> Option<&Value> {
    let owners = set.pointer("/metadata/ownerReferences")?.as_array()?;
    let controls = |owner: &&Value| owner.get("controller") == Some(&json!(true));
    owners.iter().find(controls)?.get("uid")
}

fn number(set: &Value) -> u64 {
    let annotations = set.pointer("/metadata/annotations");
    let text = annotations.and_then(|it| it.get(REVISION)?.as_str());
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Without what Argo Rollouts adds, and without nulls, which mean the same as nothing.
fn without_hash(template: &Value) -> Value {
    let mut template = bare(template);
    if let Some(labels) = template.pointer_mut("/metadata/labels") {
        labels.as_object_mut().map(|labels| labels.remove(HASH));
    }
    template
}

fn bare(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            let fields = fields.map(|(name, value)| (name.clone(), bare(value)));
            Value::Object(fields.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(bare).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// True if all that one value says the other says, too.
fn is_part_of(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => one.iter().all(|(name, value)| {
            let there = other.get(name);
            there.map_or(is_empty(value), |there| is_part_of(value, there))
        }),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_part_of(one, other))
        }
        (one, other) => one == other,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
