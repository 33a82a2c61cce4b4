//! Merge patches and JSON patches.

use json_patch::{AddOperation, PatchOperation};
use serde_json::{Value, json};

use super::refusal::{Reason, Refusal};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Json,
    Merge,
    Apply,
}

impl Kind {
    pub(crate) fn of(content_type: &str) -> Result<Self, Refusal> {
        match content_type.split(';').next().unwrap_or_default().trim() {
            "application/json-patch+json" => Ok(Self::Json),
            "application/merge-patch+json" => Ok(Self::Merge),
            "application/apply-patch+yaml" => Ok(Self::Apply),
            other => Err(unsupported(other)),
        }
    }
}

/// `object` with `change` made to it.
pub(crate) fn apply(kind: Kind, object: &Value, change: &Value) -> Result<Value, Refusal> {
    let mut object = object.clone();
    match kind {
        Kind::Json => json(&mut object, change)?,
        Kind::Merge if !change.is_object() => {
            return Err(Refusal::bad_request(
                "error decoding patch: it is not an object",
            ));
        }
        Kind::Merge => json_patch::merge(&mut object, change),
        Kind::Apply => return Err(unsupported("application/apply-patch+yaml")),
    }
    Ok(object)
}

fn json(object: &mut Value, change: &Value) -> Result<(), Refusal> {
    if !change.is_array() {
        return Err(Refusal::bad_request(
            "error decoding patch: it is not a list of operations",
        ));
    }
    let patch: json_patch::Patch =
        serde_json::from_value(change.clone()).map_err(|_| does_not_apply())?;
    for operation in patch.0 {
        let operation = lenient(object, operation);
        json_patch::patch(object, &[operation]).map_err(|_| does_not_apply())?;
    }
    Ok(())
}

/// Kubernetes replaces a field that is not there by adding it.
fn lenient(object: &Value, operation: PatchOperation) -> PatchOperation {
    let PatchOperation::Replace(replaced) = operation else {
        return operation;
    };
    let parent = replaced.path.as_str().rsplit_once('/');
    let parent = parent.and_then(|(parent, _)| object.pointer(parent));
    if !parent.is_some_and(Value::is_object) {
        return PatchOperation::Replace(replaced);
    }
    PatchOperation::Add(AddOperation {
        path: replaced.path,
        value: replaced.value,
    })
}

/// Kubernetes does not say why either.
fn does_not_apply() -> Refusal {
    let why = "the server rejected our request due to an error in our request";
    Refusal::new(Reason::Invalid, why).with_details(json!({}))
}

fn unsupported(content_type: &str) -> Refusal {
    let why = format!(
        "the body of the request was in an unknown format: {content_type}; accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
    );
    Refusal::new(Reason::UnsupportedMediaType, why)
}
