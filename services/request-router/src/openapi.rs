//! The HTTP form of the contract as OpenAPI 3.1, made from the same table that serves it, so that the two cannot differ.
//!
//! Comments of the contract are its descriptions. An RPC to which the contract gives no path of its own stands under the path of its
//! gRPC requests. It never says what a caller may do: that is asked with the call.

mod comments;
mod operation;
mod parameters;
mod schema;

use causeway_proto::{error::v1::Reason, method};
use serde_json::{Map, Value, json};

use self::{comments::Comments, schema::Schemas};
use crate::{
    status_json,
    table::{Binding, Method, Table},
};

const ABOUT: &str = "One control plane for every Argo CD. Every RPC of the gRPC contract is here as JSON, by the canonical mapping of \
    protobuf: names in camel case, 64-bit numbers as text, bytes in base64, times as RFC 3339. Names of the contract in snake case \
    are taken, too. What a request does not know is refused.";

/// The document of a table, for programs of this version.
pub(crate) fn document(table: &Table, version: &str) -> Value {
    let comments = Comments::new();
    let mut schemas = Schemas::new(&comments);
    let mut paths = Map::new();
    for (method, binding) in shown(table) {
        let operation = operation::of(method, binding, &comments, &mut schemas);
        let path = paths
            .entry(binding.template.to_string())
            .or_insert_with(|| json!({}));
        path[binding.verb.as_str().to_ascii_lowercase()] = operation;
    }
    let error = error(&mut schemas);
    let mut components = schemas.into_components();
    components.insert("causeway.Error".to_owned(), error);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Causeway",
            "version": version,
            "summary": "One control plane for every Argo CD",
            "description": ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "tags": tags(table, &comments),
        "paths": paths,
        "components": {
            "schemas": components,
            "parameters": parameters::shared(),
            "headers": operation::headers(),
            "responses": {"Error": operation::error_response()},
            "securitySchemes": {"bearer": {
                "type": "http",
                "scheme": "bearer",
                "description": "An API key (cwk_…) or the token of a session (cws_…)",
            }},
        },
    })
}

/// What the contract gives paths, and of what it gives none, its own.
fn shown(table: &Table) -> impl Iterator<Item = (&Method, &Binding)> {
    let bindings = table.bindings();
    bindings.filter(|(method, binding)| !binding.plain || !method.is_named())
}

fn tags(table: &Table, comments: &Comments) -> Vec<Value> {
    let mut services: Vec<_> = shown(table)
        .map(|(method, _)| method.contract.descriptor.parent_service().clone())
        .collect();
    services.sort_by(|left, right| left.full_name().cmp(right.full_name()));
    services.dedup();
    let tag = |service: &prost_reflect::ServiceDescriptor| {
        json!({
            "name": service.full_name(),
            "description": comments.of(&service.parent_file(), service.path()),
        })
    };
    services.iter().map(tag).collect()
}

/// What every error is: `google.rpc.Status` with its details written out.
fn error(schemas: &mut Schemas<'_>) -> Value {
    let details = ["ErrorInfo", "BadRequest", "RetryInfo"].map(|name| {
        let message = status_json::details()
            .get_message_by_name(&format!("google.rpc.{name}"))
            .expect("the library carries the standard details");
        let schema = schemas.message(&message);
        let kind = json!({"const": format!("type.googleapis.com/google.rpc.{name}")});
        json!({"allOf": [schema, {
            "type": "object", "properties": {"@type": kind}, "required": ["@type"],
        }]})
    });
    let other = json!({
        "type": "object",
        "properties": {"@type": {"type": "string"}},
        "required": ["@type"],
        "additionalProperties": true,
    });
    let details: Vec<_> = details.into_iter().chain([other]).collect();
    json!({
        "type": "object",
        "description": "google.rpc.Status. ErrorInfo.reason is one of causeway.error.v1.Reason without its prefix, for example "
            .to_owned() + Reason::PermissionDenied.code() + ".",
        "properties": {
            "code": {"type": "integer", "format": "int32", "description": "google.rpc.Code"},
            "message": {"type": "string", "description": "For people: what is wrong and what to do"},
            "details": {"type": "array", "items": {"anyOf": details}},
        },
        "required": ["code", "message", "details"],
    })
}

/// What a kind of call means to who makes it.
fn permission(method: &method::Method) -> Option<String> {
    let named = !method.permission.is_empty();
    let own = if method.own {
        "; everybody may about what is their own"
    } else {
        ""
    };
    named.then(|| format!("Needs the permission `{}`{own}.", method.permission))
}

#[cfg(test)]
mod tests;
