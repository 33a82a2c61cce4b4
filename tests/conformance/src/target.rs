//! The two targets and what a behaviour sees of either: a namespace of its own, an administrator's credentials, raw answers.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use causeway_sandbox::{KubeApi, KubeOptions};
use kube::config::{KubeConfigOptions, Kubeconfig};
use reqwest::Certificate;
use serde_json::{Value, json};
use tempfile::TempDir;

mod cluster;
mod request;
mod watching;

pub(crate) use request::{Answer, Request};
pub(crate) use watching::Watching;

/// How long anything may take that is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Sandbox,
    Real,
}

/// A running API server as one behaviour sees it.
pub(crate) struct World {
    target: Target,
    /// an administrator's, on disk
    kubeconfig: PathBuf,
    namespace: String,
    server: String,
    token: String,
    http: reqwest::Client,
    folder: TempDir,
    sandbox: Option<KubeApi>,
}

/// Runs a behaviour on a sandbox of its own.
pub(crate) fn on_sandbox(behaviour: impl AsyncFnOnce(&World)) {
    runtime().block_on(async {
        let options = KubeOptions {
            pod_start: Duration::from_millis(20),
            ..KubeOptions::in_memory()
        };
        let sandbox = KubeApi::start(options).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let kubeconfig = folder.path().join("sandbox.kubeconfig");
        std::fs::write(&kubeconfig, sandbox.kubeconfig()).unwrap();
        let world = World::new(Target::Sandbox, kubeconfig, folder, Some(sandbox)).await;
        behaviour(&world).await;
    });
}

/// Runs a behaviour on the real API server that all behaviours of this process share.
pub(crate) fn on_real(behaviour: impl AsyncFnOnce(&World)) {
    runtime().block_on(async {
        let kubeconfig = cluster::shared().kubeconfig().to_owned();
        let folder = tempfile::tempdir().unwrap();
        let world = World::new(Target::Real, kubeconfig, folder, None).await;
        behaviour(&world).await;
    });
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// A name that nobody else in this process uses.
pub(crate) fn unique(stem: &str) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!(
        "{stem}-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    )
}

impl World {
    async fn new(
        target: Target,
        kubeconfig: PathBuf,
        folder: TempDir,
        sandbox: Option<KubeApi>,
    ) -> Self {
        let read = Kubeconfig::read_from(&kubeconfig).unwrap();
        let token = serde_json::to_value(&read).unwrap()["users"][0]["user"]["token"].clone();
        let config = kube::Config::from_custom_kubeconfig(read, &KubeConfigOptions::default())
            .await
            .unwrap();
        let roots = config.root_cert.iter().flatten();
        let roots = roots.map(|root| Certificate::from_der(root).unwrap());
        let world = Self {
            target,
            kubeconfig,
            namespace: unique("conformance"),
            server: config
                .cluster_url
                .to_string()
                .trim_end_matches('/')
                .to_owned(),
            token: token.as_str().unwrap().to_owned(),
            http: reqwest::Client::builder()
                .tls_certs_only(roots)
                .build()
                .unwrap(),
            folder,
            sandbox,
        };
        world.wait().await;
        let namespace = json!({ "metadata": { "name": world.namespace } });
        world.create("/api/v1/namespaces", &namespace).await;
        world
    }

    async fn wait(&self) {
        let ready = async {
            while self.get("/readyz").await.status != 200 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(PATIENCE, ready)
            .await
            .expect("ready in time");
    }

    /// Whether this target is the sandbox and differs by the row of that name in DIFFERENCES.md.
    pub(crate) fn differs(&self, row: &str) -> bool {
        assert!(
            crate::differences::rows().contains(&row),
            "DIFFERENCES.md has no row {row}"
        );
        self.target == Target::Sandbox
    }

    /// Below `/tmp`, removed at the end.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl World {
    /// The collection of a namespaced kind in this behaviour's namespace: `v1` or `group/version`, and a plural name.
    pub(crate) fn path(&self, api_version: &str, plural: &str) -> String {
        format!(
            "{}/namespaces/{}/{plural}",
            root(api_version),
            self.namespace
        )
    }
}

/// `/api/v1` or `/apis/GROUP/VERSION`.
pub(crate) fn root(api_version: &str) -> String {
    if api_version.contains('/') {
        format!("/apis/{api_version}")
    } else {
        format!("/api/{api_version}")
    }
}

/// An object's or a list's revision as the number that it is.
pub(crate) fn revision(object: &Value) -> u64 {
    let text = object["metadata"]["resourceVersion"].as_str();
    text.unwrap_or_else(|| panic!("no revision: {object}"))
        .parse()
        .unwrap()
}
