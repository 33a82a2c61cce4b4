//! Helpers of all controllers: read owned objects, write as a user would.

use std::{collections::HashMap, sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::{
    super::{
        object::{ObjectKey, is_deleting, metadata_text},
        refusal::Refusal,
        resource::Resource,
        store::{Context, DeleteRequest, Part, Propagation, Store},
    },
    Life,
};

/// Reconciles one object; returns when to do so again if nothing changes before.
pub(super) type Reconcile = fn(&mut Controller<'_>, &Value) -> Result<Option<Duration>, Refusal>;

const HASH_ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
/// Upper bound of simulated pods for one owner.
const MOST_REPLICAS: u64 = 500;

/// Access to the store for the time of one look.
pub(super) struct Controller<'a> {
    pub(super) store: &'a mut Store,
    pub(super) context: Context<'a>,
    pub(super) life: Life,
    pub(super) born: &'a mut HashMap<String, Instant>,
}

impl Controller<'_> {
    /// The objects of this kind that `owner` owns and that are not being deleted.
    pub(super) fn owned(&self, owner: &Value, id: &str) -> Vec<Value> {
        let all = self
            .store
            .dependents_of(metadata_text(owner, "uid"))
            .into_iter();
        let of_kind = all.filter(|reference| &*reference.resource == id);
        let objects =
            of_kind.filter_map(|reference| Some(self.store.get(id, &reference.key)?.value()));
        objects.filter(|object| !is_deleting(object)).collect()
    }

    /// Time since this object was first seen.
    pub(super) fn age(&mut self, object: &Value) -> Duration {
        let uid = metadata_text(object, "uid").to_owned();
        self.born.entry(uid).or_insert_with(Instant::now).elapsed()
    }

    pub(super) fn create(
        &mut self,
        id: &str,
        namespace: &str,
        object: Value,
    ) -> Result<Value, Refusal> {
        let resource = self.resource(id)?;
        let stored = self
            .store
            .create(&resource, namespace, object, &self.context)?;
        Ok(stored.value())
    }

    pub(super) fn write(&mut self, id: &str, object: &Value) -> Result<Value, Refusal> {
        self.update(id, object.clone(), Part::Main)
    }

    /// Writes `status` if it differs.
    pub(super) fn write_status(
        &mut self,
        id: &str,
        object: &Value,
        status: Value,
    ) -> Result<Value, Refusal> {
        if object["status"] == status {
            return Ok(object.clone());
        }
        let mut object = object.clone();
        object["status"] = status;
        self.update(id, object, Part::Status)
    }

    pub(super) fn delete(&mut self, id: &str, object: &Value) -> Result<(), Refusal> {
        let resource = self.resource(id)?;
        let removal = DeleteRequest {
            propagation: Propagation::Background,
            uid: String::new(),
            revision: String::new(),
        };
        self.store
            .delete(&resource, &key_of(object), &removal, &self.context)
            .map(drop)
    }

    fn update(&mut self, id: &str, object: Value, part: Part) -> Result<Value, Refusal> {
        let resource = self.resource(id)?;
        let stored = self
            .store
            .update(&resource, &key_of(&object), object, part, &self.context)?;
        Ok(stored.value())
    }

    fn resource(&self, id: &str) -> Result<Arc<Resource>, Refusal> {
        let collection = self
            .store
            .collection(id)
            .ok_or_else(Refusal::unknown_path)?;
        Ok(Arc::clone(&collection.resource))
    }

    /// A condition of `object` with this state; its transition time moves only when the state does.
    pub(super) fn condition(&self, object: &Value, wanted: &Condition<'_>) -> Value {
        let state = if wanted.holds { "True" } else { "False" };
        let held = condition_of(object, wanted.kind);
        let keeps = |field: &str, same: bool| {
            let before = held.and_then(|held| held[field].as_str()).filter(|_| same);
            before.unwrap_or(self.context.now).to_owned()
        };
        let same_state = held.is_some_and(|held| held["status"] == state);
        let same_all = same_state && held.is_some_and(|held| held["reason"] == wanted.reason);
        json!({
            "type": wanted.kind, "status": state, "reason": wanted.reason, "message": wanted.message,
            "lastTransitionTime": keeps("lastTransitionTime", same_state),
            "lastUpdateTime": keeps("lastUpdateTime", same_all && wanted.is_still),
        })
    }
}

/// A condition to report.
pub(super) struct Condition<'a> {
    pub(super) kind: &'a str,
    pub(super) holds: bool,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
    /// nothing moved since the last report, so its update time stays
    pub(super) is_still: bool,
}

pub(super) fn condition_of<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    let conditions = object
        .pointer("/status/conditions")
        .and_then(Value::as_array);
    conditions
        .into_iter()
        .flatten()
        .find(|condition| condition["type"] == kind)
}

pub(super) fn key_of(object: &Value) -> ObjectKey {
    ObjectKey::new(
        metadata_text(object, "namespace"),
        metadata_text(object, "name"),
    )
}

/// The owner reference of a controller.
pub(super) fn owner_reference(owner: &Value) -> Value {
    json!([{
        "apiVersion": owner["apiVersion"], "kind": owner["kind"],
        "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
        "controller": true, "blockOwnerDeletion": true,
    }])
}

/// A short text that differs when the template does. Empty parts say nothing, so they count as absent.
pub(super) fn template_hash(template: &Value) -> String {
    let digest = Sha256::digest(without_empty(template).to_string().as_bytes());
    let letter = |byte: &u8| char::from(HASH_ALPHABET[usize::from(*byte) % HASH_ALPHABET.len()]);
    digest.iter().take(10).map(letter).collect()
}

fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields
                .iter()
                .map(|(field, inner)| (field.clone(), without_empty(inner)));
            let kept: Map<String, Value> = kept.filter(|(_, inner)| !inner.is_null()).collect();
            if kept.is_empty() {
                Value::Null
            } else {
                Value::Object(kept)
            }
        }
        Value::Array(items) if items.is_empty() => Value::Null,
        Value::Array(items) => items.iter().map(without_empty).collect(),
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            plain.clone()
        }
    }
}

/// A pod made from the owner's template, with labels added.
pub(super) fn pod_from(owner: &Value, added_labels: &[(&str, &str)]) -> Value {
    let template = &owner["spec"]["template"];
    let mut metadata = json!({
        "labels": template["metadata"]["labels"],
        "ownerReferences": owner_reference(owner),
    });
    if !template["metadata"]["annotations"].is_null() {
        metadata["annotations"] = template["metadata"]["annotations"].clone();
    }
    for (key, value) in added_labels {
        metadata["labels"][*key] = (*value).into();
    }
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"] })
}

pub(super) fn is_ready(pod: &Value) -> bool {
    condition_of(pod, "Ready").is_some_and(|condition| condition["status"] == "True")
}

pub(super) fn label<'a>(object: &'a Value, key: &str) -> &'a str {
    object["metadata"]["labels"]
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// `spec.<field>` as a count, within what a sandbox simulates.
pub(super) fn desired(object: &Value, field: &str) -> u64 {
    object["spec"][field]
        .as_u64()
        .unwrap_or(1)
        .min(MOST_REPLICAS)
}

/// `object`'s fields that are not zero.
pub(super) fn without_zeros(mut status: Value) -> Value {
    if let Some(fields) = status.as_object_mut() {
        fields.retain(|_, value| *value != 0);
    }
    status
}

/// The time since an RFC 3339 time.
pub(super) fn elapsed(time: &str) -> Duration {
    let then = time
        .parse::<Timestamp>()
        .unwrap_or_else(|_| Timestamp::now());
    Duration::try_from(Timestamp::now().duration_since(then)).unwrap_or_default()
}
