//! Discovery in two answers, one for the core group and one for all others. Pure.

use serde_json::{Value, json};

use super::{
    discovery::{self, Kinds},
    resource::Scope,
};

pub(crate) const CONTENT_TYPE: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The core group alone, or every other one, with versions, kinds and their endpoints.
pub(crate) fn groups(kinds: &Kinds, part: GroupPart) -> Value {
    let groups = discovery::group_versions(kinds);
    let wanted = groups
        .iter()
        .filter(|(name, _)| name.is_empty() == (part == GroupPart::Core));
    let items: Vec<Value> = wanted
        .map(|(name, versions)| {
            let metadata = if name.is_empty() {
                json!({})
            } else {
                json!({ "name": name })
            };
            let versions: Vec<Value> = versions
                .iter()
                .map(|version| of_version(kinds, name, version))
                .collect();
            json!({ "metadata": metadata, "versions": versions })
        })
        .collect();
    json!({ "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items })
}

/// Which of the two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupPart {
    Core,
    Named,
}

fn of_version(kinds: &Kinds, group: &str, version: &str) -> Value {
    let listed = discovery::resources(kinds, group, version).unwrap_or_default();
    let entries = listed["resources"].as_array().cloned().unwrap_or_default();
    let is_below = |entry: &Value, plural: &str| {
        let name = entry["name"].as_str().unwrap_or_default();
        name.split_once('/').is_some_and(|(of, _)| of == plural)
    };
    let resources: Vec<Value> = entries
        .iter()
        .filter(|entry| !entry["name"].as_str().unwrap_or_default().contains('/'))
        .map(|entry| {
            let plural = entry["name"].as_str().unwrap_or_default();
            let below = entries.iter().filter(|other| is_below(other, plural));
            let mut parts: Vec<Value> = below.map(|part| endpoint(part, plural)).collect();
            parts.sort_by_key(|part| part["subresource"].to_string());
            kind(entry, group, version, parts)
        })
        .collect();
    json!({ "version": version, "resources": resources, "freshness": "Current" })
}

fn kind(entry: &Value, group: &str, version: &str, parts: Vec<Value>) -> Value {
    let scope = if entry["namespaced"] == true {
        Scope::Namespaced
    } else {
        Scope::Cluster
    };
    let mut kind = json!({
        "resource": entry["name"],
        "responseKind": { "group": group, "version": version, "kind": entry["kind"] },
        "scope": format!("{scope:?}"),
        "singularResource": entry["singularName"],
        "verbs": entry["verbs"],
    });
    for field in ["shortNames", "categories"] {
        if entry[field].is_array() {
            kind[field] = entry[field].clone();
        }
    }
    if !parts.is_empty() {
        kind["subresources"] = parts.into();
    }
    kind
}

fn endpoint(part: &Value, plural: &str) -> Value {
    let name = part["name"].as_str().unwrap_or_default();
    let name = name
        .strip_prefix(plural)
        .unwrap_or(name)
        .trim_start_matches('/');
    let text = |field: &str| part[field].as_str().unwrap_or_default();
    json!({
        "subresource": name,
        "responseKind": { "group": text("group"), "version": text("version"), "kind": part["kind"] },
        "verbs": part["verbs"],
    })
}
