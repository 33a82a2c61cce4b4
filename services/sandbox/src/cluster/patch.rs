//! Patches: merge, JSON and strategic. Pure.

use serde_json::Value;

use super::{
    refusal::{Reason, Refusal},
    resource::{Origin, Resource},
    shape::Shape,
};

mod strategic;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Json,
    Merge,
    Strategic,
    Apply,
}

impl Kind {
    pub(crate) fn of(content_type: &str) -> Result<Self, Refusal> {
        match content_type.split(';').next().unwrap_or_default().trim() {
            "application/json-patch+json" => Ok(Self::Json),
            "application/merge-patch+json" => Ok(Self::Merge),
            "application/strategic-merge-patch+json" => Ok(Self::Strategic),
            "application/apply-patch+yaml" => Ok(Self::Apply),
            other => Err(unsupported(other)),
        }
    }
}

/// `object` with `change` made to it.
pub(crate) fn apply(
    kind: Kind,
    resource: &Resource,
    object: &Value,
    change: &Value,
) -> Result<Value, Refusal> {
    let mut object = object.clone();
    match kind {
        Kind::Json => json(&mut object, change)?,
        Kind::Merge => json_patch::merge(&mut object, change),
        Kind::Strategic if resource.origin == Origin::Custom => {
            return Err(unsupported("application/strategic-merge-patch+json"));
        }
        Kind::Strategic => strategic::merge(
            &mut object,
            change,
            Shape::root(resource, &resource.preferred().name),
        )?,
        Kind::Apply => return Err(unsupported("application/apply-patch+yaml")),
    }
    Ok(object)
}

fn json(object: &mut Value, change: &Value) -> Result<(), Refusal> {
    let patch: json_patch::Patch = serde_json::from_value(change.clone())
        .map_err(|error| Refusal::bad_request(format!("the body is not a JSON patch: {error}")))?;
    json_patch::patch(object, &patch).map_err(|error| {
        Refusal::new(
            Reason::Invalid,
            format!("the JSON patch does not apply: {error}"),
        )
    })
}

fn unsupported(content_type: &str) -> Refusal {
    Refusal::new(
        Reason::UnsupportedMediaType,
        format!("the body of the request was in an unknown format: {content_type}"),
    )
}
