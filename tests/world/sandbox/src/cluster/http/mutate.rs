//! Create, update, patch and delete.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};

use super::{
    super::{
        apply::{ApplyRequest, Force},
        object::{ObjectKey, Stored, metadata_text},
        patch,
        refusal::Refusal,
        resource::{Origin, Resource, Status},
        store::{Context, DeleteRequest, Outcome, Part, Propagation},
    },
    Answer, Api, Call, json as answer_json, options,
    read::{key, no_endpoint, show},
};

impl Api {
    pub(super) fn create(&self, resource: &Arc<Resource>, call: &Call) -> Result<Answer, Refusal> {
        if resource.is_namespaced() && call.path.namespace.is_empty() {
            return Err(Refusal::not_allowed());
        }
        let value = complete_kind(resource, call, read_body(call)?)?;
        let now = now();
        let stored =
            self.store()
                .create(resource, &call.path.namespace, value, &context(call, &now))?;
        Ok(show(StatusCode::CREATED, resource, call, &stored))
    }

    pub(super) fn update(&self, resource: &Arc<Resource>, call: &Call) -> Result<Answer, Refusal> {
        let part = part(resource, call)?;
        let value = complete_kind(resource, call, read_body(call)?)?;
        let now = now();
        let stored =
            self.store()
                .update(resource, &key(call), value, part, &context(call, &now))?;
        Ok(show(StatusCode::OK, resource, call, &stored))
    }

    pub(super) fn patch(&self, resource: &Arc<Resource>, call: &Call) -> Result<Answer, Refusal> {
        let kind = patch::Kind::of(&call.content_type)?;
        options::check_patch(call, kind)?;
        let change = read_body(call)?;
        let part = part(resource, call)?;
        let now = now();
        let mut store = self.store();
        if kind == patch::Kind::Apply {
            let applied = options::check_applied(change)?;
            let force = if call.query.force {
                Force::TakeOver
            } else {
                Force::Refuse
            };
            let request = ApplyRequest {
                resource,
                applied: &applied,
                part,
                force,
            };
            let status = match store.get(&resource.id, &key(call)) {
                Some(_) => StatusCode::OK,
                None => StatusCode::CREATED,
            };
            let stored = store.apply(&key(call), resource, &request, &context(call, &now))?;
            drop(store);
            return Ok(show(status, resource, call, &stored));
        }
        let stored = store.change(resource, &key(call), part, &context(call, &now), |old| {
            patch::apply(kind, old, &change)
        })?;
        drop(store);
        Ok(show(StatusCode::OK, resource, call, &stored))
    }

    pub(super) fn delete(&self, resource: &Arc<Resource>, call: &Call) -> Result<Answer, Refusal> {
        if !call.path.subresource.is_empty() {
            return Err(Refusal::not_allowed());
        }
        let removal = removal(call)?;
        let now = now();
        let outcome = self
            .store()
            .delete(resource, &key(call), &removal, &context(call, &now))?;
        Ok(match outcome {
            Outcome::Marked(stored) => show(StatusCode::OK, resource, call, &stored),
            Outcome::Gone(stored) => answer_json(StatusCode::OK, &success(resource, &stored)),
        })
    }
}

/// The time of this request, as metadata carries it.
pub(crate) fn now() -> String {
    jiff::Timestamp::now()
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}

fn context<'a>(call: &'a Call, now: &'a str) -> Context<'a> {
    Context {
        now,
        manager: &call.manager,
    }
}

fn part(resource: &Resource, call: &Call) -> Result<Part, Refusal> {
    match call.path.subresource.as_str() {
        "" => Ok(Part::Main),
        "status"
            if resource
                .version(&call.path.version)
                .is_some_and(|found| found.status == Status::Separate) =>
        {
            Ok(Part::Status)
        }
        _ => Err(no_endpoint(resource, call)),
    }
}

/// Kind and version may be left out of the body of a built-in kind, the path says them.
fn complete_kind(resource: &Resource, call: &Call, mut value: Value) -> Result<Value, Refusal> {
    if resource.origin == Origin::Custom && value["kind"].is_null() {
        let kind = &resource.kind;
        let why = format!(
            "the object provided is unrecognized (must be of type {kind}): Object 'Kind' is missing"
        );
        return Err(Refusal::bad_request(why));
    }
    if let Some(object) = value.as_object_mut() {
        let api_version = resource.api_version(&call.path.version);
        object
            .entry("apiVersion")
            .or_insert_with(|| api_version.into());
        object
            .entry("kind")
            .or_insert_with(|| resource.kind.as_str().into());
    }
    Ok(value)
}

/// The body as a value, whatever it was written in.
pub(crate) fn read_body(call: &Call) -> Result<Value, Refusal> {
    options::check_content_type(call)?;
    let parsed = serde_json::from_slice(&call.body);
    if !call.content_type.contains("yaml") {
        return parsed
            .map_err(|error| Refusal::bad_request(format!("the body is not JSON: {error}")));
    }
    if let Ok(value) = parsed {
        return Ok(value);
    }
    let text = std::str::from_utf8(&call.body)
        .map_err(|_| Refusal::bad_request("the body is not UTF-8"))?;
    serde_saphyr::from_str(text)
        .map_err(|error| Refusal::bad_request(format!("the body is not YAML: {error}")))
}

fn removal(call: &Call) -> Result<DeleteRequest, Refusal> {
    let options = if call.body.is_empty() {
        Value::Null
    } else {
        read_body(call)?
    };
    let text = |path: &str| {
        options
            .pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let asked = text("/propagationPolicy");
    let asked = if asked.is_empty() {
        call.query.propagation.as_str()
    } else {
        asked.as_str()
    };
    let propagation = match asked {
        "Foreground" => Propagation::Foreground,
        "Orphan" => Propagation::Orphan,
        "" | "Background" => Propagation::Background,
        other => {
            let why = format!(
                "Unsupported value: {other:?}: supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""
            );
            return Err(Refusal::invalid_option(
                "DeleteOptions",
                "propagationPolicy",
                &why,
            ));
        }
    };
    Ok(DeleteRequest {
        propagation,
        uid: text("/preconditions/uid"),
        revision: text("/preconditions/resourceVersion"),
    })
}

fn success(resource: &Resource, gone: &Stored) -> Value {
    let ObjectKey { name, .. } = &gone.key;
    let mut details = json!({ "name": name, "kind": resource.plural, "uid": metadata_text(&gone.value(), "uid") });
    if !resource.group.is_empty() {
        details["group"] = resource.group.as_str().into();
    }
    json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details })
}
