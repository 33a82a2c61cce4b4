//! A node with two Argo CDs on it, and the tools that a person has beside it.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use causeway_cluster::{
    ArgocdOptions, Cluster, ClusterError, NodeError, Options, Program, Programs, Rollouts, Scheme,
};
use causeway_sandbox::git::{Commit, GitServer};
use causeway_testkit::{Finished, run, run_with_input, skip};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::image::{self, SHELL, SHELL_AGAIN};

pub(crate) const SOON: Duration = Duration::from_secs(300);
/// Where the platform is installed, and each runtime.
pub(crate) const NAMESPACES: [&str; 3] = ["causeway-platform", "causeway-east", "causeway-west"];

/// The cluster and a folder for files of the test. Its end is the end of both.
pub(crate) struct Stage {
    cluster: Option<Cluster>,
    folder: TempDir,
    runtime: Runtime,
}

impl Stage {
    /// Starts everything that the charts need to be there, where this machine can hold it.
    pub(crate) fn start() -> Option<Self> {
        let runtime = Runtime::new().unwrap();
        let cluster = runtime.block_on(node())?;
        let folder = tempfile::tempdir().unwrap();
        let images = [
            image::causeway(folder.path()),
            image::shell(SHELL),
            image::shell(SHELL_AGAIN),
        ];
        for image in images {
            runtime.block_on(cluster.import(image.unwrap())).unwrap();
        }
        let cluster = Some(cluster);
        let stage = Self {
            cluster,
            folder,
            runtime,
        };
        let namespaces = NAMESPACES.map(
            |name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
        );
        stage.apply(&namespaces);
        Some(stage)
    }

    /// A volume on the node's disk for a claim of the same name.
    pub(crate) fn volume(&self, namespace: &str, claim: &str) {
        // The node's /var/lib is a folder of the cluster.
        let place = format!("causeway-{claim}");
        std::fs::create_dir_all(self.cluster().folder().join("var").join(&place)).unwrap();
        let node = self.list(&["nodes"]).remove(0)["metadata"]["name"].take();
        let here = json!({"key": "kubernetes.io/hostname", "operator": "In", "values": [node]});
        self.apply(&[json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": claim},
            "spec": {
                "capacity": {"storage": "10Gi"},
                "accessModes": ["ReadWriteOnce"],
                "claimRef": {"namespace": namespace, "name": claim},
                "local": {"path": format!("/var/lib/{place}")},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}},
            },
        })]);
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        self.cluster.as_ref().expect("it is there until the end")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The cluster's own kubectl, as its administrator.
    pub(crate) fn kubectl(&self, words: &[&str]) -> Finished {
        run(&mut self.kubectl_command(words))
    }

    pub(crate) fn kubectl_command(&self, words: &[&str]) -> Command {
        let programs = Programs::find(&[Program::Kubernetes]).unwrap();
        let mut kubectl = Command::new(programs.path(Program::Kubernetes));
        kubectl.arg("kubectl").arg("--kubeconfig");
        kubectl.arg(self.cluster().kubeconfig()).args(words);
        kubectl
    }

    pub(crate) fn apply(&self, objects: &[Value]) {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
        let mut kubectl = self.kubectl_command(&["apply", "-f", "-"]);
        run_with_input(&mut kubectl, &list).expect_success();
    }

    /// What `kubectl get` shows of objects; nothing where they are not there.
    pub(crate) fn get(&self, words: &[&str]) -> Value {
        let words = [&["get", "-o", "json", "--ignore-not-found"], words].concat();
        let got = self.kubectl(&words).expect_success();
        serde_json::from_str(&got).unwrap_or_default()
    }

    /// The objects of a list.
    pub(crate) fn list(&self, words: &[&str]) -> Vec<Value> {
        let got = self.get(words);
        got["items"].as_array().cloned().unwrap_or_default()
    }

    /// Commits, and makes the repository where there is none; gives the commit's hash.
    pub(crate) fn commit(&self, repository: &str, commit: &Commit) -> String {
        let git = self.git();
        self.runtime.block_on(async {
            if git.repository(repository).is_err() {
                git.create(repository).await.unwrap();
            }
            git.commit(repository, commit).await.unwrap().to_string()
        })
    }

    /// A value of a Secret; empty where it is not there.
    pub(crate) fn secret(&self, namespace: &str, name: &str, key: &str) -> Vec<u8> {
        let secret = self.get(&["secret", name, "--namespace", namespace]);
        let encoded = secret["data"][key].as_str().unwrap_or_default();
        STANDARD.decode(encoded).unwrap()
    }

    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Goes on until the stage ends.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(future);
    }

    pub(crate) fn git(&self) -> &GitServer {
        self.cluster().git()
    }

    /// Whether the cluster's own programs run as they should.
    pub(crate) fn check(&self) {
        self.runtime.block_on(self.cluster().check()).unwrap();
    }

    /// A file of the test.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let Some(cluster) = self.cluster.take() else {
            return;
        };
        // A test that fails wants the logs: then the cluster is dropped as it is, and keeps them.
        if std::thread::panicking() {
            drop(cluster)
        } else {
            self.runtime.block_on(cluster.stop())
        }
    }
}

/// One Argo CD with TLS as it is installed, one in another namespace without; and Argo Rollouts.
fn options() -> Options {
    let secured = ArgocdOptions {
        scheme: Scheme::Https,
        ..ArgocdOptions::default()
    };
    let other = ArgocdOptions {
        namespace: "gitops".to_owned(),
        ..ArgocdOptions::default()
    };
    Options {
        argocds: vec![secured, other],
        rollouts: Rollouts::Present,
        audited: NAMESPACES.map(str::to_owned).to_vec(),
        ..Options::default()
    }
}

async fn node() -> Option<Cluster> {
    let left_out = |reason: String| {
        skip(&reason);
        None
    };
    match Cluster::node(options()).await {
        Ok(cluster) => Some(cluster),
        Err(ClusterError::Programs(error)) => left_out(error.to_string()),
        Err(ClusterError::Node(
            error @ (NodeError::NotRoot
            | NodeError::Missing { .. }
            | NodeError::NoControllers { .. }),
        )) => left_out(error.to_string()),
        Err(error) => panic!("{error}"),
    }
}
