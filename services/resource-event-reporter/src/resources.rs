//! Kubernetes resources as reported kinds.

use causeway_argocd::redact::Redactor;
use causeway_proto::inventory::v1 as pb;
use causeway_reporting::{
    CompressedContent, Content, DeletionPolicy, Digest, Kind, ReportedKind,
    object::{Malformed, ObjectKey},
};
use serde_json::Value;

use crate::{convert, detail::Sort, object::Object, owners::Owners};

/// Maximum bytes of the cause of an unreadable object.
const MAX_CAUSE_BYTES: usize = 200;

/// Reported kind of Kubernetes objects.
#[derive(Debug, Clone)]
pub(crate) struct Resources {
    kind: Kind,
    name: String,
    sort: Sort,
    redactor: Redactor,
}

impl Resources {
    /// Creates the kind, whose objects `redactor` redacts.
    pub(crate) fn new(kind: Kind, redactor: Redactor) -> Self {
        Self {
            name: kind.name(),
            sort: Sort::of(&kind),
            kind,
            redactor,
        }
    }
}

impl ReportedKind for Resources {
    type Object = Object;
    type Enrichment = Owners;

    fn kind(&self) -> &Kind {
        &self.kind
    }

    fn noun(&self) -> &str {
        &self.name
    }

    fn read(&self, mut object: Value) -> Result<Option<Object>, Malformed> {
        let (key, resource_version) = describe_unreadable(&object);
        self.redactor.manifest(&mut object);
        let manifest = if self.sort == Sort::Event {
            None
        } else {
            Content::from_object(&mut object).and_then(|content| CompressedContent::new(&content))
        };
        match Object::read(object, self.sort) {
            Ok(object) => Ok(self
                .is_reported(&object)
                .then_some(Object { manifest, ..object })),
            Err(error) => Err(Malformed {
                key,
                resource_version,
                cause: remove_quoted(&error.to_string())
                    .chars()
                    .take(MAX_CAUSE_BYTES)
                    .collect(),
            }),
        }
    }

    fn key(object: &Object) -> ObjectKey {
        object.key.clone()
    }

    fn resource_version(object: &Object) -> u64 {
        object.resource_version
    }

    fn to_change(&self, object: &Object, owners: &Owners) -> Option<(pb::report::Change, Digest)> {
        let belongs_to_none = self.sort == Sort::Event && owners.application.is_none();
        if !owners.is_known() || belongs_to_none {
            return None;
        }
        let (state, root) = convert::to_state(object, owners);
        Some((pb::report::Change::Resource(state), root))
    }

    fn manifest(&self, object: &Object) -> Option<Content> {
        object
            .manifest
            .as_ref()
            .and_then(CompressedContent::decompress)
    }

    fn deletion_policy(&self) -> DeletionPolicy {
        if self.sort == Sort::Event {
            DeletionPolicy::Ignore
        } else {
            DeletionPolicy::Report
        }
    }
}

impl Resources {
    /// Returns the name of the kind in reports.
    pub(crate) fn name(&self) -> String {
        self.name.clone()
    }

    /// Returns true for objects to report: of ReplicaSets only those of a Rollout or a Deployment.
    fn is_reported(&self, object: &Object) -> bool {
        let made = || {
            let maker = object.controller().map(|owner| &owner.of);
            maker.is_some_and(|of| of.is("argoproj.io", "Rollout") || of.is("apps", "Deployment"))
        };
        self.sort != Sort::ReplicaSet || made()
    }
}

/// Identifies an unreadable object as far as possible.
fn describe_unreadable(object: &Value) -> (ObjectKey, String) {
    let text = |field: &str| {
        let value = object
            .get("metadata")
            .and_then(|metadata| metadata.get(field));
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let key = ObjectKey {
        namespace: text("namespace"),
        name: text("name"),
        uid: text("uid"),
    };
    (key, text("resourceVersion"))
}

/// Removes quoted values from an error.
fn remove_quoted(cause: &str) -> String {
    match (cause.find('"'), cause.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            format!("{}\"…\"{}", &cause[..first], &cause[last + 1..])
        }
        _ => cause.to_owned(),
    }
}

#[cfg(test)]
mod tests;
