//! Initial objects of a sandbox: namespaces, a node, and the custom kinds of Argo CD.

use serde_json::{Value, json};

const ARGO_GROUP: &str = "argoproj.io";

/// Custom kinds that every new sandbox serves.
pub(crate) fn definitions() -> Vec<Value> {
    vec![
        definition(
            &Names {
                kind: "Application",
                plural: "applications",
                short: &["app", "apps"],
            },
            &application(),
        ),
        definition(
            &Names {
                kind: "AppProject",
                plural: "appprojects",
                short: &["appproj", "appprojs"],
            },
            &project(),
        ),
    ]
}

/// Namespaces that every new sandbox has.
pub(crate) fn namespaces() -> [&'static str; 4] {
    ["default", "kube-node-lease", "kube-public", "kube-system"]
}

/// Other objects of a new sandbox, each with the id of its resource.
pub(crate) fn objects() -> Vec<(&'static str, Value)> {
    vec![("nodes", node())]
}

struct Names {
    kind: &'static str,
    plural: &'static str,
    short: &'static [&'static str],
}

fn definition(names: &Names, version: &Value) -> Value {
    let singular = names.kind.to_lowercase();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{}.{ARGO_GROUP}", names.plural),
            "labels": { "app.kubernetes.io/name": format!("{}.{ARGO_GROUP}", names.plural), "app.kubernetes.io/part-of": "argocd" },
        },
        "spec": {
            "group": ARGO_GROUP,
            "names": {
                "kind": names.kind,
                "listKind": format!("{}List", names.kind),
                "plural": names.plural,
                "singular": singular,
                "shortNames": names.short,
            },
            "scope": "Namespaced",
            "versions": [version],
        },
    })
}

/// Argo CD keeps an Application's status inline, without a status subresource.
fn application() -> Value {
    let object = open_object();
    json!({
        "name": "v1alpha1",
        "served": true,
        "storage": true,
        "additionalPrinterColumns": [
            { "name": "Sync Status", "type": "string", "jsonPath": ".status.sync.status" },
            { "name": "Health Status", "type": "string", "jsonPath": ".status.health.status" },
            { "name": "Revision", "type": "string", "jsonPath": ".status.sync.revision", "priority": 10 },
            { "name": "Project", "type": "string", "jsonPath": ".spec.project", "priority": 10 },
        ],
        "schema": { "openAPIV3Schema": {
            "type": "object",
            "required": ["metadata", "spec"],
            "properties": {
                "metadata": { "type": "object" },
                "operation": object,
                "spec": {
                    "type": "object",
                    "required": ["destination", "project"],
                    "x-kubernetes-preserve-unknown-fields": true,
                    "properties": {
                        "destination": object,
                        "project": { "type": "string" },
                        "source": object,
                        "sources": { "type": "array", "items": object },
                        "syncPolicy": object,
                    },
                },
                "status": object,
            },
        } },
    })
}

fn project() -> Value {
    json!({
        "name": "v1alpha1",
        "served": true,
        "storage": true,
        "schema": { "openAPIV3Schema": {
            "type": "object",
            "required": ["metadata", "spec"],
            "properties": { "metadata": { "type": "object" }, "spec": open_object(), "status": open_object() },
        } },
    })
}

fn open_object() -> Value {
    json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

fn node() -> Value {
    let resources = json!({ "cpu": "2", "memory": "8Gi", "pods": "1000" });
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": "sandbox-node",
            "labels": { "kubernetes.io/hostname": "sandbox-node", "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" },
        },
        "spec": {},
        "status": {
            "addresses": [{ "type": "InternalIP", "address": "127.0.0.1" }, { "type": "Hostname", "address": "sandbox-node" }],
            "allocatable": resources,
            "capacity": resources,
            "conditions": [{ "type": "Ready", "status": "True", "reason": "KubeletReady", "message": "simulated node" }],
            "nodeInfo": {
                "architecture": "amd64", "operatingSystem": "linux", "kubeletVersion": "v1.33.0",
                "osImage": "sandbox", "kernelVersion": "", "containerRuntimeVersion": "sandbox://1", "kubeProxyVersion": "",
                "bootID": "", "machineID": "", "systemUUID": "",
            },
        },
    })
}
