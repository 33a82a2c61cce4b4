//! A custom kind for one behaviour, with a schema, a status subresource and columns.

use serde_json::{Value, json};

use crate::target::{World, unique};

pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// An installed kind `Widget` in a group of its own.
pub(crate) struct Widgets {
    pub(crate) group: String,
    /// its collection in the behaviour's namespace
    pub(crate) path: String,
    /// the definition's own path
    pub(crate) definition: String,
}

pub(crate) fn group() -> String {
    format!("{}.example.com", unique("group"))
}

/// A definition of `Widget`; `version` replaces fields of its one version.
pub(crate) fn definition(group: &str, version: &Value) -> Value {
    let mut only = json!({
        "name": "v1",
        "served": true,
        "storage": true,
        "subresources": { "status": {} },
        "additionalPrinterColumns": [
            { "name": "Size", "type": "integer", "jsonPath": ".spec.size" },
            { "name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1 },
            { "name": "Ready", "type": "boolean", "jsonPath": ".status.ready" },
            { "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" },
        ],
        "schema": { "openAPIV3Schema": schema() },
    });
    for (field, value) in version.as_object().into_iter().flatten() {
        only[field] = value.clone();
    }
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("widgets.{group}") },
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": { "plural": "widgets", "kind": "Widget", "shortNames": ["wd"] },
            "versions": [only],
        },
    })
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "required": ["size"],
                "properties": {
                    "size": { "type": "integer", "minimum": 1 },
                    "color": { "type": "string", "enum": ["red", "green"], "default": "red" },
                    "tags": { "type": "array", "items": { "type": "string" } },
                    "free": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
                },
            },
            "status": {
                "type": "object",
                "properties": { "ready": { "type": "boolean" }, "replicas": { "type": "integer" } },
            },
        },
    })
}

impl Widgets {
    pub(crate) async fn install(world: &World) -> Self {
        Self::install_with(world, &json!({})).await
    }

    /// Creates the kind and waits until it is served.
    pub(crate) async fn install_with(world: &World, version: &Value) -> Self {
        let group = group();
        world
            .create(DEFINITIONS, &definition(&group, version))
            .await;
        let widgets = Self {
            path: world.path(&format!("{group}/v1"), "widgets"),
            definition: format!("{DEFINITIONS}/widgets.{group}"),
            group,
        };
        world
            .until(&widgets.path, |answer| answer.status == 200)
            .await;
        widgets
    }

    pub(crate) fn api_version(&self) -> String {
        format!("{}/v1", self.group)
    }

    pub(crate) fn object(&self, name: &str, spec: impl Into<Value>) -> Value {
        let spec: Value = spec.into();
        json!({ "apiVersion": self.api_version(), "kind": "Widget", "metadata": { "name": name }, "spec": spec })
    }
}

/// A valid widget.
pub(crate) fn widget(widgets: &Widgets, name: &str) -> Value {
    widgets.object(name, json!({ "size": 1, "color": "red" }))
}
