//! Create, update, patch and delete.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};

use super::{
    super::{
        apply::{ApplyRequest, Force},
        object::{ObjectKey, Stored, metadata_text},
        patch, protobuf,
        refusal::{Reason, Refusal},
        resource::{Origin, Resource, Status},
        store::{Context, DeleteRequest, DryRun, ListQuery, Outcome, Part, Propagation},
    },
    Answer, Api, Call, bytes, json as answer_json, options,
    read::{key, no_endpoint, show, write_list},
};

impl Api {
    pub(super) fn create(&self, resource: &Arc<Resource>, call: &Call) -> Result<Answer, Refusal> {
        if resource.is_namespaced() && call.path.namespace.is_empty() {
            return Err(Refusal::not_allowed());
        }
        options::check(call, "CreateOptions")?;
        let value = complete_kind(resource, call, read_body(call)?)?;
        let unknown = options::unknown_fields(resource, call, &value)?;
        let now = now();
        let stored =
            self.store()
                .create(resource, &call.path.namespace, value, &context(call, &now))?;
        let answer = show(StatusCode::CREATED, resource, call, &stored);
        Ok(options::warned(answer, &unknown))
    }

    pub(super) fn update(&self, resource: &Arc<Resource>, call: &Call) -> Result<Answer, Refusal> {
        if call.path.subresource == "scale" {
            return self.write_scale(resource, call, |_| read_body(call));
        }
        let part = part(resource, call)?;
        options::check(call, "UpdateOptions")?;
        let value = complete_kind(resource, call, read_body(call)?)?;
        let unknown = options::unknown_fields(resource, call, &value)?;
        let now = now();
        let mut store = self.store();
        if store.get(&resource.id, &key(call)).is_some() {
            options::check_replacement(resource, call, &value)?;
        }
        let stored = store.update(resource, &key(call), value, part, &context(call, &now))?;
        drop(store);
        Ok(options::warned(
            show(StatusCode::OK, resource, call, &stored),
            &unknown,
        ))
    }

    pub(super) fn patch(&self, resource: &Arc<Resource>, call: &Call) -> Result<Answer, Refusal> {
        let kind = patch::Kind::of(&call.content_type)?;
        options::check(call, "PatchOptions")?;
        options::check_patch(call, kind)?;
        let change = read_body(call)?;
        if call.path.subresource == "scale" {
            return self.write_scale(resource, call, |scale| {
                patch::apply(kind, resource, scale, &change)
            });
        }
        let part = part(resource, call)?;
        let now = now();
        let mut store = self.store();
        if kind == patch::Kind::Apply {
            let applied = options::check_applied(change)?;
            let unknown = options::unknown_fields(resource, call, &applied)?;
            let force = if call.query.force {
                Force::TakeOver
            } else {
                Force::Refuse
            };
            let wish = ApplyRequest {
                resource,
                applied: &applied,
                part,
                force,
            };
            let status = match store.get(&resource.id, &key(call)) {
                Some(_) => StatusCode::OK,
                None => StatusCode::CREATED,
            };
            let stored = store.apply(&key(call), resource, &wish, &context(call, &now))?;
            drop(store);
            return Ok(options::warned(
                show(status, resource, call, &stored),
                &unknown,
            ));
        }
        let stored = store.change(resource, &key(call), part, &context(call, &now), |old| {
            let patched = patch::apply(kind, resource, old, &change)?;
            options::check_uid(resource, old, &patched)?;
            Ok(patched)
        })?;
        drop(store);
        Ok(show(StatusCode::OK, resource, call, &stored))
    }

    pub(super) fn delete(&self, resource: &Arc<Resource>, call: &Call) -> Result<Answer, Refusal> {
        if !call.path.subresource.is_empty() {
            return Err(Refusal::not_allowed());
        }
        options::check(call, "DeleteOptions")?;
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

    pub(super) fn delete_all(
        &self,
        resource: &Arc<Resource>,
        call: &Call,
    ) -> Result<Answer, Refusal> {
        let removal = removal(call)?;
        let now = now();
        let mut store = self.store();
        let query = ListQuery {
            namespace: &call.path.namespace,
            selector: &call.query.selector,
            limit: 0,
            after: None,
            at: None,
        };
        let page = store.list(&resource.id, &query)?;
        for stored in &page.objects {
            match store.delete(resource, &stored.key, &removal, &context(call, &now)) {
                Ok(_) => {}
                Err(refusal) if refusal.reason == Reason::NotFound => {}
                Err(refusal) => return Err(refusal),
            }
        }
        drop(store);
        Ok(bytes(StatusCode::OK, write_list(resource, call, &page)))
    }

    pub(super) fn get_scale(&self, resource: &Resource, call: &Call) -> Result<Answer, Refusal> {
        let object = self.store().require(resource, &key(call))?.value();
        Ok(answer_json(
            StatusCode::OK,
            &scale_of(resource, call, &object)?,
        ))
    }

    fn write_scale(
        &self,
        resource: &Arc<Resource>,
        call: &Call,
        change: impl FnOnce(&Value) -> Result<Value, Refusal>,
    ) -> Result<Answer, Refusal> {
        let now = now();
        let mut store = self.store();
        let mut object = store.require(resource, &key(call))?.value();
        let scale = change(&scale_of(resource, call, &object)?)?;
        let desired = scale["spec"]["replicas"].as_u64().unwrap_or(0);
        let path = resource
            .version(&call.path.version)
            .and_then(|version| version.scale.as_ref());
        let path = path.ok_or_else(Refusal::unknown_path)?;
        let mut at = &mut object;
        for field in path.desired.split('.') {
            at = &mut at[field];
        }
        *at = desired.into();
        let stored = store.update(
            resource,
            &key(call),
            object,
            Part::Main,
            &context(call, &now),
        )?;
        drop(store);
        Ok(answer_json(
            StatusCode::OK,
            &scale_of(resource, call, &stored.value())?,
        ))
    }
}

fn scale_of(resource: &Resource, call: &Call, object: &Value) -> Result<Value, Refusal> {
    let version = resource
        .version(&call.path.version)
        .ok_or_else(Refusal::unknown_path)?;
    let scale = version.scale.as_ref().ok_or_else(Refusal::unknown_path)?;
    let find = |path: &str| path.split('.').try_fold(object, |at, field| at.get(field));
    let selector = match &scale.selector {
        Some(path) => find(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        None => selector_text(object),
    };
    let metadata = &object["metadata"];
    let count = |path: &str| find(path).and_then(Value::as_u64).unwrap_or(0);
    let mut status = json!({ "replicas": count(&scale.observed) });
    if !selector.is_empty() {
        status["selector"] = selector.into();
    }
    Ok(json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {
            "name": metadata["name"], "namespace": metadata["namespace"], "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"], "creationTimestamp": metadata["creationTimestamp"],
        },
        "spec": { "replicas": count(&scale.desired) },
        "status": status,
    }))
}

fn selector_text(object: &Value) -> String {
    let labels = object
        .pointer("/spec/selector/matchLabels")
        .and_then(Value::as_object);
    let terms = labels
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
    terms.collect::<Vec<_>>().join(",")
}

/// The time of this request, as metadata carries it.
pub(crate) fn now() -> String {
    jiff::Timestamp::now()
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}

fn context<'a>(call: &'a Call, now: &'a str) -> Context<'a> {
    let dry_run = match call.query.dry_run {
        Some(_) => DryRun::Pretend,
        None => DryRun::Commit,
    };
    Context {
        now,
        manager: &call.manager,
        dry_run,
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
        "finalize" if &*resource.id == "namespaces" => Ok(Part::Main),
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
    if call.content_type.starts_with(protobuf::CONTENT_TYPE) {
        return protobuf::read(&call.body);
    }
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
