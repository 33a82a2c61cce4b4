//! Merge rules of lists: atomic, as a set, or by keys.

use serde_json::Value;

use super::resource::{Origin, Resource};

/// Identity of list items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    /// replaced as a whole
    Atomic,
    /// items are their own names
    Set,
    /// items are named by these fields
    Map(Vec<String>),
}

/// A place inside an object, as far as merging cares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape<'a> {
    field: &'a str,
    parent: &'a str,
    rules: Rules<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Rules<'a> {
    Builtin,
    Schema(Option<&'a Value>),
}

const METADATA: &str = "metadata";
const PORT_KEYS: &[(&str, &[&str])] = &[("containers", &["containerPort", "protocol"])];

impl<'a> Shape<'a> {
    /// The shape of a whole object of this kind.
    pub(crate) fn root(resource: &'a Resource, version: &str) -> Self {
        let rules = match resource.origin {
            Origin::Builtin => Rules::Builtin,
            Origin::Custom => Rules::Schema(
                resource
                    .version(version)
                    .and_then(|version| version.schema.as_ref()),
            ),
        };
        Self {
            field: "",
            parent: "",
            rules,
        }
    }

    /// The shape of a field of an object at this place. Metadata is the same for every kind.
    pub(crate) fn field(self, name: &'a str) -> Self {
        let rules = match self.rules {
            Rules::Schema(_) if self.field.is_empty() && name == METADATA => Rules::Builtin,
            Rules::Builtin => Rules::Builtin,
            Rules::Schema(schema) => Rules::Schema(schema.and_then(|schema| {
                schema["properties"]
                    .get(name)
                    .or_else(|| schema.get("additionalProperties"))
            })),
        };
        Self {
            field: name,
            parent: self.field,
            rules,
        }
    }

    /// The shape of the items of a list at this place.
    pub(crate) fn item(self) -> Self {
        match self.rules {
            Rules::Builtin => self,
            Rules::Schema(schema) => Self {
                rules: Rules::Schema(schema.and_then(|schema| schema.get("items"))),
                ..self
            },
        }
    }

    pub(crate) fn list_kind(self) -> ListKind {
        match self.rules {
            Rules::Builtin => builtin_kind(self.parent, self.field),
            Rules::Schema(schema) => schema.map_or(ListKind::Atomic, schema_kind),
        }
    }

    /// Maps that are owned and replaced as a whole.
    pub(crate) fn is_atomic_map(self) -> bool {
        match self.rules {
            Rules::Builtin => self.field == "selector" && self.parent == "spec",
            Rules::Schema(schema) => {
                schema.is_some_and(|schema| schema["x-kubernetes-map-type"] == "atomic")
            }
        }
    }
}

fn schema_kind(schema: &Value) -> ListKind {
    match schema["x-kubernetes-list-type"].as_str() {
        Some("set") => ListKind::Set,
        Some("map") => {
            let keys = schema["x-kubernetes-list-map-keys"]
                .as_array()
                .into_iter()
                .flatten();
            ListKind::Map(keys.filter_map(Value::as_str).map(str::to_owned).collect())
        }
        _ => ListKind::Atomic,
    }
}

fn builtin_kind(parent: &str, field: &str) -> ListKind {
    if field == "finalizers" {
        return ListKind::Set;
    }
    if field == "ports" {
        let keys = PORT_KEYS
            .iter()
            .find(|(of, _)| *of == parent)
            .map_or(&["port", "protocol"][..], |(_, keys)| keys);
        return ListKind::Map(keys.iter().map(|&key| key.to_owned()).collect());
    }
    match merge_key(parent, field) {
        Some(key) => ListKind::Map(vec![key.to_owned()]),
        None => ListKind::Atomic,
    }
}

fn merge_key(parent: &str, field: &str) -> Option<&'static str> {
    match field {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "env"
        | "volumes"
        | "imagePullSecrets" => Some("name"),
        "volumeMounts" => Some("mountPath"),
        "volumeDevices" => Some("devicePath"),
        "hostAliases" => Some("ip"),
        "conditions" | "addresses" => Some("type"),
        "topologySpreadConstraints" => Some("topologyKey"),
        "ownerReferences" => Some("uid"),
        "podIPs" | "hostIPs" => Some("ip"),
        "taints" => Some("key"),
        "ports" if matches!(parent, "containers" | "initContainers") => Some("containerPort"),
        "ports" if parent == "spec" => Some("port"),
        "secrets" if parent.is_empty() => Some("name"),
        _ => None,
    }
}

/// The key of a list item as managed fields write it, for example `k:{"name":"web"}`.
pub(crate) fn item_key(item: &Value, keys: &[String]) -> Option<String> {
    let mut named = serde_json::Map::new();
    for key in keys {
        let value = match item.get(key) {
            Some(value) => value.clone(),
            None if key == "protocol" => "TCP".into(),
            None => return None,
        };
        named.insert(key.clone(), value);
    }
    Some(format!("k:{}", Value::Object(named)))
}

/// The key of an item of a set, for example `v:"x"`.
pub(crate) fn value_key(item: &Value) -> String {
    format!("v:{item}")
}
