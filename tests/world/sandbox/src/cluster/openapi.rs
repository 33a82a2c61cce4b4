//! OpenAPI v3 for `kubectl`: without it `apply` fails, although the sandbox validates no fields.

use serde_json::{Map, Value, json};

use super::{
    discovery::{Kinds, group_version, group_versions, served},
    resource::{Resource, Version},
};

/// The list of documents, one per group and version.
pub(crate) fn index(kinds: &Kinds) -> Value {
    let mut paths = Map::new();
    for (group, versions) in group_versions(kinds) {
        for version in versions {
            let root = root(&group, &version);
            paths.insert(
                root.clone(),
                json!({ "serverRelativeURL": format!("/openapi/v3/{root}") }),
            );
        }
    }
    json!({ "paths": paths })
}

/// Document of one group version: kinds, known schemas, and `fieldValidation` of PATCH.
pub(crate) fn document(kinds: &Kinds, wanted: &str) -> Option<Value> {
    let all = group_versions(kinds);
    let mut pairs = all
        .iter()
        .flat_map(|(group, versions)| versions.iter().map(move |version| (group, version)));
    let (group, version) = pairs.find(|(group, version)| root(group, version) == wanted)?;
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    for (resource, served) in served(kinds, group, version) {
        let kind = json!({ "group": group, "version": version, "kind": resource.kind });
        paths.insert(path(resource, served), json!({ "patch": {
            "parameters": [{ "name": "fieldValidation", "in": "query", "schema": { "type": "string", "uniqueItems": true } }],
            "responses": {},
            "x-kubernetes-group-version-kind": kind,
        } }));
        let mut schema = served
            .schema
            .clone()
            .unwrap_or_else(|| json!({ "type": "object" }));
        schema["x-kubernetes-group-version-kind"] = json!([kind]);
        schemas.insert(
            format!(
                "{}.{}",
                group_version(group, version).replace('/', "."),
                resource.kind
            ),
            schema,
        );
    }
    Some(json!({
        "openapi": "3.0.0",
        "info": { "title": "causeway sandbox", "version": "1" },
        "paths": paths,
        "components": { "schemas": schemas },
    }))
}

fn root(group: &str, version: &str) -> String {
    if group.is_empty() {
        format!("api/{version}")
    } else {
        format!("apis/{group}/{version}")
    }
}

fn path(resource: &Resource, version: &Version) -> String {
    let root = root(&resource.group, &version.name);
    let namespace = if resource.is_namespaced() {
        "/namespaces/{namespace}"
    } else {
        ""
    };
    format!("/{root}{namespace}/{}/{{name}}", resource.plural)
}
