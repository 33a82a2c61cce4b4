//! A Kubernetes object as Argo CD sees it: which one it is, and what its annotations ask for.

use std::fmt;

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Map, Value};

pub(crate) const TRACKING: &str = "argocd.argoproj.io/tracking-id";
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
const SYNC_WAVE: &str = "argocd.argoproj.io/sync-wave";
const SYNC_OPTIONS: &str = "argocd.argoproj.io/sync-options";
const HOOK: &str = "argocd.argoproj.io/hook";

/// Identity of an object, independent of its API version.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ResourceKey {
    pub(crate) group: String,
    pub(crate) kind: String,
    /// empty for cluster-wide kinds
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl fmt::Display for ResourceKey {
    /// `apps/Deployment/guestbook`, and `/Service/guestbook` for the core group
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.group, self.kind, self.name)
    }
}

/// A kind in one version of its group; it names an API endpoint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GroupKind {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

impl GroupKind {
    pub(crate) fn new(group: &str, version: &str, kind: &str) -> Self {
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        }
    }

    /// From `apiVersion` and `kind`; nothing when either is missing.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        let api_version = value.get("apiVersion")?.as_str()?;
        let kind = value
            .get("kind")?
            .as_str()
            .filter(|kind| !kind.is_empty())?;
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Some(Self::new(group, version, kind))
    }
}

/// The key of an object as it says itself; nothing when it has no kind or name.
pub(crate) fn key_of(value: &Value) -> Option<ResourceKey> {
    let GroupKind { group, kind, .. } = GroupKind::of(value)?;
    let name = metadata(value, "name");
    let namespace = metadata(value, "namespace").to_owned();
    (!name.is_empty()).then(|| ResourceKey {
        group,
        kind,
        namespace,
        name: name.to_owned(),
    })
}

/// `metadata.<field>` as text, empty when absent.
pub(crate) fn metadata<'a>(value: &'a Value, field: &str) -> &'a str {
    value
        .get("metadata")
        .and_then(|metadata| metadata.get(field))
        .and_then(Value::as_str)
        .unwrap_or("")
}

/// The text at a JSON pointer, empty when absent.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

/// The number at a JSON pointer.
pub(crate) fn number(value: &Value, pointer: &str) -> Option<i64> {
    value.pointer(pointer).and_then(Value::as_i64)
}

/// The list at a JSON pointer, empty when absent.
pub(crate) fn items<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

pub(crate) fn annotation<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value
        .get("metadata")?
        .get("annotations")?
        .get(name)?
        .as_str()
}

pub(crate) fn set_annotation(value: &mut Value, name: &str, to: String) {
    if let Some(annotations) =
        object_in(value, "metadata").map(|metadata| metadata.entry("annotations"))
    {
        let annotations = annotations.or_insert_with(|| Value::Object(Map::new()));
        if !annotations.is_object() {
            *annotations = Value::Object(Map::new());
        }
        annotations[name] = Value::String(to);
    }
}

pub(crate) fn remove_annotation(value: &mut Value, name: &str) {
    let Some(metadata) = object_in(value, "metadata") else {
        return;
    };
    if let Some(annotations) = metadata
        .get_mut("annotations")
        .and_then(Value::as_object_mut)
    {
        annotations.remove(name);
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
}

pub(crate) fn object_in<'a>(
    value: &'a mut Value,
    field: &str,
) -> Option<&'a mut Map<String, Value>> {
    value
        .as_object_mut()?
        .entry(field)
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()
}

/// 0 when absent or not a number.
pub(crate) fn sync_wave(value: &Value) -> i64 {
    annotation(value, SYNC_WAVE)
        .and_then(|wave| wave.trim().parse().ok())
        .unwrap_or(0)
}

pub(crate) fn has_sync_option(value: &Value, option: &str) -> bool {
    annotation(value, SYNC_OPTIONS)
        .is_some_and(|options| options.split(',').any(|one| one.trim() == option))
}

/// A Secret's clear text in the form in which the API server keeps it.
pub(crate) fn encode_secret(value: &mut Value) {
    let is_secret = text(value, "/kind") == "Secret" && text(value, "/apiVersion") == "v1";
    let Some(clear) = value
        .as_object_mut()
        .filter(|_| is_secret)
        .and_then(|secret| secret.remove("stringData"))
    else {
        return;
    };
    let Some(data) = object_in(value, "data") else {
        return;
    };
    for (name, text) in clear.as_object().into_iter().flatten() {
        let text = text
            .as_str()
            .map_or_else(|| text.to_string(), str::to_owned);
        data.insert(name.clone(), BASE64_STANDARD.encode(text).into());
    }
}

/// Value of the hook annotation: `PreSync`, `Sync`, `PostSync`, ...
pub(crate) fn hook(value: &Value) -> Option<&str> {
    annotation(value, HOOK)
}

/// The application's name that an object says it belongs to.
pub(crate) fn tracked_by(value: &Value) -> Option<&str> {
    annotation(value, TRACKING)?.split(':').next()
}

/// Images of a pod or of the pod template inside a workload, in order, without repeats.
pub(crate) fn images(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for spec in [
        "/spec",
        "/spec/template/spec",
        "/spec/jobTemplate/spec/template/spec",
    ] {
        for list in ["initContainers", "containers"] {
            for container in items(value, &format!("{spec}/{list}")) {
                let image = text(container, "/image").to_owned();
                if !image.is_empty() && !found.contains(&image) {
                    found.push(image);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
