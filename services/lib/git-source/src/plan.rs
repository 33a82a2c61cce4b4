//! The three objects of a source. Every field that decides about rights is written, so that nothing can be added beside it.

use serde_json::{Value, json};

use crate::{
    object::{Kind, Object},
    spec::{GroupKind, Spec},
};

/// The cluster of Argo CD itself, as Argo CD writes it.
pub const IN_CLUSTER: &str = "https://kubernetes.default.svc";
pub(crate) const IN_CLUSTER_NAME: &str = "in-cluster";
const ARGO_GROUP: &str = "argoproj.io";
/// Argo CD deletes what the Application made before the Application goes.
const CASCADE: &str = "resources-finalizer.argocd.argoproj.io";

/// Objects that a source consists of, without status.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// AppProject of the source itself: only Applications and their namespace.
    pub source_project: Value,
    /// AppProject of the Applications that come out of it.
    pub application_project: Value,
    /// Application that syncs the folder.
    pub application: Value,
}

/// Name of the project of the source itself.
#[must_use]
pub fn source_project(name: &str) -> String {
    format!("{name}-source")
}

/// Name of the project of the source's Applications.
#[must_use]
pub fn application_project(name: &str) -> String {
    name.to_owned()
}

impl Plan {
    /// Computes the objects. The spec has passed [`Spec::check`].
    #[must_use]
    pub fn of(object: &Object, spec: &Spec) -> Self {
        Self {
            source_project: project(
                object,
                &source_project(&object.name),
                &source_rights(object, spec),
            ),
            application_project: project(
                object,
                &application_project(&object.name),
                &application_rights(object, spec),
            ),
            application: application(object, spec),
        }
    }

    /// All in the order of creation.
    #[must_use]
    pub fn objects(&self) -> [&Value; 3] {
        [
            &self.source_project,
            &self.application_project,
            &self.application,
        ]
    }
}

fn metadata(object: &Object, name: &str) -> Value {
    let mut metadata = json!({
        "name": name,
        "namespace": object.namespace,
        "labels": {
            "app.kubernetes.io/managed-by": "causeway",
            "causeway.dev/git-source": object.name,
        },
    });
    if !object.uid.is_empty() {
        metadata["ownerReferences"] = json!([{
            "apiVersion": object.kind.api_version(),
            "kind": Kind::NAME,
            "name": object.name,
            "uid": object.uid,
            "controller": true,
            "blockOwnerDeletion": true,
        }]);
    }
    metadata
}

fn project(object: &Object, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": metadata(object, name),
        "spec": spec,
    })
}

fn source_rights(object: &Object, spec: &Spec) -> Value {
    json!({
        "description": format!("Git source {}: its folder of Applications", object.name),
        "sourceRepos": [spec.source.repo_url],
        // No namespace but Argo CD's own may use it.
        "sourceNamespaces": [],
        "destinations": [{"server": IN_CLUSTER, "namespace": spec.source_namespace}],
        // Argo CD before 3.2 ignores the name; the content check covers it.
        "clusterResourceWhitelist": [{"group": "", "kind": "Namespace", "name": spec.source_namespace}],
        "clusterResourceBlacklist": [],
        "namespaceResourceWhitelist": [
            {"group": ARGO_GROUP, "kind": "Application"},
            {"group": ARGO_GROUP, "kind": "ApplicationSet"},
        ],
        "namespaceResourceBlacklist": [],
        "roles": [],
    })
}

fn application_rights(object: &Object, spec: &Spec) -> Value {
    let repositories = match spec.source_repos.as_slice() {
        [] => vec![spec.source.repo_url.clone()],
        given => given.to_vec(),
    };
    // In Argo CD an absent list allows all kinds and an empty one none.
    let namespaced = match spec.namespace_resource_allow.as_slice() {
        [] => vec![of_kind("*", "*")],
        given => given.to_vec(),
    };
    let mut denied = spec.namespace_resource_deny.clone();
    for always in [
        of_kind(ARGO_GROUP, "AppProject"),
        of_kind(Kind::Causeway.group(), Kind::NAME),
        of_kind(Kind::Reference.group(), Kind::NAME),
    ] {
        if !denied.contains(&always) {
            denied.push(always);
        }
    }
    json!({
        "description": format!("Git source {}: its Applications", object.name),
        "sourceRepos": repositories,
        "sourceNamespaces": [spec.source_namespace],
        "destinations": spec.destinations,
        "clusterResourceWhitelist": spec.cluster_resource_allow,
        "clusterResourceBlacklist": spec.cluster_resource_deny,
        "namespaceResourceWhitelist": namespaced,
        "namespaceResourceBlacklist": denied,
        "roles": [],
    })
}

fn of_kind(group: &str, kind: &str) -> GroupKind {
    GroupKind {
        group: group.to_owned(),
        kind: kind.to_owned(),
    }
}

fn application(object: &Object, spec: &Spec) -> Value {
    let mut metadata = metadata(object, &object.name);
    metadata["finalizers"] = json!([CASCADE]);
    let mut source = spec.source.clone();
    // Argo CD removes an empty one, which would look like drift.
    source.directory = source
        .directory
        .filter(|directory| *directory != Default::default());
    let policy = spec.sync_policy.clone().unwrap_or_else(|| {
        json!({
            "automated": {"prune": true, "selfHeal": true},
            "syncOptions": ["CreateNamespace=true"],
        })
    });
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": metadata,
        "spec": {
            "project": source_project(&object.name),
            "source": source,
            "destination": {"server": IN_CLUSTER, "namespace": spec.source_namespace},
            "syncPolicy": policy,
        },
    })
}
