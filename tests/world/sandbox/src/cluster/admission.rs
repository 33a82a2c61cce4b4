//! Admission: names, identity, defaults, validation and generation of an object.

use rand::seq::IndexedRandom;
use serde_json::{Value, json};

use super::{
    object::{child, finalizers, is_deleting, metadata, metadata_text, set_metadata},
    refusal::{Reason, Refusal},
    resource::{Resource, accept_definition, complete_definition, from_definition},
    store::{DEFINITIONS, Part, keeps_status},
};

mod defaults;
mod metadata;

const SUFFIX_ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Gives a new object its name and namespace.
pub(crate) fn name_new(
    resource: &Resource,
    namespace: &str,
    value: &mut Value,
) -> Result<(), Refusal> {
    check_kind(resource, value)?;
    let given = metadata_text(value, "namespace");
    if resource.is_namespaced() && !given.is_empty() && given != namespace {
        return Err(Refusal::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    if !metadata_text(value, "resourceVersion").is_empty() {
        let why = "resourceVersion should not be set on objects to be created";
        return Err(Refusal::new(Reason::Unknown, why));
    }
    if metadata_text(value, "name").is_empty() && !metadata_text(value, "generateName").is_empty() {
        let name = format!(
            "{}{}",
            metadata_text(value, "generateName"),
            random_suffix(5)
        );
        set_metadata(value, "name", name);
    }
    let fields = metadata(value);
    if resource.is_namespaced() {
        fields.insert("namespace".to_owned(), namespace.into());
    } else {
        fields.remove("namespace");
    }
    metadata::check_name(resource, metadata_text(value, "name"))
}

/// Completes a new object: identity, defaults, validation.
pub(crate) fn prepare_new(
    resource: &Resource,
    value: &mut Value,
    now: &str,
) -> Result<(), Refusal> {
    let fields = metadata(value);
    for server_made in [
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
        "generation",
        "managedFields",
    ] {
        fields.remove(server_made);
    }
    fields.insert("uid".to_owned(), new_uid().into());
    fields.insert("creationTimestamp".to_owned(), now.into());
    if resource.has_generation() {
        fields.insert("generation".to_owned(), 1.into());
    }
    if keeps_status(resource)
        && let Some(object) = value.as_object_mut()
    {
        object.remove("status");
    }
    complete(resource, value, now)
}

/// Undoes what an update of this part may not change.
pub(crate) fn keep_what_is_fixed(resource: &Resource, old: &Value, value: &mut Value, part: Part) {
    if part == Part::Status {
        let status = value.get("status").cloned();
        let sent = value["metadata"].get("managedFields").cloned();
        *value = old.clone();
        put_or_remove(value, "status", status);
        if let Some(sent) = sent {
            set_metadata(value, "managedFields", sent);
        }
        return;
    }
    if keeps_status(resource) {
        put_or_remove(value, "status", old.get("status").cloned());
    }
    let fixed = [
        "namespace",
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
        "resourceVersion",
        "generateName",
    ];
    for field in fixed {
        let held = old["metadata"].get(field).cloned();
        match held {
            Some(held) => metadata(value).insert(field.to_owned(), held),
            None => metadata(value).remove(field),
        };
    }
}

/// Completes a changed object: defaults, validation, generation.
pub(crate) fn prepare_changed(
    resource: &Resource,
    old: &Value,
    value: &mut Value,
    now: &str,
) -> Result<(), Refusal> {
    check_kind(resource, value)?;
    if is_deleting(old) {
        let held = finalizers(old);
        if let Some(added) = finalizers(value).iter().find(|name| !held.contains(*name)) {
            let why = format!(
                "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{{\"{added}\"}}"
            );
            return Err(invalid(resource, value, "metadata.finalizers", &why));
        }
    }
    defaults::keep_allocated(resource, old, value);
    complete(resource, value, now)?;
    if resource.has_generation() && is_desired_changed(resource, old, value) {
        let generation = old
            .pointer("/metadata/generation")
            .and_then(Value::as_u64)
            .unwrap_or(0);
        set_metadata(value, "generation", generation + 1);
    }
    Ok(())
}

/// A fresh object identity.
pub(crate) fn new_uid() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// `length` letters as Kubernetes appends them to generated names.
pub(crate) fn random_suffix(length: usize) -> String {
    let mut random = rand::rng();
    let pick = |_| {
        char::from(
            *SUFFIX_ALPHABET
                .choose(&mut random)
                .expect("the alphabet is not empty"),
        )
    };
    (0..length).map(pick).collect()
}

fn complete(resource: &Resource, value: &mut Value, now: &str) -> Result<(), Refusal> {
    metadata::tidy(value);
    metadata::check(value)?;
    defaults::fill(resource, value);
    defaults::check_types(resource, value)?;
    if &*resource.id == DEFINITIONS {
        complete_definition(value);
        from_definition(value)?;
        accept_definition(value, now);
    }
    let mut causes = Vec::new();
    defaults::check(resource, value, &mut causes);
    if causes.is_empty() {
        return Ok(());
    }
    let name = metadata_text(value, "name");
    Err(Refusal::invalid(
        &resource.group,
        &resource.kind,
        name,
        &causes,
    ))
}

fn check_kind(resource: &Resource, value: &Value) -> Result<(), Refusal> {
    if !value.is_object() {
        return Err(Refusal::bad_request("the body is not an object"));
    }
    if value["kind"] != resource.kind.as_str() {
        let why = format!(
            "{} in the body is not the kind {} of this path",
            value["kind"], resource.kind
        );
        return Err(Refusal::bad_request(why));
    }
    let api_version = value["apiVersion"].as_str().unwrap_or_default();
    let known = resource
        .versions
        .iter()
        .any(|version| resource.api_version(&version.name) == api_version);
    if known {
        return Ok(());
    }
    let expected = resource.api_version(&resource.preferred().name);
    Err(Refusal::bad_request(format!(
        "the API version in the data ({api_version}) does not match the expected API version ({expected})"
    )))
}

fn invalid(resource: &Resource, value: &Value, field: &str, why: &str) -> Refusal {
    let cause = (field.to_owned(), why.to_owned());
    let name = metadata_text(value, "name");
    Refusal::invalid(&resource.group, &resource.kind, name, &[cause])
}

fn is_desired_changed(resource: &Resource, old: &Value, new: &Value) -> bool {
    let ignored =
        |field: &str| field == "metadata" || (field == "status" && keeps_status(resource));
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
        return true;
    };
    let keys = old.keys().chain(new.keys());
    keys.filter(|key| !ignored(key))
        .any(|key| old.get(key) != new.get(key))
}

fn put_or_remove(value: &mut Value, field: &str, to: Option<Value>) {
    match (to, value.as_object_mut()) {
        (Some(to), Some(object)) => drop(object.insert(field.to_owned(), to)),
        (None, Some(object)) => drop(object.remove(field)),
        (_, None) => {}
    }
}

/// `value[field]`, made `default` when absent.
fn fallback(value: &mut Value, field: &str, default: impl Into<Value>) {
    if !value.is_object() {
        *value = json!({});
    }
    let parent = value.as_object_mut().expect("made an object just above");
    let slot = parent.entry(field).or_insert(Value::Null);
    if slot.is_null() {
        *slot = default.into();
    }
}

fn spec(value: &mut Value) -> &mut Value {
    child(value, "spec");
    &mut value["spec"]
}
