//! A cluster, a reporter and the inventory that it reports to.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::Duration,
};

use bytes::Bytes;
use causeway_application_event_reporter::{Applications, Source};
use causeway_argocd::{Cluster, redact::Redactor};
use causeway_client::{Jitter, Peer};
use causeway_reporting::{
    Metrics, ObjectEvents, Reporter, Setup,
    kube::{WatchPolicy, Watcher},
    object::WatchScope,
};
use causeway_sandbox::{KubeApi, KubeOptions};
use causeway_shell::Notices;
use causeway_testkit::FakeInventory;
use http_body_util::{BodyExt as _, StreamBody};

use kube::{
    Api,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
    client::Body,
    core::GroupVersionKind,
};
use serde_json::{Value, json};
use tokio::{
    sync::{Notify, mpsc},
    task::JoinSet,
};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

pub(crate) struct Stage {
    pub(crate) kube: KubeApi,
    pub(crate) inventory: FakeInventory,
    pub(crate) source: Option<Peer>,
    pub(crate) policy: WatchPolicy,
    /// Client of the watcher.
    pub(crate) client: kube::Client,
    running: JoinSet<()>,
}

impl Stage {
    /// Starts a cluster and an inventory without a reporter.
    pub(crate) async fn set() -> Self {
        causeway_shell::install_crypto();
        let kube = KubeApi::start(KubeOptions::in_memory()).await.unwrap();
        let stage = Self {
            inventory: FakeInventory::start().await,
            source: None,
            policy: WatchPolicy::default(),
            client: kube.client(),
            kube,
            running: JoinSet::new(),
        };
        let namespace = json!({"metadata": {"name": "argocd"}});
        stage.kube.write_raw("namespaces", namespace).unwrap();
        stage
    }

    /// Starts a reporter, as after a crash of the one before.
    pub(crate) async fn report(&mut self) {
        self.running.shutdown().await;
        let (events_tx, events) = mpsc::channel(64);
        let relist = Arc::new(Notify::new());
        let redactor = Redactor::new(b"a key");
        let kind = Applications::new(redactor.clone());
        let source = self.source.clone();
        let watcher = Watcher {
            cluster: Cluster::with_client(self.client.clone(), "the stage"),
            kind: kind.clone(),
            scope: WatchScope::All,
            events: events_tx,
            relist: Arc::clone(&relist),
            policy: self.policy,
        };
        let setup = Setup {
            kind,
            inventory: self.inventory.peer(),
            source: source.map(|peer| Source::new(peer, redactor)),
            cluster: "in-cluster".to_owned(),
            scopes: vec![WatchScope::All],
            store_identity: String::new(),
            instance: uuid::Uuid::new_v4().to_string(),
            version: "test".to_owned(),
            ready: None,
            metrics: Metrics::new(&opentelemetry::global::meter("test"), "kind", "cluster"),
            notices: Notices::default(),
            jitter: Jitter::default(),
        };
        let relist = vec![relist];
        let reporter = Reporter::new(setup, ObjectEvents { events, relist });
        self.running.spawn(watcher.run());
        self.running.spawn(reporter.run(std::future::pending()));
    }

    pub(crate) async fn crash(&mut self) {
        self.running.shutdown().await;
    }

    pub(crate) fn applications(&self) -> Api<DynamicObject> {
        let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
        let resource = ApiResource::from_gvk_with_plural(&kind, "applications");
        Api::namespaced_with(self.kube.client(), "argocd", &resource)
    }

    pub(crate) async fn create(&self, name: &str) {
        self.create_with(name, json!({})).await;
    }

    pub(crate) async fn create_with(&self, name: &str, status: Value) {
        let object = json!({
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"namespace": "argocd", "name": name},
            "spec": {
                "project": "default",
                "destination": {"server": "https://kubernetes.default.svc", "namespace": "x"},
                "source": {"repoURL": "https://git.example.com/x", "path": ".", "targetRevision": "main"},
            },
            "status": status,
        });
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let created = self
            .applications()
            .create(&PostParams::default(), &object)
            .await;
        created.unwrap();
    }

    pub(crate) async fn touch(&self, name: &str, label: &str) {
        self.patch(name, json!({"metadata": {"labels": {"touched": label}}}))
            .await;
    }

    pub(crate) async fn patch(&self, name: &str, patch: Value) {
        let patch = Patch::Merge(patch);
        let api = self.applications();
        api.patch(name, &PatchParams::default(), &patch)
            .await
            .unwrap();
    }

    pub(crate) async fn delete(&self, name: &str) {
        let api = self.applications();
        api.delete(name, &DeleteParams::default()).await.unwrap();
    }

    /// Returns the live Applications of the cluster as names and resource versions.
    pub(crate) fn truth(&self) -> BTreeMap<String, u64> {
        let objects = self.kube.snapshot().objects.into_iter();
        let applications = objects.filter(|object| object.kind == "Application");
        applications
            .map(|object| (object.name, object.resource_version))
            .collect()
    }

    /// Waits until the inventory holds what the cluster has, deletions included.
    pub(crate) async fn converge(&self, what: &str) {
        self.inventory
            .until(what, |seen| (seen.live() == self.truth()).then_some(()))
            .await;
    }
}

/// Client whose first watch opens and never sends anything.
pub(crate) fn silent_first_watch(client: kube::Client) -> kube::Client {
    let spoken = Arc::new(AtomicBool::new(false));
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let (client, spoken) = (client.clone(), Arc::clone(&spoken));
        async move {
            let watches = request
                .uri()
                .query()
                .is_some_and(|query| query.contains("watch=true"));
            if watches && !spoken.swap(true, SeqCst) {
                let silence =
                    futures::stream::pending::<Result<http_body::Frame<Bytes>, BoxError>>();
                return Ok(http::Response::new(StreamBody::new(silence).boxed_unsync()));
            }
            let answer = client.send(request).await?;
            Ok::<_, BoxError>(answer.map(|body| body.map_err(BoxError::from).boxed_unsync()))
        }
    });
    kube::Client::new(service, "default")
}

/// Short timeouts for tests with broken watches.
pub(crate) fn short_timeouts() -> WatchPolicy {
    WatchPolicy {
        silence: Duration::from_millis(300),
        bookmark: Duration::from_millis(300),
        ..WatchPolicy::default()
    }
}
