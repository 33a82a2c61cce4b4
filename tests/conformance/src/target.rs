//! The two targets: each behaviour has its own namespace, an administrator's credentials and raw responses.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use causeway_sandbox::{KubeApi, KubeOptions};
use causeway_testkit::wait_until;
use kube::config::{KubeConfigOptions, Kubeconfig};
use reqwest::Certificate;
use serde_json::{Value, json};
use tempfile::TempDir;

mod cluster;
mod request;
mod watching;

pub(crate) use request::{Answer, assert_refusal};

/// Time limit of every wait.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(120);

/// Message about `resourceVersion=abc`.
pub(crate) const NO_REVISION: &str =
    "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax";

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
            pod_run: Some(Duration::from_millis(20)),
            rollouts: causeway_sandbox::Rollouts::Still,
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
        let kubeconfig = cluster::kubeconfig().to_owned();
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

/// A unique name in this process.
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
        self.until("/readyz", |answer| answer.status == 200).await;
    }

    /// True for the sandbox where `DIFFERENCES.md` has this row.
    pub(crate) fn differs(&self, row: &str) -> bool {
        assert!(
            crate::differences::rows().contains(&row),
            "DIFFERENCES.md has no row {row}"
        );
        self.target == Target::Sandbox
    }

    /// Creates a service account in the behaviour's namespace and returns a token.
    pub(crate) async fn service_account(&self, name: &str) -> String {
        let path = self.path("v1", "serviceaccounts");
        self.create(&path, &json!({ "metadata": { "name": name } }))
            .await;
        let made = self
            .create(&format!("{path}/{name}/token"), &json!({ "spec": {} }))
            .await;
        text(&made["status"]["token"])
    }

    /// Provokes a throttled response: by an eviction that waits for its disruption budget, or an injected fault.
    pub(crate) async fn provoke_throttling(&self) -> Answer {
        if let Some(sandbox) = &self.sandbox {
            sandbox
                .faults()
                .throttle("configmaps", 1, Duration::from_secs(10));
            return self.get(&self.path("v1", "configmaps")).await;
        }
        self.service_account("default").await;
        let labels = json!({ "app": "web" });
        let budget = json!({ "metadata": { "name": "web" }, "spec": { "minAvailable": 1, "selector": { "matchLabels": labels } } });
        self.create(&self.path("policy/v1", "poddisruptionbudgets"), &budget)
            .await;
        let pod = json!({ "metadata": { "name": "web", "labels": labels }, "spec": { "containers": [{ "name": "web", "image": "web:1" }] } });
        let pods = self.path("v1", "pods");
        self.create(&pods, &pod).await;
        let running = json!({ "status": { "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }] } });
        self.merge(&format!("{pods}/web/status"), &running)
            .await
            .ok();
        let eviction =
            json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": "web" } });
        self.post(&format!("{pods}/web/eviction"), &eviction).await
    }

    /// Below `/tmp`, removed at the end.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl World {
    pub(crate) fn namespace(&self) -> &str {
        &self.namespace
    }

    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// A client of the library that Causeway uses.
    pub(crate) async fn client(&self) -> kube::Client {
        let read = Kubeconfig::read_from(&self.kubeconfig).unwrap();
        let options = KubeConfigOptions::default();
        let config = kube::Config::from_custom_kubeconfig(read, &options).await;
        kube::Client::try_from(config.unwrap()).unwrap()
    }

    /// Repeats a request until the response matches, and returns it.
    pub(crate) async fn until(&self, path: &str, holds: impl Fn(&Answer) -> bool) -> Answer {
        let look = || async {
            let answer = self.get(path).await;
            let status = answer.status;
            let wanted = holds(&answer).then_some(answer);
            wanted.ok_or_else(|| format!("{path} answers {status}"))
        };
        wait_until("the wanted answer", TIMEOUT, look).await
    }

    /// Waits until a revision has expired. The real API server expires by time, the sandbox by the number of writes.
    pub(crate) async fn forget(&self, path: &str, revision: u64) {
        if let Some(sandbox) = &self.sandbox {
            let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "zz-busy", "namespace": self.namespace } });
            for _ in 0..=sandbox_window() {
                sandbox.write_raw("configmaps", map.clone());
            }
        }
        let exact = format!("{path}?limit=1&resourceVersionMatch=Exact&resourceVersion={revision}");
        self.until(&exact, |answer| answer.status == 410).await;
    }

    /// The collection of a namespaced kind in this behaviour's namespace: `v1` or `group/version`, and a plural name.
    pub(crate) fn path(&self, api_version: &str, plural: &str) -> String {
        format!(
            "{}/namespaces/{}/{plural}",
            root(api_version),
            self.namespace
        )
    }
}

/// Events that the sandbox keeps for each kind.
fn sandbox_window() -> usize {
    4_096
}

/// An object with a list of containers, which merges by its names, and that nothing runs.
pub(crate) fn cron_job(name: &str) -> Value {
    json!({
        "metadata": { "name": name },
        "spec": {
            "schedule": "0 0 1 1 *", "suspend": true,
            "jobTemplate": { "spec": { "template": { "spec": {
                "restartPolicy": "Never", "containers": [{ "name": "main", "image": "main:1" }],
            } } } },
        },
    })
}

pub(crate) fn config_map(name: &str, data: impl Into<Value>) -> Value {
    let data: Value = data.into();
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": data })
}

/// The first cells of a row.
pub(crate) fn cells(row: &Value, count: usize) -> &[Value] {
    &row["cells"].as_array().unwrap()[..count]
}

/// A text, empty when it is absent.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The names of a list's items, in its order.
pub(crate) fn names(list: &Value) -> Vec<String> {
    let items = list["items"]
        .as_array()
        .unwrap_or_else(|| panic!("no list: {list}"));
    items
        .iter()
        .map(|item| text(&item["metadata"]["name"]))
        .collect()
}

/// `/api/v1` or `/apis/GROUP/VERSION`.
pub(crate) fn root(api_version: &str) -> String {
    if api_version.contains('/') {
        format!("/apis/{api_version}")
    } else {
        format!("/api/{api_version}")
    }
}

/// Returns the revision of an object or a list.
pub(crate) fn revision(object: &Value) -> u64 {
    let text = object["metadata"]["resourceVersion"].as_str();
    text.unwrap_or_else(|| panic!("no revision: {object}"))
        .parse()
        .unwrap()
}

/// Returns a preinstalled definition of the sandbox, ready to be created elsewhere.
pub(crate) async fn preinstalled(name: &str) -> Value {
    let sandbox = KubeApi::start(KubeOptions::in_memory()).await.unwrap();
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
    let request = http::Request::get(path).body(Vec::new()).unwrap();
    let mut definition: Value = sandbox.client().request(request).await.unwrap();
    definition["metadata"] = json!({ "name": name });
    definition.as_object_mut().unwrap().remove("status");
    definition
}
