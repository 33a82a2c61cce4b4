//! Writes to the cluster, in the way of `kubectl apply`, and the words that Argo CD reports them with.

use http::Request;
use kube::{
    Resource,
    api::DynamicObject,
    core::{
        Request as ResourceRequest,
        params::{DeleteParams, GetParams, Patch, PatchParams, PostParams},
    },
};
use serde_json::{Value, json};

use super::{
    compare::last_applied,
    live::{Live, ServedKind},
    manifest::{GroupKind, LAST_APPLIED, ResourceKey, metadata, remove_annotation, set_annotation},
    predict::{merge_patch, predict},
};

const MANAGER: &str = "argocd-controller";

/// Failure of a request to the cluster.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClusterError {
    #[error(
        "The Kubernetes API could not find {group}/{kind} for requested resource {namespace}/{name}. Make sure the \"{kind}\" CRD is installed on the destination cluster."
    )]
    UnknownKind {
        group: String,
        kind: String,
        namespace: String,
        name: String,
    },
    #[error("{message}")]
    Refused { code: u16, message: String },
    #[error("the list of {kind} objects did not come in time")]
    NotListed { kind: String },
    #[error("the Kubernetes API does not answer: {0}")]
    Unreachable(#[source] Box<kube::Error>),
}

impl From<kube::Error> for ClusterError {
    fn from(error: kube::Error) -> Self {
        if let kube::Error::Api(status) = &error {
            return Self::Refused {
                code: status.code,
                message: status.message.clone(),
            };
        }
        Self::Unreachable(Box::new(error))
    }
}

impl ClusterError {
    pub(super) fn is(&self, wanted: u16) -> bool {
        matches!(self, Self::Refused { code, .. } if *code == wanted)
    }

    pub(crate) fn unknown_kind(kind: &GroupKind, key: &ResourceKey) -> Self {
        let ResourceKey {
            namespace, name, ..
        } = key.clone();
        Self::UnknownKind {
            group: kind.group.clone(),
            kind: kind.kind.clone(),
            namespace,
            name,
        }
    }
}

impl Live {
    /// Makes the live object as the target wants it. Gives what was done: `service/web created`.
    pub(crate) async fn apply(
        &self,
        key: &ResourceKey,
        target: &Value,
    ) -> Result<String, ClusterError> {
        let served = self.served_for(key, target).await?;
        let target = with_last_applied(target);
        if self.get(key).is_none() {
            match self.create(&served, key, &target).await {
                Ok(live) => return Ok(self.done(&served, live, "created")),
                // another writer or the watch was faster: continue with the stored object
                Err(error) if error.is(409) => drop(self.reread(&served, key).await?),
                Err(error) => return Err(error),
            }
        }
        let live = self.get(key).unwrap_or_default();
        let patch = merge_patch(
            &live,
            &predict(&target, last_applied(&live).as_ref(), &live),
        );
        if patch.as_object().is_some_and(serde_json::Map::is_empty) {
            return Ok(self.done(&served, live, "unchanged"));
        }
        let patched = self.patch(&served, key, &patch).await?;
        Ok(self.done(&served, patched, "configured"))
    }

    fn done(&self, served: &ServedKind, live: Value, verb: &str) -> String {
        let key = ResourceKey {
            group: served.resource.group.clone(),
            kind: served.resource.kind.clone(),
            namespace: String::new(),
            name: metadata(&live, "name").to_owned(),
        };
        let message = described(&key, verb);
        self.put(live);
        message
    }

    async fn served_for(
        &self,
        key: &ResourceKey,
        value: &Value,
    ) -> Result<ServedKind, ClusterError> {
        let kind =
            GroupKind::of(value).unwrap_or_else(|| GroupKind::new(&key.group, "", &key.kind));
        let served = self.served(&kind).await?;
        served.ok_or_else(|| ClusterError::unknown_kind(&kind, key))
    }

    async fn create(
        &self,
        served: &ServedKind,
        key: &ResourceKey,
        target: &Value,
    ) -> Result<Value, ClusterError> {
        let params = PostParams {
            field_manager: Some(MANAGER.to_owned()),
            ..PostParams::default()
        };
        let body = serde_json::to_vec(target).expect("a JSON value always serialises");
        let request = request(served, key)
            .create(&params, body)
            .map_err(kube::Error::BuildRequest)?;
        self.send(request).await
    }

    /// Reads an object past the picture, and takes it into the picture.
    pub(crate) async fn reread(
        &self,
        served: &ServedKind,
        key: &ResourceKey,
    ) -> Result<Value, ClusterError> {
        let request = request(served, key)
            .get(&key.name, &GetParams::default())
            .map_err(kube::Error::BuildRequest)?;
        let value = self.send(request).await?;
        self.put(value.clone());
        Ok(value)
    }

    /// A JSON merge patch of an object.
    pub(crate) async fn patch(
        &self,
        served: &ServedKind,
        key: &ResourceKey,
        patch: &Value,
    ) -> Result<Value, ClusterError> {
        let params = PatchParams {
            field_manager: Some(MANAGER.to_owned()),
            ..PatchParams::default()
        };
        let request = request(served, key)
            .patch(&key.name, &params, &Patch::Merge(patch))
            .map_err(kube::Error::BuildRequest)?;
        self.send(request).await
    }

    /// Deletes an object and, first, what it owns. One that is gone already is no error.
    pub(crate) async fn delete(&self, key: &ResourceKey, live: &Value) -> Result<(), ClusterError> {
        let served = self.served_for(key, live).await?;
        let request = request(&served, key)
            .delete(&key.name, &DeleteParams::foreground())
            .map_err(kube::Error::BuildRequest)?;
        match self.send(request).await {
            Ok(_) => Ok(()),
            Err(error) if error.is(404) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn create_namespace(&self, name: &str) -> Result<(), ClusterError> {
        let kind = GroupKind::new("", "v1", "Namespace");
        let key = ResourceKey {
            kind: "Namespace".to_owned(),
            name: name.to_owned(),
            ..ResourceKey::default()
        };
        let served = self
            .watch(&kind)
            .await?
            .ok_or_else(|| ClusterError::unknown_kind(&kind, &key))?;
        if self.get(&key).is_some() {
            return Ok(());
        }
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        match self.create(&served, &key, &namespace).await {
            Ok(_) => Ok(()),
            Err(error) if error.is(409) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn send(&self, request: Request<Vec<u8>>) -> Result<Value, ClusterError> {
        Ok(self.client().request::<Value>(request).await?)
    }
}

/// `deployment.apps/web created`
pub(crate) fn described(key: &ResourceKey, verb: &str) -> String {
    let kind = key.kind.to_lowercase();
    let name = &key.name;
    match key.group.as_str() {
        "" => format!("{kind}/{name} {verb}"),
        group => format!("{kind}.{group}/{name} {verb}"),
    }
}

fn request(served: &ServedKind, key: &ResourceKey) -> ResourceRequest {
    let namespace = Some(key.namespace.as_str()).filter(|_| served.namespaced);
    ResourceRequest::new(DynamicObject::url_path(&served.resource, namespace))
}

/// Adds the last-applied annotation, as `kubectl apply` does.
fn with_last_applied(target: &Value) -> Value {
    let mut bare = target.clone();
    remove_annotation(&mut bare, LAST_APPLIED);
    let mut target = bare.clone();
    set_annotation(&mut target, LAST_APPLIED, format!("{bare}\n"));
    target
}
