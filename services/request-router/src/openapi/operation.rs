//! One RPC at one path.

use causeway_proto::access::v1::{CallerKind, Kind};
use http::Method as Verb;
use serde_json::{Map, Value, json};

use super::{comments::Comments, parameters, permission, schema::Schemas};
use crate::table::{Binding, Body, Method, Shape};

pub(super) fn of(
    method: &Method,
    binding: &Binding,
    comments: &Comments,
    schemas: &mut Schemas<'_>,
) -> Value {
    let descriptor = &method.contract.descriptor;
    let service = descriptor.parent_service();
    let comment = comments.of(&descriptor.parent_file(), descriptor.path());
    let said = [
        Some(comment.to_owned()),
        permission(&method.contract),
        others(method),
    ];
    let said: Vec<_> = said
        .into_iter()
        .flatten()
        .filter(|said| !said.is_empty())
        .collect();
    let mut operation = json!({
        "operationId": id(method, binding),
        "summary": summary(comment),
        "description": said.join("\n\n"),
        "tags": [service.full_name()],
        "parameters": parameters::of(method, binding, schemas),
        "responses": responses(method, binding, schemas),
        "x-causeway-rpc": method.path(),
    });
    if let Some(body) = body(method, binding, schemas) {
        operation["requestBody"] = body;
    }
    if method.contract.kind == Kind::Public {
        operation["security"] = json!([]);
    }
    if !method.contract.permission.is_empty() {
        operation["x-causeway-permission"] = method.contract.permission.clone().into();
    }
    operation
}

/// Unique, and the same in every version: the RPC, and which of its paths where it has several.
fn id(method: &Method, binding: &Binding) -> String {
    let descriptor = &method.contract.descriptor;
    let service = descriptor.parent_service();
    let area = service.package_name().split('.').nth(1).unwrap_or_default();
    let rpc = format!("{area}.{}.{}", service.name(), descriptor.name());
    match binding.place {
        0 => rpc,
        place => format!("{rpc}.{}", place + 1),
    }
}

/// The first sentence.
fn summary(comment: &str) -> &str {
    let line = comment.lines().next().unwrap_or_default();
    line.find(". ")
        .map_or(line, |end| &line[..end])
        .trim_end_matches('.')
}

/// Who may make the call, where users may not.
fn others(method: &Method) -> Option<String> {
    let users = [CallerKind::User, CallerKind::Anyone];
    let open = method
        .contract
        .callers
        .iter()
        .any(|caller| users.contains(caller));
    (!open).then(|| "For parts of Causeway, with keys of their own; users are refused.".to_owned())
}

fn body(method: &Method, binding: &Binding, schemas: &mut Schemas<'_>) -> Option<Value> {
    let schema = match &binding.body {
        Body::Nothing => return None,
        Body::Message => schemas.message(&method.contract.descriptor.input()),
        Body::Field(field) => schemas.field(field),
    };
    Some(json!({"content": {"application/json": {"schema": schema}}}))
}

fn responses(method: &Method, binding: &Binding, schemas: &mut Schemas<'_>) -> Value {
    let schema = schemas.message(&method.contract.descriptor.output());
    let streams = method.shape == Shape::ServerStream;
    let tagged = binding.verb == Verb::GET && method.contract.kind == Kind::Read && !streams;
    let mut headers = Map::new();
    let mut content = Map::new();
    let mut say = |name: &str| {
        let header = json!({"$ref": format!("#/components/headers/{name}")});
        headers.insert(name.to_owned(), header);
    };
    if tagged {
        say("etag");
    }
    if method.contract.kind == Kind::Mutation {
        say("causeway-request-id");
    }
    let (text, kinds): (_, &[&str]) = if streams {
        (
            "A message on each line, or in the data of each event; an error is the last line, or the last event, named status",
            &["application/x-ndjson", "text/event-stream"],
        )
    } else {
        ("Done", &["application/json"])
    };
    for kind in kinds {
        content.insert((*kind).to_owned(), json!({"schema": schema}));
    }
    let mut responses = json!({
        "200": {"description": text, "headers": headers, "content": content},
        "default": {"$ref": "#/components/responses/Error"},
    });
    if tagged {
        responses["304"] = json!({"description": "What the caller has still holds"});
    }
    responses
}

/// Headers of answers.
pub(super) fn headers() -> Value {
    let text = || json!({"type": "string"});
    json!({
        "etag": {"schema": text(), "description": "For if-none-match; another one where the answer is another"},
        "causeway-request-id": {"schema": text(), "description": "The id of the request: its own, or one that was made for it"},
        "causeway-outcome": {
            "schema": {"type": "string", "enum": ["unknown", "not-delivered"]},
            "description": "Whether the part can have seen a call that failed",
        },
        "retry-after": {"schema": {"type": "integer"}, "description": "How many seconds to wait before the next attempt"},
    })
}

/// Every error.
pub(super) fn error_response() -> Value {
    json!({
        "description": "The call failed; causeway-outcome tells whether the part can have received it",
        "headers": {
            "causeway-outcome": {"$ref": "#/components/headers/causeway-outcome"},
            "retry-after": {"$ref": "#/components/headers/retry-after"},
        },
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/causeway.Error"}}},
    })
}
