//! Starts and stops the Kubernetes API, the Git server and the Argo CD stand-in as one.

use std::{
    fs, io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    argocd::{Argocd, ArgocdError, ArgocdOptions},
    cluster::{KubeApi, KubeOptions, Rollouts},
    demo::{self, Demo},
    error::SandboxError,
    git::{Commit, GitError, GitOptions, GitServer},
};

/// Argo CD's own namespace.
pub const NAMESPACE: &str = "argocd";

/// Spec of the chart's definition of restricted Git sources.
const GIT_SOURCES: &str =
    include_str!("../../../../helm/causeway-runtime/files/restricted-git-sources.yaml");

/// Options of a sandbox.
#[derive(Clone, Debug)]
pub struct SandboxOptions {
    pub kube_listen: SocketAddr,
    pub git_listen: SocketAddr,
    pub argocd_listen: SocketAddr,
    /// host name of the Kubernetes API [loopback]
    pub host: Option<String>,
    /// folder of all data; without one it is temporary
    pub data: Option<PathBuf>,
    pub demo: Demo,
    /// time until a simulated pod is ready
    pub pod_start: Duration,
    /// run time of pods that end; without it they run until a writer sets their status
    pub pod_run: Option<Duration>,
    /// whether Argo Rollouts are installed; otherwise tests may define the kind themselves
    pub rollouts: Rollouts,
}

impl SandboxOptions {
    /// Options of tests: temporary data, free ports, no demo, pods ready after 200 ms.
    #[must_use]
    pub fn in_memory() -> Self {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            kube_listen: any,
            git_listen: any,
            argocd_listen: any,
            host: None,
            data: None,
            demo: Demo::None,
            pod_start: Duration::from_millis(200),
            pod_run: Some(Duration::from_millis(200)),
            rollouts: Rollouts::Still,
        }
    }
}

/// Failure to start a sandbox.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Kube(#[from] SandboxError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Argocd(#[from] ArgocdError),
    #[error("cannot use the data folder {}: {source}; pass a folder that this user may write", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("cannot create the objects of the sandbox: {0}; use an empty data folder")]
    Objects(#[source] Box<kube::Error>),
}

/// A running sandbox. Dropping it ends it at once, as a kill would.
pub struct Sandbox {
    kube: KubeApi,
    git: Arc<GitServer>,
    argocd: Argocd,
    /// removed at the end; absent when the data is kept
    folder: Option<TempDir>,
}

impl Sandbox {
    /// Starts the three parts and, the first time, makes the demo.
    ///
    /// Errors: a port is taken, the folder cannot be used, `git` is missing.
    pub async fn start(options: SandboxOptions) -> Result<Self, StartError> {
        let (data, folder) = data_folder(options.data.as_deref())?;
        let git_options = GitOptions {
            listen: options.git_listen,
            folder: data.join("git"),
        };
        let kube_options = KubeOptions {
            listen: options.kube_listen,
            host: options.host,
            data: options.data.as_ref().map(|data| data.join("kube")),
            pod_start: options.pod_start,
            pod_run: options.pod_run,
            rollouts: options.rollouts,
        };
        let kube = KubeApi::start(kube_options).await?;
        let git = Arc::new(GitServer::start(git_options).await?);
        create_prerequisites(&kube.client()).await?;
        create_git_source_definition(&kube.client()).await?;
        if options.rollouts == Rollouts::Simulated {
            create_rollout_definition(&kube.client()).await?;
        }
        if options.demo == Demo::Three {
            create_demo(&kube, &git, &data).await?;
        }
        let argocd = Argocd::start(ArgocdOptions {
            listen: options.argocd_listen,
            client: kube.client(),
            git: Arc::clone(&git),
            folder: data.join("argocd"),
            namespace: NAMESPACE.to_owned(),
        });
        Ok(Self {
            argocd: argocd.await?,
            kube,
            git,
            folder,
        })
    }

    /// YAML, with a token in it: keep it private.
    pub fn kubeconfig(&self) -> String {
        self.kube.kubeconfig()
    }

    pub fn kube(&self) -> &KubeApi {
        &self.kube
    }

    pub fn git(&self) -> &GitServer {
        &self.git
    }

    /// The remote of a repository, to clone and push over HTTP.
    pub fn git_url(&self, repository: &str) -> String {
        self.git.url(repository)
    }

    /// `http://ADDRESS` of Argo CD's REST API.
    pub fn argocd_url(&self) -> String {
        self.argocd.url()
    }

    /// The bearer token that Argo CD's REST API takes.
    pub fn argocd_token(&self) -> &str {
        self.argocd.token()
    }

    /// Writes files in one commit on `main`, creating the repository if needed. Returns the commit's SHA.
    pub async fn push(
        &self,
        repository: &str,
        files: &[(&str, &str)],
        message: &str,
    ) -> Result<String, GitError> {
        let commit = files
            .iter()
            .fold(Commit::new(message), |commit, (path, text)| {
                commit.write(path, *text)
            });
        self.commit(repository, &commit).await
    }

    /// Commits with an author, a branch and removed files.
    pub async fn commit(&self, repository: &str, commit: &Commit) -> Result<String, GitError> {
        if self.git.repository(repository).is_err() {
            self.git.create(repository).await?;
        }
        Ok(self.git.commit(repository, commit).await?.to_string())
    }

    /// Stops all parts, Argo CD first.
    pub async fn stop(self) {
        self.argocd.stop().await;
        self.git.stop().await;
        self.kube.stop().await;
        drop(self.folder);
    }
}

fn data_folder(data: Option<&Path>) -> Result<(PathBuf, Option<TempDir>), StartError> {
    let Some(data) = data else {
        let folder = tempfile::tempdir().map_err(|source| StartError::Folder {
            path: std::env::temp_dir(),
            source,
        })?;
        return Ok((folder.path().to_owned(), Some(folder)));
    };
    fs::create_dir_all(data).map_err(|source| StartError::Folder {
        path: data.to_owned(),
        source,
    })?;
    Ok((data.to_owned(), None))
}

/// Creates the namespace and the default project of Argo CD.
async fn create_prerequisites(client: &kube::Client) -> Result<(), StartError> {
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    demo::create(client, "/api/v1/namespaces", &namespace).await?;
    let projects = format!("/apis/argoproj.io/v1alpha1/namespaces/{NAMESPACE}/appprojects");
    demo::create(client, &projects, &demo::default_project(NAMESPACE)).await
}

/// Creates the kind of restricted Git sources, as the chart does.
async fn create_git_source_definition(client: &kube::Client) -> Result<(), StartError> {
    let spec: serde_json::Value =
        serde_saphyr::from_str(GIT_SOURCES).expect("the chart's file is YAML");
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "restrictedgitsources.causeway.dev"},
        "spec": spec,
    });
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    demo::create(client, path, &definition).await
}

async fn create_rollout_definition(client: &kube::Client) -> Result<(), StartError> {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "rollouts.argoproj.io"},
        "spec": {
            "group": "argoproj.io",
            "scope": "Namespaced",
            "names": {
                "plural": "rollouts", "singular": "rollout", "shortNames": ["ro"],
                "kind": "Rollout", "listKind": "RolloutList",
            },
            "versions": [{
                "name": "v1alpha1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                }},
            }],
        },
    });
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    demo::create(client, path, &definition).await
}

/// Creates the demo once. The marker is written last, so that the next start finishes an interrupted one.
async fn create_demo(kube: &KubeApi, git: &GitServer, data: &Path) -> Result<(), StartError> {
    let marker = data.join("demo-made");
    if marker.exists() {
        return Ok(());
    }
    demo::install(&kube.client(), git, NAMESPACE).await?;
    fs::write(&marker, b"").map_err(|source| StartError::Folder {
        path: marker.clone(),
        source,
    })
}
