//! A RestrictedGitSource as the cluster holds it: identity, spec and status.

use serde_json::{Value, json};

use crate::{refusal::Refusal, spec::Spec};

/// A kind of the object: ours, or the reference's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Causeway,
    Reference,
}

/// An object of either kind. The spec is read on its own, since a malformed one must not hide the object.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    pub kind: Kind,
    pub namespace: String,
    pub name: String,
    pub uid: String,
    /// Creation time as text; texts of this format compare as times do.
    pub created: String,
    pub generation: i64,
    pub is_deleting: bool,
    pub finalizers: Vec<String>,
    pub spec: Result<Spec, Refusal>,
    pub status: Value,
}

impl Kind {
    pub const ALL: [Self; 2] = [Self::Causeway, Self::Reference];
    /// The kind's name in both groups.
    pub const NAME: &str = "RestrictedGitSource";
    pub const PLURAL: &str = "restrictedgitsources";

    #[must_use]
    pub fn group(self) -> &'static str {
        match self {
            Self::Causeway => "causeway.dev",
            Self::Reference => "codefresh.io",
        }
    }

    #[must_use]
    pub fn version(self) -> &'static str {
        match self {
            Self::Causeway => "v1",
            Self::Reference => "v1beta1",
        }
    }

    #[must_use]
    pub fn api_version(self) -> String {
        format!("{}/{}", self.group(), self.version())
    }
}

impl Object {
    /// Reads an object; absent fields are empty.
    #[must_use]
    pub fn read(kind: Kind, object: &Value) -> Self {
        let metadata = |field: &str| text(object, &format!("/metadata/{field}")).to_owned();
        let finalizers = object.pointer("/metadata/finalizers");
        let finalizers = finalizers.and_then(Value::as_array).into_iter().flatten();
        Self {
            kind,
            namespace: metadata("namespace"),
            name: metadata("name"),
            uid: metadata("uid"),
            created: metadata("creationTimestamp"),
            generation: object
                .pointer("/metadata/generation")
                .and_then(Value::as_i64)
                .unwrap_or_default(),
            is_deleting: object.pointer("/metadata/deletionTimestamp").is_some(),
            finalizers: finalizers
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            spec: Spec::read(object.get("spec").unwrap_or(&Value::Null)),
            status: object.get("status").cloned().unwrap_or_else(|| json!({})),
        }
    }

    /// The namespace that the last accepted spec used; empty before.
    #[must_use]
    pub fn accepted_namespace(&self) -> &str {
        text(&self.status, "/sourceNamespace")
    }

    /// The namespace to look for Applications in.
    #[must_use]
    pub fn namespace_in_use(&self) -> Option<&str> {
        match (self.accepted_namespace(), &self.spec) {
            ("", Ok(spec)) => Some(&spec.source_namespace),
            ("", Err(_)) => None,
            (accepted, _) => Some(accepted),
        }
    }

    /// The name with its group, for messages.
    #[must_use]
    pub fn described(&self) -> String {
        match self.kind {
            Kind::Causeway => self.name.clone(),
            Kind::Reference => format!("{} ({})", self.name, self.kind.group()),
        }
    }
}

/// Whether an object has this owner.
#[must_use]
pub fn is_owned_by(object: &Value, uid: &str) -> bool {
    let owners = object.pointer("/metadata/ownerReferences");
    let mut owners = owners.and_then(Value::as_array).into_iter().flatten();
    !uid.is_empty() && owners.any(|owner| text(owner, "/uid") == uid)
}

/// The text at a JSON pointer; empty if absent.
#[must_use]
pub fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}
