//! One stored object: its JSON, and the fields that indexes and selectors need.

use bytes::Bytes;
use serde_json::{Map, Value};

/// Namespace and name of an object. The namespace is empty for cluster-wide kinds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectKey {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl ObjectKey {
    pub(crate) fn new(namespace: &str, name: &str) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }
}

/// An object of one revision. Immutable: a change makes another one.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) key: ObjectKey,
    pub(crate) uid: String,
    pub(crate) revision: u64,
    pub(crate) labels: Vec<(String, String)>,
    /// uids of `metadata.ownerReferences`
    pub(crate) owners: Vec<String>,
    pub(crate) json: Bytes,
}

impl Stored {
    pub(crate) fn new(value: &Value) -> Self {
        let text = |field: &str| metadata_text(value, field).to_owned();
        Self {
            key: ObjectKey {
                namespace: text("namespace"),
                name: text("name"),
            },
            uid: text("uid"),
            revision: text("resourceVersion").parse().unwrap_or(0),
            labels: labels(value),
            owners: owner_uids(value),
            json: Bytes::from(serde_json::to_vec(value).expect("a JSON value always serialises")),
        }
    }

    pub(crate) fn value(&self) -> Value {
        serde_json::from_slice(&self.json).expect("stored bytes were made from a JSON value")
    }
}

/// `metadata.<field>` as text, empty when absent or of another type.
pub(crate) fn metadata_text<'a>(value: &'a Value, field: &str) -> &'a str {
    value
        .get("metadata")
        .and_then(|metadata| metadata.get(field))
        .and_then(Value::as_str)
        .unwrap_or("")
}

/// `metadata` as a map to write to; made when absent.
pub(crate) fn metadata(value: &mut Value) -> &mut Map<String, Value> {
    child(value, "metadata")
}

/// `value[field]` as a map to write to; replaced when it is absent or something else.
pub(crate) fn child<'a>(value: &'a mut Value, field: &str) -> &'a mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    let slot = &mut value[field];
    if !slot.is_object() {
        *slot = Value::Object(Map::new());
    }
    slot.as_object_mut().expect("made an object just above")
}

pub(crate) fn set_metadata(value: &mut Value, field: &str, to: impl Into<Value>) {
    metadata(value).insert(field.to_owned(), to.into());
}

pub(crate) fn finalizers(value: &Value) -> Vec<&str> {
    strings(value.pointer("/metadata/finalizers"))
}

pub(crate) fn is_deleting(value: &Value) -> bool {
    !metadata_text(value, "deletionTimestamp").is_empty()
}

fn strings(value: Option<&Value>) -> Vec<&str> {
    value
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn labels(value: &Value) -> Vec<(String, String)> {
    let Some(labels) = value.pointer("/metadata/labels").and_then(Value::as_object) else {
        return Vec::new();
    };
    labels
        .iter()
        .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
        .collect()
}

fn owner_uids(value: &Value) -> Vec<String> {
    let owners = value
        .pointer("/metadata/ownerReferences")
        .and_then(Value::as_array);
    owners
        .into_iter()
        .flatten()
        .filter_map(|owner| Some(owner.get("uid")?.as_str()?.to_owned()))
        .collect()
}
