//! Applications in the cluster: read, changed, deleted.

mod glance;
pub(crate) mod objects;

use causeway_argocd::{Cluster, ClusterError, redact::Redactor, rest::ApplicationName};
use kube::{
    Api,
    api::{
        ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, Preconditions,
    },
    core::GroupVersionKind,
};
use serde_json::Value;

use self::glance::glance;

/// The cluster's Applications.
#[derive(Clone)]
pub(crate) struct Applications {
    cluster: Cluster,
    resource: ApiResource,
}

/// Why the cluster did not do it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ApplicationsError {
    #[error("there is no such application")]
    NotFound,
    #[error("the application changed meanwhile")]
    Conflict,
    #[error("the cluster refuses the change: {0}")]
    Invalid(String),
    #[error(transparent)]
    Cluster(ClusterError),
}

impl ApplicationsError {
    /// Takes secrets out of what the cluster says in it.
    pub(crate) fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Invalid(said) => *said = redactor.message(said),
            Self::Cluster(error) => error.redact(redactor),
            Self::NotFound | Self::Conflict => {}
        }
    }

    /// True when the request may have taken effect although no response came.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self, Self::Cluster(ClusterError::Unreachable { .. }))
    }
}

impl Applications {
    pub(crate) fn new(cluster: Cluster) -> Self {
        let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
        Self {
            cluster,
            resource: ApiResource::from_gvk_with_plural(&kind, "applications"),
        }
    }

    pub(crate) async fn get(&self, name: &ApplicationName) -> Result<Value, ApplicationsError> {
        let read = self.namespaced(&name.namespace).get(&name.name).await;
        self.value(read)
    }

    /// Applies a merge patch; one with a resource version counts only while the object has it.
    pub(crate) async fn patch(
        &self,
        name: &ApplicationName,
        patch: Value,
    ) -> Result<Value, ApplicationsError> {
        let api = self.namespaced(&name.namespace);
        let patch = Patch::Merge(patch);
        let patched = api.patch(&name.name, &PatchParams::default(), &patch).await;
        self.value(patched)
    }

    /// Deletes the object if it is this very one and as it was; `Conflict` where it has changed or another one has its name.
    pub(crate) async fn delete(
        &self,
        name: &ApplicationName,
        (uid, resource_version): (&str, &str),
    ) -> Result<(), ApplicationsError> {
        let this_one = DeleteParams {
            preconditions: Some(Preconditions {
                uid: Some(uid.to_owned()),
                resource_version: Some(resource_version.to_owned()),
            }),
            ..DeleteParams::default()
        };
        let api = self.namespaced(&name.namespace);
        let deleted = api.delete(&name.name, &this_one).await;
        deleted.map(drop).map_err(|error| self.explain(&error))
    }

    /// Some of all objects in these namespaces, or in all where none is named, to find one that is near; those that can be had at a
    /// glance.
    pub(crate) async fn some(&self, namespaces: &[String]) -> Vec<Value> {
        let everywhere: Api<_> = Api::all_with(self.cluster.client(), &self.resource);
        let places: Vec<Api<DynamicObject>> = match namespaces {
            [] => vec![everywhere],
            named => named.iter().map(|it| self.namespaced(it)).collect(),
        };
        glance(places, async |place: Api<DynamicObject>, limit| {
            let listed = place.list(&ListParams::default().limit(limit)).await;
            let objects = listed.map(|list| list.items).unwrap_or_default();
            let values = objects.into_iter().map(serde_json::to_value);
            values.filter_map(Result::ok).collect()
        })
        .await
    }

    fn namespaced(&self, namespace: &str) -> Api<DynamicObject> {
        Api::namespaced_with(self.cluster.client(), namespace, &self.resource)
    }

    fn value(&self, answer: kube::Result<DynamicObject>) -> Result<Value, ApplicationsError> {
        let object = answer.map_err(|error| self.explain(&error))?;
        serde_json::to_value(object).map_err(|error| ApplicationsError::Invalid(error.to_string()))
    }

    fn explain(&self, error: &kube::Error) -> ApplicationsError {
        let kube::Error::Api(status) = error else {
            return ApplicationsError::Cluster(self.cluster.explain(error));
        };
        // Where the kind itself is absent, the answer names no object.
        let named = status
            .details
            .as_ref()
            .is_some_and(|details| !details.name.is_empty());
        match status.code {
            404 if named => ApplicationsError::NotFound,
            409 => ApplicationsError::Conflict,
            400 | 422 => ApplicationsError::Invalid(status.message.clone()),
            _ => ApplicationsError::Cluster(self.cluster.explain(error)),
        }
    }
}
