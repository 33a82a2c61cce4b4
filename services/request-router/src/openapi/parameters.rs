//! What the path, the query and headers of a call take.

use causeway_proto::access::v1::Kind;
use http::Method as Verb;
use prost_reflect::{FieldDescriptor, MessageDescriptor};
use serde_json::{Value, json};

use super::schema::Schemas;
use crate::{
    table::{Binding, Body, Method, Shape},
    transcode::{DEPTH, mask},
};

/// All of one call, in the order of the path and then of the contract.
pub(super) fn of(method: &Method, binding: &Binding, schemas: &mut Schemas<'_>) -> Vec<Value> {
    let path = binding.fields.iter().map(|field| {
        let mut parameter = parameter(field, field.name(), "path", schemas);
        parameter["required"] = true.into();
        parameter
    });
    let mut all: Vec<_> = path.collect();
    let input = method.contract.descriptor.input();
    let open = |field: &FieldDescriptor| match &binding.body {
        Body::Nothing => !binding.fields.contains(field),
        Body::Field(body) => !binding.fields.contains(field) && field != body,
        Body::Message => false,
    };
    let mut parents = vec![input.clone()];
    for field in input.fields().filter(open) {
        add(&mut all, &field, String::new(), &mut parents, schemas);
    }
    all.extend(
        shared_of(method, binding)
            .into_iter()
            .map(|name| json!({"$ref": format!("#/components/parameters/{name}")})),
    );
    all
}

/// A field that a query can set, or those in it.
fn add(
    all: &mut Vec<Value>,
    field: &FieldDescriptor,
    prefix: String,
    parents: &mut Vec<MessageDescriptor>,
    schemas: &mut Schemas<'_>,
) {
    let name = prefix + field.json_name();
    let kind = field.kind();
    let own = |message: &&MessageDescriptor| !message.full_name().starts_with("google.protobuf.");
    let Some(message) = kind.as_message().filter(own) else {
        all.push(parameter(field, &name, "query", schemas));
        return;
    };
    // What contains itself is as deep as anyone likes; a document is not.
    let again = parents.contains(message) || parents.len() >= DEPTH;
    if field.is_map() || field.is_list() || again {
        return;
    }
    parents.push(message.clone());
    for inner in message.fields() {
        add(all, &inner, format!("{name}."), parents, schemas);
    }
    parents.pop();
}

fn parameter(field: &FieldDescriptor, name: &str, place: &str, schemas: &mut Schemas<'_>) -> Value {
    let mut schema = schemas.field(field);
    let comment = schema
        .as_object_mut()
        .and_then(|schema| schema.remove("description"));
    let mut parameter = json!({"name": name, "in": place, "schema": schema});
    if let Some(comment) = comment {
        parameter["description"] = comment;
    }
    parameter
}

/// The names of those that are no fields.
fn shared_of(method: &Method, binding: &Binding) -> Vec<&'static str> {
    let kind = method.contract.kind;
    let streams = method.shape == Shape::ServerStream;
    let tagged = binding.verb == Verb::GET && kind == Kind::Read && !streams;
    let named = [
        (method.is_mask(mask::SHORT_NAME), "fields"),
        (method.is_mask(mask::NAME), "systemFields"),
        (true, "timeout"),
        (tagged, "ifNoneMatch"),
        (method.cursor().is_some(), "lastEventId"),
        (kind == Kind::Mutation, "idempotencyKey"),
    ];
    let named = named.into_iter().filter(|(taken, _)| *taken);
    named.map(|(_, name)| name).collect()
}

/// Those that are no fields.
pub(super) fn shared() -> Value {
    let text = || json!({"type": "string"});
    let fields = "Which fields of the answer are wanted, as paths with commas between, for example `applications.name,nextPageToken`; \
        without it, all";
    json!({
        "fields": {"name": mask::SHORT_NAME, "in": "query", "schema": text(), "description": fields},
        "systemFields": {
            "name": mask::NAME, "in": "query", "schema": text(),
            "description": "The same as `fields`, also where the request has a field of that name",
        },
        "timeout": {
            "name": "causeway-timeout", "in": "header", "schema": text(), "example": "10s",
            "description": "How long the call may take, for example `10s` or `500ms`; one that is no stream has 60 s without it",
        },
        "ifNoneMatch": {
            "name": "if-none-match", "in": "header", "schema": text(),
            "description": "The etag of the answer that the caller has; if it still holds, the answer is 304 without a body",
        },
        "lastEventId": {
            "name": "last-event-id", "in": "header", "schema": text(),
            "description": "The id of the last event that a reader saw, to go on after it",
        },
        "idempotencyKey": {
            "name": "idempotency-key", "in": "header", "schema": {"type": "string", "format": "uuid"},
            "description": "The request's `requestId`, where the body has none; a repeat with the same id has the first outcome",
        },
    })
}
