//! Checks of the parameters and the content type of a write.

use http::Method;
use serde_json::Value;

use super::{
    super::{
        patch::Kind,
        refusal::{Reason, Refusal},
    },
    Call,
};

/// # Errors
/// `Invalid` for an apply that does not say who applies, or a force that is for applying only.
pub(super) fn check_patch(call: &Call, kind: Kind) -> Result<(), Refusal> {
    let wrong = |field, why| Err(Refusal::invalid_option("PatchOptions", field, why));
    if kind == Kind::Apply && call.query.field_manager.is_empty() {
        return wrong(
            "fieldManager",
            "Required value: is required for apply patch",
        );
    }
    if kind != Kind::Apply && call.query.force {
        return wrong(
            "force",
            "Forbidden: may not be specified for non-apply patch",
        );
    }
    Ok(())
}

/// # Errors
/// `BadRequest` for a wish that does not say its kind, or says who owns what.
pub(super) fn check_applied(applied: Value) -> Result<Value, Refusal> {
    let text = |field: &str| applied[field].as_str().unwrap_or_default();
    if text("kind").is_empty() || text("apiVersion").is_empty() {
        let why = format!(
            "invalid object type: {}, Kind={}",
            text("apiVersion"),
            text("kind")
        );
        return Err(Refusal::bad_request(why));
    }
    if applied["metadata"]
        .get("managedFields")
        .is_some_and(|owners| !owners.is_null())
    {
        return Err(Refusal::bad_request("metadata.managedFields must be nil"));
    }
    Ok(applied)
}

/// # Errors
/// `UnsupportedMediaType` for a body in a form that is not read. What forms a patch has is the patch's own matter.
pub(super) fn check_content_type(call: &Call) -> Result<(), Refusal> {
    let kind = call
        .content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim();
    if call.method == Method::PATCH || matches!(kind, "" | "application/json" | "application/yaml")
    {
        return Ok(());
    }
    let why = "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml";
    Err(Refusal::new(Reason::UnsupportedMediaType, why))
}
