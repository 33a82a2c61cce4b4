//! Writes objects into a cluster's API and waits for their effects.

use std::{
    future::Future,
    path::{Path, PathBuf},
    time::Duration,
};

use kube::{
    Api, Client, Config,
    api::{ApiResource, DynamicObject, Patch, PatchParams},
    config::{KubeConfigOptions, Kubeconfig},
    core::GroupVersionKind,
};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use crate::error::ClusterError;

const WRITER: &str = "causeway-cluster";
const POLL: Duration = Duration::from_millis(50);
const ACCEPTED: Duration = Duration::from_secs(300);

/// Fields of a manifest that its URL needs.
#[derive(Deserialize)]
struct Manifest {
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
}

/// Client settings of a kubeconfig.
pub(crate) async fn config(kubeconfig: &Path) -> Result<Config, ClusterError> {
    let unusable = |cause: String| ClusterError::Kubeconfig {
        path: kubeconfig.to_owned(),
        cause,
    };
    let read = Kubeconfig::read_from(kubeconfig).map_err(|error| unusable(error.to_string()))?;
    let config = Config::from_custom_kubeconfig(read, &KubeConfigOptions::default()).await;
    config.map_err(|error| unusable(error.to_string()))
}

/// A cluster's API as its own administrator sees it.
#[derive(Clone)]
pub(crate) struct Objects {
    client: Client,
    logs: PathBuf,
}

impl Objects {
    pub(crate) fn new(client: Client, logs: &Path) -> Self {
        Self {
            client,
            logs: logs.to_owned(),
        }
    }

    /// Creates or updates an object, waiting for its kind to be served.
    pub(crate) async fn apply(&self, object: &Value) -> Result<(), ClusterError> {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let api = self.api(object);
        let (params, patch) = (PatchParams::apply(WRITER).force(), Patch::Apply(object));
        let kind = object["kind"].as_str().unwrap_or_default();
        let what = format!("{kind} {name} is not accepted");
        self.wait(&what, ACCEPTED, || async {
            api.patch(name, &params, &patch)
                .await
                .map(drop)
                .map_err(|error| error.to_string())
        })
        .await
    }

    /// Makes the custom resources of a folder of manifests and waits until they are served.
    pub(crate) async fn define(&self, folder: &Path) -> Result<(), ClusterError> {
        let unusable = |source| ClusterError::Folder {
            path: folder.to_owned(),
            source,
        };
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .map_err(unusable)?
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
            .collect();
        files.sort();
        let all = files.iter().map(|file| async move {
            let text = std::fs::read_to_string(file).map_err(unusable)?;
            self.define_one(&text).await
        });
        futures::future::try_join_all(all).await.map(drop)
    }

    async fn define_one(&self, text: &str) -> Result<(), ClusterError> {
        // What has no name is no manifest, such as a kustomization.
        let Ok(manifest) = serde_saphyr::from_str::<Manifest>(text) else {
            return Ok(());
        };
        let name = manifest.metadata.name;
        let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
        let request = http::Request::patch(format!("{path}?fieldManager={WRITER}&force=true"))
            .header("content-type", "application/apply-patch+yaml")
            .body(text.as_bytes().to_vec())
            .expect("a resource's name makes a valid path");
        let sent = self.client.request::<Value>(request).await;
        sent.map_err(|error| self.refused(format!("{name} is refused"), error))?;
        self.wait(&format!("{name} is not served"), ACCEPTED, || async {
            let now = self.get(&path).await?;
            match condition(&now, "Established") {
                Some("True") => Ok(()),
                other => Err(format!("Established is {other:?}")),
            }
        })
        .await
    }

    /// An object as JSON, by its path.
    pub(crate) async fn get(&self, path: &str) -> Result<Value, String> {
        let request = http::Request::get(path)
            .body(Vec::new())
            .map_err(|error| error.to_string())?;
        let answer = self.client.request::<Value>(request).await;
        answer.map_err(|error| error.to_string())
    }

    /// Repeats a request until it returns something.
    pub(crate) async fn wait<T, F>(
        &self,
        what: &str,
        most: Duration,
        mut look: impl FnMut() -> F,
    ) -> Result<T, ClusterError>
    where
        F: Future<Output = Result<T, String>>,
    {
        let end = Instant::now() + most;
        loop {
            let answer = timeout(most, look()).await;
            match answer.unwrap_or_else(|_| Err("no answer".to_owned())) {
                Ok(found) => return Ok(found),
                Err(last) if Instant::now() >= end => return Err(self.slow(what, most, last)),
                Err(_) => sleep(POLL).await,
            }
        }
    }

    fn api(&self, object: &Value) -> Api<DynamicObject> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let version = text(&object["apiVersion"]);
        let (group, version) = version.split_once('/').unwrap_or(("", &version));
        let kind = GroupVersionKind::gvk(group, version, &text(&object["kind"]));
        let resource = ApiResource::from_gvk(&kind);
        match object["metadata"]["namespace"].as_str() {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => Api::all_with(self.client.clone(), &resource),
        }
    }

    fn refused(&self, what: String, error: kube::Error) -> ClusterError {
        ClusterError::Kube {
            what,
            source: Box::new(error),
            logs: self.logs.clone(),
        }
    }

    fn slow(&self, what: &str, most: Duration, last: String) -> ClusterError {
        ClusterError::Slow {
            what: what.to_owned(),
            seconds: most.as_secs(),
            last,
            logs: self.logs.clone(),
        }
    }
}

/// A condition's status.
pub(crate) fn condition<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    let conditions = object["status"]["conditions"].as_array()?;
    let found = conditions
        .iter()
        .find(|condition| condition["type"] == name)?;
    found["status"].as_str()
}
