//! Objects of one kind in the cluster, other than Applications: read, listed, made, patched.

use std::time::Duration;

use causeway_argocd::{Cluster, ClusterError, redact::Redactor};
use kube::{
    Api,
    api::{ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use serde_json::Value;
use tokio::time::timeout;

const WITHIN: Duration = Duration::from_secs(15);
const PAGE: u32 = 500;
/// Of a kind no more is listed.
const MOST: usize = 10_000;

/// The objects of a kind. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Objects {
    cluster: Cluster,
    resource: ApiResource,
}

/// An object of a kind, by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectName {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// Why the cluster did not do it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ObjectError {
    #[error("there is no such object")]
    NotFound,
    #[error("the cluster has no {0}: what makes them is not installed there")]
    NoKind(String),
    #[error("there is such an object already")]
    Exists,
    #[error("the object changed meanwhile")]
    Conflict,
    #[error("the cluster refuses it: {0}")]
    Invalid(String),
    #[error(transparent)]
    Cluster(ClusterError),
}

impl ObjectError {
    /// Takes secrets out of what the cluster says in it.
    pub(crate) fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Invalid(said) => *said = redactor.message(said),
            Self::Cluster(error) => error.redact(redactor),
            Self::NotFound | Self::NoKind(_) | Self::Exists | Self::Conflict => {}
        }
    }
}

impl Objects {
    /// Of a kind by its group, version, kind and name in addresses.
    pub(crate) fn new(
        cluster: Cluster,
        (group, version, kind, plural): (&str, &str, &str, &str),
    ) -> Self {
        let kind = GroupVersionKind::gvk(group, version, kind);
        let resource = ApiResource::from_gvk_with_plural(&kind, plural);
        Self { cluster, resource }
    }

    pub(crate) async fn get(&self, name: &ObjectName) -> Result<Value, ObjectError> {
        let api = self.of(&name.namespace);
        self.value(api.get(&name.name)).await
    }

    /// Makes an object.
    pub(crate) async fn create(
        &self,
        namespace: &str,
        object: &Value,
    ) -> Result<Value, ObjectError> {
        let object: DynamicObject = serde_json::from_value(object.clone())
            .map_err(|error| ObjectError::Invalid(error.to_string()))?;
        let api = self.of(namespace);
        self.value(api.create(&PostParams::default(), &object))
            .await
    }

    /// Deletes an object.
    pub(crate) async fn delete(&self, name: &ObjectName) -> Result<(), ObjectError> {
        let api = self.of(&name.namespace);
        let params = DeleteParams::default();
        self.within(api.delete(&name.name, &params)).await.map(drop)
    }

    /// Applies a merge patch; one with a resource version counts only while the object has it.
    pub(crate) async fn patch(
        &self,
        name: &ObjectName,
        patch: &Value,
    ) -> Result<Value, ObjectError> {
        let api = self.of(&name.namespace);
        let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
        self.value(api.patch(&name.name, &params, &patch)).await
    }

    /// The same of the status; where the kind has none of its own, of the object.
    pub(crate) async fn patch_status(
        &self,
        name: &ObjectName,
        patch: &Value,
    ) -> Result<Value, ObjectError> {
        let api = self.of(&name.namespace);
        let (params, merge) = (PatchParams::default(), Patch::Merge(patch));
        match self
            .value(api.patch_status(&name.name, &params, &merge))
            .await
        {
            Err(ObjectError::NotFound | ObjectError::NoKind(_)) => self.patch(name, patch).await,
            answer => answer,
        }
    }

    /// All of a namespace, or of the cluster for an empty one.
    pub(crate) async fn list(&self, namespace: &str) -> Result<Vec<Value>, ObjectError> {
        self.list_by(namespace, "").await
    }

    /// The same with labels by this selector.
    pub(crate) async fn list_by(
        &self,
        namespace: &str,
        labels: &str,
    ) -> Result<Vec<Value>, ObjectError> {
        let api = match namespace {
            "" => Api::all_with(self.cluster.client(), &self.resource),
            namespace => self.of(namespace),
        };
        let params = ListParams::default().limit(PAGE).labels(labels);
        let (mut objects, mut params) = (Vec::new(), params);
        loop {
            let listed = self.within(api.list(&params)).await?;
            for object in listed.items {
                objects.push(to_value(object)?);
            }
            match listed.metadata.continue_.filter(|it| !it.is_empty()) {
                Some(token) if objects.len() < MOST => params = params.continue_token(&token),
                _ => return Ok(objects),
            }
        }
    }

    /// Those of a namespace that are wanted. Others are dropped page by page.
    pub(crate) async fn list_where(
        &self,
        namespace: &str,
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Result<Vec<Value>, ObjectError> {
        let api = self.of(namespace);
        let (mut objects, mut params) = (Vec::new(), ListParams::default().limit(PAGE));
        loop {
            let listed = self.within(api.list(&params)).await?;
            for object in listed.items {
                objects.extend(Some(to_value(object)?).filter(&is_wanted));
            }
            match listed.metadata.continue_.filter(|it| !it.is_empty()) {
                Some(token) if objects.len() < MOST => params = params.continue_token(&token),
                _ => return Ok(objects),
            }
        }
    }

    fn of(&self, namespace: &str) -> Api<DynamicObject> {
        Api::namespaced_with(self.cluster.client(), namespace, &self.resource)
    }

    async fn value(
        &self,
        asked: impl Future<Output = kube::Result<DynamicObject>>,
    ) -> Result<Value, ObjectError> {
        to_value(self.within(asked).await?)
    }

    async fn within<T>(
        &self,
        asked: impl Future<Output = kube::Result<T>>,
    ) -> Result<T, ObjectError> {
        let late = |_| {
            ObjectError::Cluster(ClusterError::Unreachable {
                url: self.cluster.url().to_owned(),
                cause: format!("no answer within {} s", WITHIN.as_secs()),
            })
        };
        let answer = timeout(WITHIN, asked).await.map_err(late)?;
        answer.map_err(|error| self.explain(&error))
    }

    fn explain(&self, error: &kube::Error) -> ObjectError {
        let kube::Error::Api(status) = error else {
            return ObjectError::Cluster(self.cluster.explain(error));
        };
        // Where the kind itself is absent, the answer names no object.
        let details = status.details.as_ref();
        let named = details.is_some_and(|details| !details.name.is_empty());
        match status.code {
            404 if named => ObjectError::NotFound,
            404 => {
                let ApiResource { plural, group, .. } = &self.resource;
                ObjectError::NoKind(format!("{plural}.{group}"))
            }
            409 if status.reason == "AlreadyExists" => ObjectError::Exists,
            409 => ObjectError::Conflict,
            400 | 422 => ObjectError::Invalid(status.message.clone()),
            _ => ObjectError::Cluster(self.cluster.explain(error)),
        }
    }
}

fn to_value(object: DynamicObject) -> Result<Value, ObjectError> {
    serde_json::to_value(object).map_err(|error| ObjectError::Invalid(error.to_string()))
}
