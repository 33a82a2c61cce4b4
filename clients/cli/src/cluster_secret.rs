//! One Secret of a cluster as a set of files. It must be there: nothing here makes or lists Secrets, so get and patch on this one by
//! its name are all that it takes.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_argocd::{Cluster, KubeArgs};
use kube::{
    Api,
    api::{ApiResource, DynamicObject, Patch, PatchParams},
    core::GroupVersionKind,
};
use serde_json::{Value, json};

/// Contents by name.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// The Secret.
pub(crate) struct ClusterSecret {
    api: Api<DynamicObject>,
    name: String,
}

/// Secret as it was read.
#[derive(Debug, Default)]
pub(crate) struct StoredSecret {
    pub(crate) files: Files,
    version: String,
}

impl ClusterSecret {
    /// In the namespace of the pod, or of the kubeconfig's context. Dials nothing yet.
    ///
    /// # Errors
    /// No cluster is configured.
    pub(crate) async fn open(args: &KubeArgs, name: &str) -> anyhow::Result<Self> {
        Ok(Self::of(&Cluster::open(args).await?, name))
    }

    /// The same of a cluster that there is already.
    pub(crate) fn of(cluster: &Cluster, name: &str) -> Self {
        let secret = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Secret"));
        Self {
            api: Api::default_namespaced_with(cluster.client(), &secret),
            name: name.to_owned(),
        }
    }

    /// What it holds.
    ///
    /// # Errors
    /// It is not there, may not be read, or the cluster does not answer.
    pub(crate) async fn read(&self) -> anyhow::Result<StoredSecret> {
        let read = self.api.get(&self.name).await;
        let object = read.with_context(|| format!("cannot read the Secret {}", self.name))?;
        self.held(&object)
    }

    /// Adds these to what it holds, if that is still what was read.
    ///
    /// # Errors
    /// Somebody else wrote meanwhile, it may not be written, or the cluster does not answer.
    pub(crate) async fn write(&self, held: &mut StoredSecret, files: Files) -> anyhow::Result<()> {
        let encoded = files
            .iter()
            .map(|(name, content)| (name.clone(), BASE64_STANDARD.encode(content)));
        let data: BTreeMap<String, String> = encoded.collect();
        let patch = json!({"metadata": {"resourceVersion": held.version}, "data": data});
        let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
        *held = match self.api.patch(&self.name, &params, &patch).await {
            Ok(object) => self.held(&object)?,
            Err(kube::Error::Api(status)) if status.code == 409 => bail!(
                "the Secret {} was changed by another client: try again",
                self.name
            ),
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("cannot write the Secret {}", self.name));
            }
        };
        Ok(())
    }

    fn held(&self, object: &DynamicObject) -> anyhow::Result<StoredSecret> {
        let data = object.data.get("data").and_then(Value::as_object);
        let mut files = Files::new();
        for (name, value) in data.into_iter().flatten() {
            let content = BASE64_STANDARD.decode(value.as_str().unwrap_or_default());
            let content = content.with_context(|| format!("the Secret {}: {name}", self.name))?;
            files.insert(name.clone(), content);
        }
        let version = object.metadata.resource_version.clone();
        Ok(StoredSecret {
            files,
            version: version.unwrap_or_default(),
        })
    }
}
