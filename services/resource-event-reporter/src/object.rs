//! Reported fields common to all kinds of objects.

use std::collections::BTreeMap;

use causeway_reporting::{CompressedContent, object::ObjectKey};
use serde::Deserialize;
use serde_json::Value;

use crate::detail::{Detail, Sort};

const TRACKING_ID: &str = "argocd.argoproj.io/tracking-id";
/// Tracking label of older Argo CD versions. Charts write it as well.
const INSTANCE: &str = "app.kubernetes.io/instance";
/// Hook annotations of Argo CD and of Helm, which Argo CD treats as its own.
const HOOKS: [&str; 2] = ["argocd.argoproj.io/hook", "helm.sh/hook"];
const REVISIONS: [&str; 2] = [
    "rollout.argoproj.io/revision",
    "deployment.kubernetes.io/revision",
];
/// Maximum bytes of namespace and name together, both of which Kubernetes bounds.
const MAX_APPLICATION_BYTES: usize = 253;
/// Label that distinguishes the ReplicaSets and AnalysisRuns of a Rollout.
const POD_HASH: &str = "rollouts-pod-template-hash";

/// A redacted object.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) key: ObjectKey,
    pub(crate) resource_version: u64,
    pub(crate) name: TypeName,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) created_at: Option<String>,
    pub(crate) deletion_requested_at: Option<String>,
    pub(crate) owners: Vec<Owner>,
    pub(crate) tracking: Option<Tracking>,
    /// Application named by a label, which counts only if that Application lists the object.
    pub(crate) labelled: Option<Tracking>,
    /// True if a sync creates it as a hook, which no resource list contains reliably.
    pub(crate) is_hook: bool,
    /// Revision of its owner; 0 if none.
    pub(crate) revision: u64,
    /// None for an event and for an oversized manifest.
    pub(crate) manifest: Option<CompressedContent>,
    pub(crate) detail: Detail,
}

/// Fields of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct TypeName {
    /// Empty for the core group.
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

/// Owner of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) of: TypeName,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) controller: bool,
}

/// Application that an object names as its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tracking {
    /// None for the namespace of Argo CD.
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
}

/// Reference to an object to be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnerNode {
    pub(crate) of: TypeName,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
}

/// Name of an object among the resources of an application.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub(crate) struct Named {
    pub(crate) group: String,
    pub(crate) kind: String,
    /// Empty for cluster-wide objects.
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// Origin of an object, from its own metadata.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OwnerChain {
    pub(crate) of: Named,
    pub(crate) tracking: Option<Tracking>,
    pub(crate) labelled: Option<Tracking>,
    pub(crate) is_hook: bool,
    pub(crate) above: Option<OwnerNode>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    namespace: String,
    name: String,
    uid: String,
    resource_version: String,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
    creation_timestamp: Option<String>,
    deletion_timestamp: Option<String>,
    owner_references: Vec<OwnerReference>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct OwnerReference {
    api_version: String,
    kind: String,
    name: String,
    uid: String,
    controller: bool,
}

impl Object {
    /// Reads an object that is already redacted.
    ///
    /// # Errors
    /// The object does not match its schema.
    pub(crate) fn read(mut object: Value, sort: Sort) -> Result<Self, serde_json::Error> {
        drop_nulls(&mut object);
        let metadata = object.get_mut("metadata").map(Value::take);
        let metadata: Metadata = serde_json::from_value(metadata.unwrap_or_default())?;
        let text = |field: &str| {
            object
                .get(field)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let name = TypeName::of(text("apiVersion"), text("kind"));
        let resource_version = metadata.resource_version.parse();
        let resource_version =
            resource_version.map_err(|_| wrong("metadata.resourceVersion is no number"))?;
        let detail = Detail::read(object, sort)?;
        let tracking = metadata.annotations.get(TRACKING_ID);
        let tracking = tracking
            .and_then(|text| Tracking::read(text, &name, &metadata.namespace, &metadata.name));
        let labelled = metadata.labels.get(INSTANCE);
        let labelled = labelled.and_then(|text| Tracking::named(text));
        let is_hook = HOOKS
            .iter()
            .any(|hook| metadata.annotations.contains_key(*hook));
        let revision = REVISIONS
            .iter()
            .find_map(|name| metadata.annotations.get(*name)?.parse().ok());
        Ok(Self {
            key: ObjectKey {
                namespace: metadata.namespace,
                name: metadata.name,
                uid: metadata.uid,
            },
            resource_version,
            name,
            labels: metadata.labels,
            created_at: metadata.creation_timestamp,
            deletion_requested_at: metadata.deletion_timestamp,
            owners: metadata
                .owner_references
                .into_iter()
                .map(Owner::from)
                .collect(),
            tracking,
            labelled,
            is_hook,
            revision: revision.unwrap_or(0),
            manifest: None,
            detail,
        })
    }

    /// Returns the controlling owner.
    pub(crate) fn controller(&self) -> Option<&Owner> {
        self.owners.iter().find(|owner| owner.controller)
    }

    /// Returns the pod template hash of its revision; empty if none.
    pub(crate) fn pod_hash(&self) -> &str {
        self.labels.get(POD_HASH).map_or("", String::as_str)
    }

    /// Returns the origin: the involved object of an event, or else the owner.
    pub(crate) fn owner_chain(&self) -> OwnerChain {
        let above = match self.detail.involved_object() {
            Some(regarding) => Some(regarding.owner_node()),
            None => self.above(),
        };
        OwnerChain {
            of: Named {
                group: self.name.group.clone(),
                kind: self.name.kind.clone(),
                namespace: self.key.namespace.clone(),
                name: self.key.name.clone(),
            },
            tracking: self.tracking.clone(),
            labelled: self.labelled.clone(),
            is_hook: self.is_hook,
            above,
        }
    }

    fn above(&self) -> Option<OwnerNode> {
        let owner = self.controller().or_else(|| self.owners.first())?;
        Some(owner.owner_node(&self.key.namespace))
    }
}

impl TypeName {
    /// Parses the fields `apiVersion` and `kind`.
    pub(crate) fn of(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        }
    }

    /// Returns true for this kind in any version.
    pub(crate) fn is(&self, group: &str, kind: &str) -> bool {
        (self.group.as_str(), self.kind.as_str()) == (group, kind)
    }
}

impl Owner {
    pub(crate) fn owner_node(&self, namespace: &str) -> OwnerNode {
        OwnerNode {
            of: self.of.clone(),
            namespace: namespace.to_owned(),
            name: self.name.clone(),
            uid: self.uid.clone(),
        }
    }
}

impl From<OwnerReference> for Owner {
    fn from(owner: OwnerReference) -> Self {
        Self {
            of: TypeName::of(&owner.api_version, &owner.kind),
            name: owner.name,
            uid: owner.uid,
            controller: owner.controller,
        }
    }
}

impl Tracking {
    /// Parses a tracking annotation. It counts only if it names this object, because a copied manifest keeps the annotation of
    /// its origin.
    fn read(text: &str, of: &TypeName, namespace: &str, name: &str) -> Option<Self> {
        let (application, rest) = text.split_once(':')?;
        let (kind, object) = rest.split_once(':')?;
        let own_kind = kind.split_once('/') == Some((&*of.group, &*of.kind));
        let own_name = object.split_once('/')?.1 == name;
        let own_namespace = namespace.is_empty() || object.split_once('/')?.0 == namespace;
        let own = own_kind && own_name && own_namespace;
        Self::named(application).filter(|_| own)
    }

    /// Parses an Application name. Argo CD writes an Application of another namespace as `namespace_name`.
    fn named(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > MAX_APPLICATION_BYTES {
            return None;
        }
        let (namespace, name) = match text.split_once('_') {
            Some((namespace, name)) => (Some(namespace.to_owned()), name),
            None => (None, text),
        };
        Some(Self {
            namespace,
            name: name.to_owned(),
        })
    }
}

/// Reads the origin of an object from its metadata.
pub(crate) fn owner_chain_of(
    of: &TypeName,
    namespace: &str,
    metadata: &Value,
) -> Result<OwnerChain, serde_json::Error> {
    let object = serde_json::json!({
        "apiVersion": match of.group.as_str() {
            "" => of.version.clone(),
            group => format!("{group}/{}", of.version),
        },
        "kind": of.kind,
        "metadata": metadata,
    });
    let mut owner_chain = Object::read(object, Sort::Other)?.owner_chain();
    if let Some(above) = &mut owner_chain.above {
        namespace.clone_into(&mut above.namespace);
    }
    Ok(owner_chain)
}

fn wrong(cause: &str) -> serde_json::Error {
    serde::de::Error::custom(cause)
}

/// Removes null fields, which are equivalent to absent ones.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(drop_nulls);
        }
        Value::Array(list) => {
            list.retain(|value| !value.is_null());
            list.iter_mut().for_each(drop_nulls);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests;
