//! What a write must say and may not say, beside the object itself.

use http::{HeaderValue, Method, header};
use serde_json::Value;

use super::{
    super::{
        admission,
        object::metadata_text,
        patch::Kind,
        refusal::{Reason, Refusal},
        resource::{Origin, Resource},
    },
    Answer, Call,
};

/// `kind` names the options in the refusal.
///
/// # Errors
/// `Invalid` for a dry run that is not of everything.
pub(super) fn check(call: &Call, kind: &str) -> Result<(), Refusal> {
    match call.query.dry_run.as_deref() {
        None | Some("All") => Ok(()),
        Some(other) => {
            let why = format!("Unsupported value: [{other:?}]: supported values: \"All\"");
            Err(Refusal::invalid_option(kind, "dryRun", &why))
        }
    }
}

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
/// `BadRequest` without a name; `Invalid` for a custom object that does not say what it replaces.
pub(super) fn check_replacement(
    resource: &Resource,
    call: &Call,
    value: &Value,
) -> Result<(), Refusal> {
    let name = &call.path.name;
    if metadata_text(value, "name").is_empty() {
        let why = format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        );
        return Err(Refusal::bad_request(why));
    }
    let is_blind = metadata_text(value, "resourceVersion").is_empty();
    if is_blind && resource.origin == Origin::Custom && call.path.subresource.is_empty() {
        let why = "Invalid value: 0: must be specified for an update".to_owned();
        let cause = ("metadata.resourceVersion".to_owned(), why);
        return Err(Refusal::invalid(
            &resource.group,
            &resource.plural,
            name,
            &[cause],
        ));
    }
    Ok(())
}

/// # Errors
/// `Invalid` for a patch that makes another object of this one.
pub(super) fn check_uid(resource: &Resource, old: &Value, new: &Value) -> Result<(), Refusal> {
    let uid = metadata_text(new, "uid");
    if uid.is_empty() || uid == metadata_text(old, "uid") {
        return Ok(());
    }
    let cause = (
        "metadata.uid".to_owned(),
        format!("Invalid value: {uid:?}: field is immutable"),
    );
    let name = metadata_text(old, "name");
    Err(Refusal::invalid(
        &resource.group,
        &resource.kind,
        name,
        &[cause],
    ))
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
    let why = "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf";
    Err(Refusal::new(Reason::UnsupportedMediaType, why))
}

/// The fields that the schema does not know, each to be warned of.
///
/// # Errors
/// `BadRequest` where the writer wants none.
pub(super) fn unknown_fields(
    resource: &Resource,
    call: &Call,
    value: &Value,
) -> Result<Vec<String>, Refusal> {
    let unknown = admission::unknown_fields(resource, &call.path.version, value);
    let is_strict = call.query.field_validation == "Strict";
    match unknown.as_slice() {
        _ if call.query.field_validation == "Ignore" => Ok(Vec::new()),
        [first, ..] if is_strict => {
            let (kind, version) = (&resource.kind, &call.path.version);
            Err(Refusal::bad_request(format!(
                "{kind} in version {version:?} cannot be handled as a {kind}: strict decoding error: unknown field {first:?}"
            )))
        }
        _ => Ok(unknown),
    }
}

/// The answer with a warning of each of these fields.
pub(super) fn warned(mut answer: Answer, unknown: &[String]) -> Answer {
    for field in unknown {
        let text = format!("299 - \"unknown field \\\"{field}\\\"\"");
        if let Ok(text) = HeaderValue::from_str(&text) {
            answer.headers_mut().append(header::WARNING, text);
        }
    }
    answer
}
