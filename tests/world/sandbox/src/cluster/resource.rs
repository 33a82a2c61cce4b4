//! The kinds that the API serves: built-in ones by a table, others by CustomResourceDefinitions. Pure.

use std::sync::Arc;

use serde_json::Value;

mod builtin;
mod definition;
mod preinstalled;

pub(crate) use builtin::builtin;
pub(crate) use definition::{
    accept_definition, complete_definition, from_definition, id_of_definition,
};
pub(crate) use preinstalled::{definitions, namespaces, objects};

/// Kind with all its served versions. Objects are stored once, whatever the requested version.
#[derive(Debug)]
pub(crate) struct Resource {
    /// `plural.group`, or `plural` in the core group: what messages and indexes use
    pub(crate) id: Arc<str>,
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) scope: Scope,
    pub(crate) origin: Origin,
    /// the first one is preferred
    pub(crate) versions: Vec<Version>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Cluster,
    Namespaced,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Builtin,
    Custom,
}

/// One served version of a kind.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) name: String,
    pub(crate) status: Status,
    pub(crate) columns: Vec<Column>,
    /// the OpenAPI v3 schema of a custom kind
    pub(crate) schema: Option<Value>,
}

/// Presence of a status subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Separate,
    Inline,
}

/// One column of `kubectl get` of a custom kind.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) path: String,
    pub(crate) priority: i64,
    pub(crate) description: String,
}

impl Resource {
    pub(crate) fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    pub(crate) fn preferred(&self) -> &Version {
        &self.versions[0]
    }

    pub(crate) fn api_version(&self, version: &str) -> String {
        if self.group.is_empty() {
            version.to_owned()
        } else {
            format!("{}/{version}", self.group)
        }
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    /// True when lists and watches can select by this field.
    pub(crate) fn selects_by(&self, path: &str) -> bool {
        matches!(path, "metadata.name" | "metadata.namespace")
            || self.origin == Origin::Builtin && builtin::selects_by(&self.id, path)
    }

    /// Kinds whose `metadata.generation` counts changes of what is desired.
    pub(crate) fn has_generation(&self) -> bool {
        self.origin == Origin::Custom || builtin::has_generation(&self.plural)
    }
}

pub(crate) fn resource_id(group: &str, plural: &str) -> String {
    if group.is_empty() {
        plural.to_owned()
    } else {
        format!("{plural}.{group}")
    }
}
