//! Names, labels, finalizers and owners: what metadata must look like. Pure.

use serde_json::Value;

use super::super::{refusal::Refusal, resource::Resource};

const LONGEST_NAME: usize = 253;
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
/// Drops maps and lists that say nothing.
pub(super) fn tidy(value: &mut Value) {
    let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) else {
        return;
    };
    for field in ["labels", "annotations", "finalizers", "ownerReferences"] {
        let is_empty = metadata.get(field).is_some_and(|found| {
            found.is_null()
                || found.as_object().is_some_and(serde_json::Map::is_empty)
                || found.as_array().is_some_and(Vec::is_empty)
        });
        if is_empty {
            metadata.remove(field);
        }
    }
}

pub(super) fn check_name(resource: &Resource, name: &str) -> Result<(), Refusal> {
    let wrong = |why: &str| {
        let cause = ("metadata.name".to_owned(), why.to_owned());
        Err(Refusal::invalid(
            &resource.group,
            &resource.kind,
            name,
            &[cause],
        ))
    };
    if name.is_empty() {
        return wrong("Required value: name or generateName is required");
    }
    let is_rbac = resource.group == "rbac.authorization.k8s.io";
    let fits = |character: char| {
        character.is_ascii_lowercase() || character.is_ascii_digit() || "-.".contains(character)
    };
    let edge = |character: Option<char>| {
        character.is_some_and(|character| character.is_ascii_alphanumeric())
    };
    let good = is_rbac && !name.contains(['/', '%']) && name != "." && name != ".."
        || name.chars().all(fits) && edge(name.chars().next()) && edge(name.chars().last());
    if good && name.len() <= LONGEST_NAME {
        return Ok(());
    }
    wrong(&format!("Invalid value: {name:?}: {SUBDOMAIN}"))
}

/// `metadata` must have the shape that indexes rely on.
pub(super) fn check(value: &Value) -> Result<(), Refusal> {
    for field in ["labels", "annotations"] {
        let found = &value["metadata"][field];
        let texts = found
            .as_object()
            .is_some_and(|map| map.values().all(Value::is_string));
        if !found.is_null() && !texts {
            return Err(Refusal::bad_request(format!(
                "metadata.{field} must be a map of strings"
            )));
        }
    }
    Ok(())
}
