//! The resource tree: what an application made, and what that made in turn, each with its health.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    compare::ResourceComparison,
    health::assess,
    manifest::{GroupKind, ResourceKey, images, items, metadata, text},
};

/// `{nodes, orphanedNodes, hosts}` as the REST API gives it. `live` holds the resources and their descendants.
pub(crate) fn tree(resources: &[ResourceComparison], live: &BTreeMap<ResourceKey, Value>) -> Value {
    let by_uid: BTreeMap<&str, &ResourceKey> = live
        .iter()
        .map(|(key, value)| (metadata(value, "uid"), key))
        .collect();
    let missing = resources
        .iter()
        .filter(|one| one.live.is_none())
        .map(missing);
    let nodes: Vec<Value> = live
        .iter()
        .map(|(key, value)| node(key, value, &by_uid))
        .chain(missing)
        .collect();
    json!({"nodes": nodes, "orphanedNodes": [], "hosts": []})
}

fn missing(one: &ResourceComparison) -> Value {
    let ResourceKey {
        group,
        kind,
        namespace,
        name,
    } = &one.key;
    without_empty(json!({
        "group": group, "version": one.version, "kind": kind, "namespace": namespace, "name": name,
        "health": {"status": "Missing"},
    }))
}

fn node(key: &ResourceKey, live: &Value, by_uid: &BTreeMap<&str, &ResourceKey>) -> Value {
    let ResourceKey {
        group,
        kind,
        namespace,
        name,
    } = key;
    let version = GroupKind::of(live)
        .map(|kind| kind.version)
        .unwrap_or_default();
    let owners = items(live, "/metadata/ownerReferences").iter();
    let parents: Vec<Value> = owners
        .filter_map(|owner| parent(text(owner, "/uid"), by_uid))
        .collect();
    let health = assess(live).map(|health| {
        without_empty(json!({"status": health.code.as_str(), "message": health.message}))
    });
    without_empty(json!({
        "group": group, "version": version, "kind": kind, "namespace": namespace, "name": name,
        "uid": metadata(live, "uid"),
        "resourceVersion": metadata(live, "resourceVersion"),
        "createdAt": metadata(live, "creationTimestamp"),
        "parentRefs": parents,
        "images": if kind == "Pod" { images(live) } else { Vec::new() },
        "info": info(kind, live),
        "networkingInfo": networking(kind, live),
        "health": health,
    }))
}

fn parent(uid: &str, by_uid: &BTreeMap<&str, &ResourceKey>) -> Option<Value> {
    let ResourceKey {
        group,
        kind,
        namespace,
        name,
    } = by_uid.get(uid)?;
    Some(without_empty(
        json!({"group": group, "kind": kind, "namespace": namespace, "name": name, "uid": uid}),
    ))
}

/// Small facts that a person wants beside the name.
fn info(kind: &str, live: &Value) -> Vec<Value> {
    let fact = |name: &str, value: String| json!({"name": name, "value": value});
    match kind {
        "Pod" => {
            let containers = items(live, "/status/containerStatuses");
            let ready = containers.iter().filter(|one| one["ready"] == true).count();
            let wanted = items(live, "/spec/containers").len();
            let waiting = containers
                .iter()
                .map(|one| text(one, "/state/waiting/reason"))
                .find(|reason| !reason.is_empty());
            let reason = waiting.unwrap_or(text(live, "/status/phase")).to_owned();
            let restarts = containers
                .iter()
                .filter_map(|one| one["restartCount"].as_u64());
            let optional = [
                ("Node", text(live, "/spec/nodeName").to_owned()),
                ("Restart Count", restarts.sum::<u64>().to_string()),
            ];
            let known = optional
                .into_iter()
                .filter(|(_, it)| !it.is_empty() && it != "0");
            let always = [
                fact("Status Reason", reason),
                fact("Containers", format!("{ready}/{wanted}")),
            ];
            let known = known.map(|(name, value)| fact(name, value));
            always.into_iter().chain(known).collect()
        }
        "ReplicaSet" => {
            let revision = super::manifest::annotation(live, "deployment.kubernetes.io/revision");
            revision
                .map(|revision| fact("Revision", format!("Rev:{revision}")))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

fn networking(kind: &str, live: &Value) -> Value {
    match kind {
        "Service" => without_empty(json!({"targetLabels": live.pointer("/spec/selector")})),
        "Ingress" => ingress(live),
        "Pod" => without_empty(json!({"labels": live.pointer("/metadata/labels")})),
        _ => Value::Null,
    }
}

/// Services, addresses and URLs of an Ingress.
fn ingress(live: &Value) -> Value {
    let rules = items(live, "/spec/rules").iter();
    let paths = rules.clone().flat_map(|rule| items(rule, "/http/paths"));
    let services = paths.map(|path| text(path, "/backend/service/name"));
    let target = |name: &str| json!({"kind": "Service", "namespace": metadata(live, "namespace"), "name": name});
    let hosts = rules
        .map(|rule| text(rule, "/host"))
        .filter(|it| !it.is_empty());
    let targets: Vec<Value> = services.filter(|it| !it.is_empty()).map(target).collect();
    let urls: Vec<String> = hosts.map(|host| format!("http://{host}/")).collect();
    without_empty(json!({
        "targetRefs": targets,
        "ingress": live.pointer("/status/loadBalancer/ingress"),
        "externalURLs": urls,
    }))
}

/// Fields that say nothing are left out, as Go leaves them out.
fn without_empty(value: Value) -> Value {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    };
    let Value::Object(mut fields) = value else {
        return value;
    };
    fields.retain(|_, value| !is_empty(value));
    Value::Object(fields)
}

#[cfg(test)]
mod tests;
