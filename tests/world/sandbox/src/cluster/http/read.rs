//! Get, list and watch.

use std::{convert::Infallible, sync::Arc};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::{BufMut as _, Bytes, BytesMut};
use futures::stream;
use http::StatusCode;
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    super::{
        object::{ObjectKey, Stored},
        refusal::{Reason, Refusal},
        resource::{Origin, Resource},
        route::{Format, Query},
        selector::Selector,
        store::{ListQuery, Page},
        table,
        watch::Watch,
    },
    Answer, Api, Call, bytes, render, typed,
};

impl Api {
    pub(super) fn read(
        self: &Arc<Self>,
        resource: &Arc<Resource>,
        call: &Call,
    ) -> Result<Answer, Refusal> {
        match (call.path.name.is_empty(), call.path.subresource.as_str()) {
            (true, _) if call.query.watch => self.watch(resource, call),
            (true, _) => self.list(resource, call),
            (false, "" | "status") => self.get(resource, call),
            (false, "log") if &*resource.id == "pods" => {
                let pod = self.store().require(resource, &key(call))?.value();
                self.log(key(call), &pod, &call.query.log)
            }
            _ => Err(no_endpoint(resource, call)),
        }
    }

    fn get(&self, resource: &Resource, call: &Call) -> Result<Answer, Refusal> {
        check_not_ahead(&call.query, self.store().revision())?;
        let stored = self.store().require(resource, &key(call))?;
        Ok(show(StatusCode::OK, resource, call, &stored))
    }

    fn list(&self, resource: &Resource, call: &Call) -> Result<Answer, Refusal> {
        check_fields(resource, call)?;
        let (mut after, mut at) = (None, None);
        check_revision(&call.query)?;
        if !call.query.continue_token.is_empty() {
            let (revision, key) = read_token(&call.query.continue_token)?;
            (after, at) = (Some(key), Some(revision).filter(|revision| *revision > 0));
        } else if call.query.version_match == "Exact" {
            at = Some(call.query.revision()?);
        }
        let query = ListQuery {
            namespace: &call.path.namespace,
            selector: &call.query.selector,
            limit: if call.query.resource_version == "0" {
                0
            } else {
                call.query.limit
            },
            after,
            at,
        };
        let page = {
            let store = self.store();
            check_not_ahead(&call.query, store.revision())?;
            store.list(&resource.id, &query)?
        };
        Ok(bytes(StatusCode::OK, write_list(resource, call, &page)))
    }

    fn watch(self: &Arc<Self>, resource: &Arc<Resource>, call: &Call) -> Result<Answer, Refusal> {
        check_fields(resource, call)?;
        let (path, query) = (&call.path, &call.query);
        let watch = Watch::open(
            self,
            resource,
            &path.version,
            &path.namespace,
            query,
            call.format,
        )?;
        let lines = stream::unfold(watch, |mut watch| async move {
            let lines = watch.next().await?;
            Some((Ok::<_, Infallible>(Frame::data(lines)), watch))
        });
        Ok(typed(
            StatusCode::OK,
            "application/json",
            StreamBody::new(lines).boxed_unsync(),
        ))
    }
}

pub(super) fn key(call: &Call) -> ObjectKey {
    ObjectKey::new(&call.path.namespace, &call.path.name)
}

/// One object in the format that was asked for.
pub(super) fn show(
    status: StatusCode,
    resource: &Resource,
    call: &Call,
    stored: &Stored,
) -> Answer {
    match call.format {
        Format::Json => bytes(status, render(resource, &call.path.version, stored)),
        Format::Metadata => super::json(status, &table::partial(&stored.value())),
        Format::Table(include) => {
            let Some(version) = resource.version(&call.path.version) else {
                return bytes(status, stored.json.clone());
            };
            let row = table::row(version, &stored.value(), include, Timestamp::now());
            let metadata = json!({ "resourceVersion": stored.revision.to_string() });
            super::json(
                status,
                &table::table(table::definitions(version), vec![row], metadata),
            )
        }
    }
}

pub(super) fn write_list(resource: &Resource, call: &Call, page: &Page) -> Bytes {
    let mut metadata = list_metadata(page, &call.query.selector);
    match call.format {
        Format::Json => {
            if resource.origin == Origin::Custom && page.rest.is_none() {
                metadata["continue"] = "".into();
            }
            let objects = page
                .objects
                .iter()
                .map(|stored| item(resource, &call.path.version, stored));
            let api_version = resource.api_version(&call.path.version);
            join_list(
                &format!("{}List", resource.kind),
                &api_version,
                &metadata,
                objects,
            )
        }
        Format::Metadata => {
            let objects = page.objects.iter();
            let objects = objects.map(|stored| to_bytes(&table::partial(&stored.value())));
            join_list(
                "PartialObjectMetadataList",
                "meta.k8s.io/v1",
                &metadata,
                objects,
            )
        }
        Format::Table(include) => {
            let Some(version) = resource.version(&call.path.version) else {
                return Bytes::new();
            };
            let now = Timestamp::now();
            let row = |stored: &Arc<Stored>| table::row(version, &stored.value(), include, now);
            let rows = page.objects.iter().map(row).collect();
            to_bytes(&table::table(table::definitions(version), rows, metadata))
        }
    }
}

/// An object in a list: built-in kinds leave out there what the list says for all of them.
fn item(resource: &Resource, version: &str, stored: &Stored) -> Bytes {
    if resource.origin == Origin::Custom {
        return render(resource, version, stored);
    }
    let mut value = stored.value();
    if let Some(fields) = value.as_object_mut() {
        fields.remove("kind");
        fields.remove("apiVersion");
    }
    to_bytes(&value)
}

fn join_list(
    kind: &str,
    api_version: &str,
    metadata: &Value,
    objects: impl Iterator<Item = Bytes>,
) -> Bytes {
    let head = json!({ "kind": kind, "apiVersion": api_version, "metadata": metadata }).to_string();
    let mut list = BytesMut::from(&head.as_bytes()[..head.len() - 1]);
    list.put_slice(b",\"items\":[");
    for (at, object) in objects.enumerate() {
        if at > 0 {
            list.put_u8(b',');
        }
        list.put_slice(&object);
    }
    list.put_slice(b"]}");
    list.freeze()
}

fn list_metadata(page: &Page, selector: &Selector) -> Value {
    let mut metadata = json!({ "resourceVersion": page.revision.to_string() });
    if let Some((last, left)) = &page.rest {
        metadata["continue"] = write_token(page.revision, last).into();
        if selector.is_empty() {
            metadata["remainingItemCount"] = (*left).into();
        }
    }
    metadata
}

fn write_token(revision: u64, last: &ObjectKey) -> String {
    URL_SAFE_NO_PAD.encode(json!([revision, last.namespace, last.name]).to_string())
}

fn check_fields(resource: &Resource, call: &Call) -> Result<(), Refusal> {
    match call.query.selector.unknown_field(resource) {
        None => Ok(()),
        Some(field) => Err(Refusal::bad_request(format!(
            "field label not supported: {field}"
        ))),
    }
}

/// An endpoint that objects of this kind lack.
pub(super) fn no_endpoint(resource: &Resource, call: &Call) -> Refusal {
    match resource.origin {
        Origin::Builtin => Refusal::unknown_path(),
        Origin::Custom => Refusal::not_found(&resource.id, &call.path.name),
    }
}

fn read_token(token: &str) -> Result<(u64, ObjectKey), Refusal> {
    let read = || {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (revision, namespace, name): (u64, String, String) =
            serde_json::from_slice(&bytes).ok()?;
        Some((revision, ObjectKey { namespace, name }))
    };
    read().ok_or_else(|| Refusal::bad_request("continue key is not valid"))
}

/// A client that knows more than this server must wait, not be told old news.
/// # Errors
/// `BadRequest` where a list is asked for at no revision; other verbs say it in other words.
fn check_revision(query: &Query) -> Result<(), Refusal> {
    let asked = query.revision();
    let told = |refusal: Refusal| {
        Refusal::bad_request(format!("invalid resource version: {}", refusal.message))
    };
    asked.map(drop).map_err(told)
}

fn check_not_ahead(query: &Query, revision: u64) -> Result<(), Refusal> {
    let asked = query.revision()?;
    if asked <= revision {
        return Ok(());
    }
    let why = format!("Timeout: Too large resource version: {asked}, current: {revision}");
    let details = json!({
        "causes": [{ "reason": "ResourceVersionTooLarge", "message": "Too large resource version" }],
        "retryAfterSeconds": 1,
    });
    Err(Refusal::new(Reason::Timeout, why).with_details(details))
}

fn to_bytes(value: &Value) -> Bytes {
    Bytes::from(serde_json::to_vec(value).expect("a JSON value always serialises"))
}
