//! An Application as read: its `spec`, a requested operation, and the status last written.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    manifest::{ResourceKey, annotation, items, metadata},
    operation::Operation,
    origin::Origin,
    status::Status,
};

pub(crate) const REFRESH: &str = "argocd.argoproj.io/refresh";
/// "true" on an Application that is left as it is.
pub(crate) const SKIP: &str = "argocd.argoproj.io/skip-reconcile";
pub(crate) const FINALIZER: &str = "resources-finalizer.argocd.argoproj.io";
const IN_CLUSTER: &str = "https://kubernetes.default.svc";

/// Namespace and name of an Application.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ApplicationKey {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl fmt::Display for ApplicationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

impl ApplicationKey {
    pub(crate) fn of(value: &Value) -> Self {
        Self {
            namespace: metadata(value, "namespace").to_owned(),
            name: metadata(value, "name").to_owned(),
        }
    }

    /// The name in tracking annotations: bare in Argo CD's own namespace, `<namespace>_<name>` elsewhere.
    pub(crate) fn instance(&self, control_plane: &str) -> String {
        if self.namespace == control_plane {
            self.name.clone()
        } else {
            format!("{}_{}", self.namespace, self.name)
        }
    }

    /// The other way round.
    pub(crate) fn from_instance(instance: &str, control_plane: &str) -> Self {
        let (namespace, name) = instance
            .split_once('_')
            .unwrap_or((control_plane, instance));
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Spec {
    pub(crate) source: Option<Value>,
    pub(crate) sources: Vec<Value>,
    pub(crate) destination: Destination,
    pub(crate) project: String,
    pub(crate) sync_policy: SyncPolicy,
    pub(crate) revision_history_limit: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Source {
    #[serde(rename = "repoURL")]
    pub(crate) repo_url: String,
    pub(crate) path: String,
    pub(crate) target_revision: String,
    pub(crate) chart: String,
    /// what others call this source by
    pub(crate) r#ref: String,
    pub(crate) directory: Directory,
}

impl Source {
    /// True when the source names a path, a chart or a reference.
    pub(crate) fn is_placed(&self) -> bool {
        !self.path.is_empty() || !self.chart.is_empty() || !self.r#ref.is_empty()
    }

    /// True for a source that only provides files to others.
    pub(crate) fn is_reference(&self) -> bool {
        self.path.is_empty() && self.chart.is_empty()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Directory {
    pub(crate) recurse: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Destination {
    pub(crate) server: String,
    pub(crate) name: String,
    pub(crate) namespace: String,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SyncPolicy {
    pub(crate) automated: Option<Automated>,
    pub(crate) sync_options: Vec<String>,
    pub(crate) retry: Option<Retry>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Automated {
    pub(crate) enabled: Option<bool>,
    pub(crate) prune: bool,
    pub(crate) self_heal: bool,
    pub(crate) allow_empty: bool,
}

/// Retries of a failed sync; a negative limit means forever.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Retry {
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) limit: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) backoff: Option<Backoff>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Backoff {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) duration: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) factor: Option<i64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) max_duration: String,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes the field by reference"
)]
pub(super) fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// Extent of a requested refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refresh {
    Normal,
    /// also forgets what was rendered before
    Hard,
}

/// A parsed Application and, beside it, the object as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Application {
    pub(crate) key: ApplicationKey,
    pub(crate) spec: Spec,
    pub(crate) operation: Option<Operation>,
    pub(crate) status: Status,
    pub(crate) refresh: Option<Refresh>,
    pub(crate) object: Value,
}

/// Invalid spec; the message becomes its `InvalidSpecError` condition.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpecError {
    #[error("application spec is invalid: {0}")]
    Malformed(String),
    #[error("spec.source.repoURL and either spec.source.path or spec.source.chart are required")]
    NoSource,
    #[error("Application referencing project {0} which does not exist")]
    NoProject(String),
    #[error(
        "application destination server and namespace are missing: set spec.destination.server or spec.destination.name"
    )]
    NoDestination,
    #[error("application destination can't have both name and server defined: {name} {server}")]
    BothDestinations { name: String, server: String },
    #[error("there are no clusters with this name: {0}")]
    UnknownClusterName(String),
    #[error(
        "error getting cluster by server {0:?}: rpc error: code = NotFound desc = cluster {0:?} not found"
    )]
    UnknownCluster(String),
}

impl Application {
    /// Errors: [`SpecError::Malformed`] when a field has another type than it should have.
    pub(crate) fn parse(object: Value) -> Result<Self, SpecError> {
        let spec = object.get("spec").unwrap_or(&Value::Null);
        let spec =
            Spec::deserialize(spec).map_err(|error| SpecError::Malformed(error.to_string()))?;
        for source in spec.source.iter().chain(&spec.sources) {
            let sound = Source::deserialize(source).map(drop);
            sound.map_err(|error| SpecError::Malformed(error.to_string()))?;
        }
        let operation = match object
            .get("operation")
            .filter(|operation| !operation.is_null())
        {
            None => None,
            Some(operation) => {
                let parsed = Operation::deserialize(operation);
                Some(parsed.map_err(|error| SpecError::Malformed(format!("operation: {error}")))?)
            }
        };
        // a status in the shape of another version is computed again
        let status = object
            .get("status")
            .and_then(|status| Status::deserialize(status).ok());
        let refresh = annotation(&object, REFRESH).map(|level| match level {
            "hard" => Refresh::Hard,
            _ => Refresh::Normal,
        });
        let key = ApplicationKey::of(&object);
        Ok(Self {
            key,
            spec,
            operation,
            status: status.unwrap_or_default(),
            refresh,
            object,
        })
    }

    /// Parses the source or sources.
    pub(crate) fn origin(&self) -> Result<Origin, SpecError> {
        Origin::parse(self.spec.source.as_ref(), &self.spec.sources)
    }

    /// Destination with the cluster's address.
    pub(crate) fn destination(&self) -> Destination {
        let destination = self.spec.destination.clone();
        let server = match destination.server.as_str() {
            "" => IN_CLUSTER.to_owned(),
            server => server.to_owned(),
        };
        Destination {
            server,
            ..destination
        }
    }

    /// Only the cluster that this stand-in lives in can be deployed to.
    pub(crate) fn check_destination(&self) -> Result<(), SpecError> {
        let Destination { server, name, .. } = &self.spec.destination;
        match (server.as_str(), name.as_str()) {
            ("", "") => Err(SpecError::NoDestination),
            (IN_CLUSTER, "") | ("", "in-cluster") => Ok(()),
            ("", _) => Err(SpecError::UnknownClusterName(name.clone())),
            (_, "") => Err(SpecError::UnknownCluster(server.clone())),
            (_, _) => Err(SpecError::BothDestinations {
                name: name.clone(),
                server: server.clone(),
            }),
        }
    }

    pub(crate) fn is_deleting(&self) -> bool {
        !metadata(&self.object, "deletionTimestamp").is_empty()
    }

    /// Finalizers of ours: their presence means that deleting takes the resources along.
    pub(crate) fn cascades(&self) -> bool {
        items(&self.object, "/metadata/finalizers")
            .iter()
            .any(is_ours)
    }

    /// Finalizers that remain once the resources are deleted.
    pub(crate) fn other_finalizers(&self) -> Vec<Value> {
        items(&self.object, "/metadata/finalizers")
            .iter()
            .filter(|one| !is_ours(one))
            .cloned()
            .collect()
    }

    pub(crate) fn has_sync_option(&self, option: &str) -> bool {
        self.spec
            .sync_policy
            .sync_options
            .iter()
            .any(|one| one == option)
    }

    /// An Application whose manifests hold itself must not wait for itself.
    pub(crate) fn is_self(&self, key: &ResourceKey) -> bool {
        key.kind == "Application"
            && key.name == self.key.name
            && key.namespace == self.key.namespace
    }
}

fn is_ours(finalizer: &Value) -> bool {
    let name = finalizer.as_str().unwrap_or("");
    name == FINALIZER
        || name
            .strip_prefix(FINALIZER)
            .is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
