//! Resources of any kind in the cluster: which kinds there are, and objects of them.

use std::{sync::Arc, time::Duration};

use causeway_argocd::Cluster;
use kube::{
    Api,
    api::{ApiResource, DeleteParams, DynamicObject, Preconditions, PropagationPolicy},
    discovery::{self, Scope},
};
use moka::future::Cache;
use serde_json::Value;

use super::{ResourceName, SubjectError};
use crate::resource::{Cascade, DeleteOrder, DeletionMode};

const KINDS_REMEMBERED: u64 = 1_000;
/// A kind may be served in another version by then.
const REMEMBERED_FOR: Duration = Duration::from_secs(60);

/// A kind of the cluster.
#[derive(Debug, Clone)]
pub(crate) struct Kind {
    pub(crate) resource: ApiResource,
    pub(crate) namespaced: bool,
}

/// Result of reading an owner.
pub(super) enum OwnerRead {
    /// Its metadata.
    There(Value),
    Gone,
    /// It may not be read.
    Closed,
}

/// What came of a deletion.
pub(crate) enum Deleted {
    /// The object is gone.
    Gone,
    /// It goes later.
    Asked,
    /// There was none with this uid.
    Absent,
}

/// The cluster's objects of every kind. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Resources {
    cluster: Cluster,
    kinds: Cache<(String, String), Arc<Kind>>,
}

impl Kind {
    /// Whether objects of this kind are named so.
    pub(super) fn check(&self, name: &ResourceName) -> Result<(), SubjectError> {
        if self.namespaced == name.namespace.is_empty() {
            Err(SubjectError::Namespace {
                kind: name.kind.clone(),
                namespaced: self.namespaced,
            })
        } else {
            Ok(())
        }
    }
}

impl Resources {
    pub(super) fn new(cluster: Cluster) -> Self {
        let kinds = Cache::builder()
            .max_capacity(KINDS_REMEMBERED)
            .time_to_live(REMEMBERED_FOR);
        Self {
            cluster,
            kinds: kinds.build(),
        }
    }

    pub(crate) fn client(&self) -> kube::Client {
        self.cluster.client()
    }

    /// A kind as the cluster serves it.
    ///
    /// # Errors
    /// There is none, or the cluster does not answer.
    pub(crate) async fn kind(&self, group: &str, kind: &str) -> Result<Arc<Kind>, SubjectError> {
        let key = (group.to_owned(), kind.to_owned());
        let found = self.kinds.try_get_with(key, self.discover(group, kind));
        found
            .await
            .map_err(|error: Arc<SubjectError>| SubjectError::clone(&error))
    }

    async fn discover(&self, group: &str, kind: &str) -> Result<Arc<Kind>, SubjectError> {
        let unknown = || SubjectError::UnknownKind {
            group: group.to_owned(),
            kind: kind.to_owned(),
        };
        let served = match discovery::group(&self.cluster.client(), group).await {
            Ok(served) => served,
            Err(kube::Error::Discovery(_)) => return Err(unknown()),
            Err(kube::Error::Api(status)) if status.code == 404 => return Err(unknown()),
            Err(error) => return Err(self.explain(&error)),
        };
        let (resource, capabilities) = served.recommended_kind(kind).ok_or_else(unknown)?;
        Ok(Arc::new(Kind {
            resource,
            namespaced: capabilities.scope == Scope::Namespaced,
        }))
    }

    /// The objects of a kind at a place.
    pub(crate) fn api(&self, kind: &Kind, namespace: &str) -> Api<DynamicObject> {
        let client = self.cluster.client();
        match namespace {
            "" => Api::all_with(client, &kind.resource),
            namespace => Api::namespaced_with(client, namespace, &kind.resource),
        }
    }

    pub(super) async fn get(
        &self,
        kind: &Kind,
        name: &ResourceName,
    ) -> Result<Option<Value>, SubjectError> {
        let read = self.api(kind, &name.namespace).get_opt(&name.name).await;
        let Some(object) = read.map_err(|error| self.explain(&error))? else {
            return Ok(None);
        };
        to_value(object).map(Some)
    }

    /// Deletes the object that has the uid of the order, and no other one.
    ///
    /// # Errors
    /// The cluster refuses it or does not answer.
    pub(crate) async fn delete(
        &self,
        kind: &Kind,
        order: &DeleteOrder,
    ) -> Result<Deleted, SubjectError> {
        let name = &order.name;
        let api = self.api(kind, &name.namespace);
        let current = async || {
            let seen = self.metadata(kind, name).await?;
            Ok::<_, SubjectError>(
                matches!(seen, OwnerRead::There(metadata) if name.means(&metadata)),
            )
        };
        match api.delete(&name.name, &parameters(order)).await {
            Ok(_) if current().await? => Ok(Deleted::Asked),
            Ok(_) => Ok(Deleted::Gone),
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(Deleted::Absent),
            // Another object has taken its place.
            Err(kube::Error::Api(status)) if status.code == 409 && !current().await? => {
                Ok(Deleted::Absent)
            }
            Err(error) => Err(self.explain(&error)),
        }
    }

    pub(super) async fn metadata(
        &self,
        kind: &Kind,
        name: &ResourceName,
    ) -> Result<OwnerRead, SubjectError> {
        let api = self.api(kind, &name.namespace);
        match api.get_metadata_opt(&name.name).await {
            Ok(Some(object)) => Ok(OwnerRead::There(to_value(object)?)),
            Ok(None) => Ok(OwnerRead::Gone),
            Err(kube::Error::Api(status)) if status.code == 403 => Ok(OwnerRead::Closed),
            Err(error) => Err(self.explain(&error)),
        }
    }

    /// What an error of a call about some object means.
    pub(crate) fn explain(&self, error: &kube::Error) -> SubjectError {
        if let kube::Error::Api(status) = error {
            let said = || status.message.clone();
            match status.code {
                409 => return SubjectError::Conflict(said()),
                400 | 404 | 405 | 422 => return SubjectError::Invalid(said()),
                _ => {}
            }
        }
        SubjectError::Cluster(self.cluster.explain(error))
    }
}

fn parameters(order: &DeleteOrder) -> DeleteParams {
    DeleteParams {
        grace_period_seconds: (order.ending == DeletionMode::Forced).then_some(0),
        propagation_policy: Some(match order.cascade {
            Cascade::Background => PropagationPolicy::Background,
            Cascade::Foreground => PropagationPolicy::Foreground,
            Cascade::Orphan => PropagationPolicy::Orphan,
        }),
        preconditions: Some(Preconditions {
            uid: order.name.uid.clone(),
            resource_version: None,
        }),
        ..DeleteParams::default()
    }
}

pub(crate) fn to_value(object: impl serde::Serialize) -> Result<Value, SubjectError> {
    serde_json::to_value(object).map_err(|error| SubjectError::Invalid(error.to_string()))
}
