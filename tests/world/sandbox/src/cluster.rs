//! The stand-in API server: object store, HTTP API, TLS listener and simulated workloads.

use std::{
    convert::Infallible,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde_json::Value;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::error::SandboxError;

mod admission;
mod apply;
mod discovery;
mod exec;
mod faults;
mod http;
mod journal;
mod listener;
mod log;
mod object;
mod openapi;
mod ownership;
mod patch;
mod refusal;
mod resource;
mod route;
mod selector;
mod shape;
mod snapshot;
mod store;
mod table;
mod tls;
mod watch;
mod workloads;

pub use faults::Faults;
pub use snapshot::{Deletion, Snapshot, SnapshotObject};
pub use workloads::Rollouts;

use self::{http::Api, store::Store, tls::Identity, workloads::Life};

const DRAIN: Duration = Duration::from_millis(800);

/// Options of the API server.
#[derive(Clone, Debug)]
pub struct KubeOptions {
    /// listen address; port 0 takes any free one
    pub listen: SocketAddr,
    /// host name in the certificate and the kubeconfig [loopback]
    pub host: Option<String>,
    /// folder of journal, certificate authority and token; without one all is in memory
    pub data: Option<PathBuf>,
    /// time until a simulated pod is ready
    pub pod_start: Duration,
    /// run time of pods that end; without it they run until a writer sets their status
    pub pod_run: Option<Duration>,
    /// whether Rollouts are reconciled; callers create their definition
    pub rollouts: Rollouts,
}

impl KubeOptions {
    /// Keeps all in memory on a free port; pods are ready after one second and end after two.
    #[must_use]
    pub fn in_memory() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            host: None,
            data: None,
            pod_start: Duration::from_secs(1),
            pod_run: Some(Duration::from_secs(1)),
            rollouts: Rollouts::Still,
        }
    }
}

/// A running API server. Dropping it ends it at once, as a kill would.
pub struct KubeApi {
    api: Arc<Api>,
    identity: Identity,
    address: SocketAddr,
    host: Option<String>,
    tasks: TaskTracker,
}

impl KubeApi {
    /// Binds, loads the journal and serves.
    ///
    /// # Errors
    /// The port is taken, or the data folder cannot be used.
    pub async fn start(options: KubeOptions) -> Result<Self, SandboxError> {
        let refused = |source| SandboxError::Listen {
            address: options.listen,
            source,
        };
        let listener = TcpListener::bind(options.listen).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let store = open_store(options.data.as_deref())?;
        let identity = Identity::load(options.data.as_deref())?;
        let api = Arc::new(Api::new(store));
        let tasks = TaskTracker::new();
        let tls = identity.server(address, options.host.as_deref())?;
        tasks.spawn(listener::serve(
            Arc::clone(&api),
            listener,
            tls,
            identity.token.clone(),
            tasks.clone(),
        ));
        let life = Life {
            start: options.pod_start,
            run: options.pod_run,
            rollouts: options.rollouts,
        };
        tasks.spawn(workloads::run(Arc::clone(&api), life));
        Ok(Self {
            api,
            identity,
            address,
            host: options.host,
            tasks,
        })
    }

    /// Address that the API listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A kubeconfig (YAML) for this API: https, its own authority, a bearer token. Keep it private.
    #[must_use]
    pub fn kubeconfig(&self) -> String {
        self.identity.kubeconfig(self.address, self.host.as_deref())
    }

    /// A client in this process, over the same service but no socket. Needs a tokio runtime.
    #[must_use]
    pub fn client(&self) -> kube::Client {
        let api = Arc::clone(&self.api);
        let service = tower::service_fn(move |request| {
            let api = Arc::clone(&api);
            async move { Ok::<_, Infallible>(api.answer(request).await) }
        });
        kube::Client::new(service, "default")
    }

    /// Faults to inject.
    #[must_use]
    pub fn faults(&self) -> &Faults {
        &self.api.faults
    }

    /// Copies the whole store, for tests to compare with.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        snapshot::read(&self.api.store())
    }

    /// Stores `object` unchecked: `resource` is `plural.group` or `plural`.
    /// Returns the new resourceVersion, or nothing when the kind is not served.
    pub fn write_raw(&self, resource: &str, object: Value) -> Option<u64> {
        let now = http::now();
        let written = self.api.store().write_raw(resource, object, &now);
        written.ok().map(|stored| stored.revision)
    }

    /// Replaces the log of a container by `lines`, repeated. Returns nothing for an unknown pod.
    pub fn write_log(
        &self,
        (namespace, pod): (&str, &str),
        container: &str,
        lines: &str,
        times: u64,
    ) -> Option<()> {
        let truth = self.snapshot();
        let found = truth.find("Pod", namespace, pod)?;
        let uid = found.object["metadata"]["uid"].as_str()?;
        self.api.logs.write(uid, container, lines, times);
        Some(())
    }

    /// Counts the log bytes of a pod that readers took.
    #[must_use]
    pub fn log_bytes_taken(&self, namespace: &str, pod: &str) -> u64 {
        let truth = self.snapshot();
        let found = truth.find("Pod", namespace, pod);
        let uid = found.and_then(|it| it.object["metadata"]["uid"].as_str());
        uid.map_or(0, |uid| self.api.logs.taken(uid))
    }

    /// Counts the bytes that commands in a pod have written.
    #[must_use]
    pub fn written_by_commands(&self, namespace: &str, pod: &str) -> u64 {
        self.api.commands.written(namespace, pod)
    }

    /// Runs commands from now on without the protocol that closes their input (Kubernetes before 1.30).
    pub fn run_commands_as_of_old(&self) {
        self.api.commands.be_old();
    }

    /// As [`Self::write_raw`]; returns the uid too.
    pub fn put_raw(&self, resource: &str, object: Value) -> Option<(String, u64)> {
        let now = http::now();
        let written = self.api.store().write_raw(resource, object, &now);
        written
            .ok()
            .map(|stored| (stored.uid.clone(), stored.revision))
    }

    /// Removes an object at once, despite finalizers. Returns the resourceVersion of the deletion, or
    /// nothing when it is not there.
    pub fn remove_raw(&self, resource: &str, namespace: &str, name: &str) -> Option<u64> {
        let removed = self.api.store().remove_raw(resource, namespace, name);
        removed.ok().flatten().map(|stored| stored.revision)
    }

    /// Ends watches and connections; takes a second at most.
    pub async fn stop(self) {
        self.api.stop.cancel();
        self.tasks.close();
        drop(tokio::time::timeout(DRAIN, self.tasks.wait()).await);
    }
}

impl Drop for KubeApi {
    fn drop(&mut self) {
        self.api.stop.cancel();
        self.api.store().close();
    }
}

fn open_store(folder: Option<&Path>) -> Result<Store, SandboxError> {
    let mut store = match folder {
        Some(folder) => Store::open(folder)?,
        None => Store::in_memory(),
    };
    if store.is_new() {
        seed(&mut store);
        store.forget_events();
    }
    Ok(store)
}

/// Writes the objects of a new sandbox.
fn seed(store: &mut Store) {
    let now = http::now();
    let context = store::Context {
        now: &now,
        manager: "sandbox",
    };
    let namespaces = resource::namespaces().map(|name| ("namespaces", namespace(name)));
    let definitions = resource::definitions()
        .into_iter()
        .map(|definition| (store::DEFINITIONS, definition));
    for (id, object) in namespaces
        .into_iter()
        .chain(definitions)
        .chain(resource::objects())
    {
        let Some(resource) = store
            .collection(id)
            .map(|found| Arc::clone(&found.resource))
        else {
            continue;
        };
        let status = object.get("status").cloned();
        let created = store.create(&resource, "", object, &context);
        if let (Ok(stored), Some(status)) = (created, status) {
            let mut value = stored.value();
            value["status"] = status;
            drop(store.update(&resource, &stored.key, value, store::Part::Status, &context));
        }
    }
}

fn namespace(name: &str) -> Value {
    serde_json::json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } })
}
