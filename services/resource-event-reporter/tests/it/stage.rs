//! Clusters, a reporter and the inventory that it reports to.

use std::time::Duration;

use causeway_argocd::{Cluster, redact::Redactor};
use causeway_reporting::Kind;
use causeway_resource_event_reporter::{Applications, Home, ReportTarget, Watch};
use causeway_sandbox::{KubeApi, KubeOptions};
use causeway_shell::Notices;
use causeway_testkit::FakeInventory;
use kube::{
    Api, ResourceExt as _,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

pub(crate) const TRACKING_ID: &str = "argocd.argoproj.io/tracking-id";
const ROLLOUTS: &str = "argoproj.io/v1alpha1";

pub(crate) struct Stage {
    pub(crate) kube: KubeApi,
    pub(crate) inventory: FakeInventory,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) redactor: Redactor,
    /// Namespaces of the Argo CDs.
    pub(crate) argocds: Vec<String>,
    running: JoinSet<()>,
}

/// A cluster with one namespace.
pub(crate) async fn cluster() -> KubeApi {
    causeway_shell::install_crypto();
    let kube = KubeApi::start(KubeOptions::in_memory()).await.unwrap();
    let namespace = json!({"metadata": {"name": "shop"}});
    kube.write_raw("namespaces", namespace).unwrap();
    kube
}

impl Stage {
    /// Starts a cluster with an Argo CD and the kinds of Argo Rollouts, and an inventory without a reporter.
    pub(crate) async fn set() -> Self {
        let kube = cluster().await;
        let rollouts = [
            "web",
            "other",
            "first",
            "second",
            "good",
            "turns-bad",
            "nest",
        ];
        let rollouts = rollouts.map(|name| ("argoproj.io", "Rollout", name));
        let nested = [
            ("argoproj.io", "AnalysisRun", "nest"),
            ("argoproj.io", "Workflow", "nest"),
            ("", "Secret", "nest"),
        ];
        let has = [&rollouts[..], &nested[..]].concat();
        application(&kube, "argocd", "web-app", &has);
        define(&kube, "Rollout", "rollouts").await;
        define(&kube, "AnalysisRun", "analysisruns").await;
        Self {
            kube,
            inventory: FakeInventory::start().await,
            kinds: Vec::new(),
            redactor: Redactor::new(b"a key"),
            argocds: vec!["argocd".to_owned()],
            running: JoinSet::new(),
        }
    }

    /// Starts a reporter, as after a crash of the one before.
    pub(crate) async fn report(&mut self) {
        self.running.shutdown().await;
        let client = self.kube.client();
        self.report_of(client, "in-cluster", "").await;
    }

    pub(crate) async fn stop(&mut self) {
        self.running.shutdown().await;
    }

    /// Reports an additional cluster.
    pub(crate) async fn report_of(&mut self, client: kube::Client, name: &str, home: &str) {
        let watch = Watch {
            cluster: Cluster::with_client(client, "the stage"),
            name: name.to_owned(),
            kinds: self.kinds.clone(),
            namespaces: Vec::new(),
            home: Home {
                cluster: home.to_owned(),
                applications: Applications::new(
                    self.kube.client(),
                    self.argocds.clone(),
                    Notices::default(),
                    Duration::ZERO,
                ),
            },
            redactor: self.redactor.clone(),
            target: ReportTarget {
                inventory: self.inventory.peer(),
                instance: uuid::Uuid::new_v4().to_string(),
                version: "test".to_owned(),
                meter: opentelemetry::global::meter("test"),
                notices: Notices::default(),
            },
            absence_interval: Duration::from_millis(50),
            cache_lifetime: Duration::ZERO,
            ready: Vec::new(),
        };
        for task in watch.start().await {
            self.running.spawn(task);
        }
    }
}

/// Creates an Application that lists these objects of the namespace "shop", by group, kind and name.
pub(crate) fn application(kube: &KubeApi, namespace: &str, name: &str, has: &[(&str, &str, &str)]) {
    let resource = |(group, kind, name): &(&str, &str, &str)| json!({"group": group, "kind": kind, "namespace": "shop", "name": name});
    let resources: Vec<Value> = has.iter().map(resource).collect();
    let object = json!({
        "metadata": {"namespace": namespace, "name": name},
        "spec": {"destination": {"namespace": "shop"}},
        "status": {"resources": resources},
    });
    kube.write_raw("applications.argoproj.io", object).unwrap();
}

/// Defines a custom kind of Argo.
pub(crate) async fn define(kube: &KubeApi, kind: &str, plural: &str) {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.argoproj.io")},
        "spec": {
            "group": "argoproj.io", "scope": "Namespaced",
            "names": {"kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": kind.to_lowercase()},
            "versions": [{"name": "v1alpha1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    });
    let resource = resource("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    let api: Api<DynamicObject> = Api::all_with(kube.client(), &resource);
    let object = serde_json::from_value(definition).unwrap();
    api.create(&PostParams::default(), &object).await.unwrap();
}

fn resource(api_version: &str, kind: &str) -> ApiResource {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind))
}

fn api(kube: &KubeApi, api_version: &str, kind: &str) -> Api<DynamicObject> {
    Api::namespaced_with(kube.client(), "shop", &resource(api_version, kind))
}

/// Creates an object in the namespace "shop" and returns its uid.
pub(crate) async fn create(kube: &KubeApi, object: Value) -> String {
    let text = |field: &str| object[field].as_str().unwrap().to_owned();
    let api = api(kube, &text("apiVersion"), &text("kind"));
    let object = serde_json::from_value(object).unwrap();
    let created = api.create(&PostParams::default(), &object).await.unwrap();
    created.uid().unwrap()
}

pub(crate) async fn patch(
    kube: &KubeApi,
    (api_version, kind): (&str, &str),
    name: &str,
    patch: Value,
) {
    let (api, patch) = (api(kube, api_version, kind), Patch::Merge(patch));
    api.patch(name, &PatchParams::default(), &patch)
        .await
        .unwrap();
}

pub(crate) async fn delete(kube: &KubeApi, (api_version, kind): (&str, &str), name: &str) {
    let api = api(kube, api_version, kind);
    api.delete(name, &DeleteParams::default()).await.unwrap();
}

/// A canary of the application "web-app" that pauses at 25 %.
pub(crate) fn rollout(name: &str) -> Value {
    json!({
        "apiVersion": ROLLOUTS, "kind": "Rollout",
        "metadata": {
            "namespace": "shop", "name": name,
            "annotations": {TRACKING_ID: format!("web-app:argoproj.io/Rollout:shop/{name}")},
        },
        "spec": {
            "replicas": 4,
            "strategy": {"canary": {"steps": [{"setWeight": 25}, {"pause": {}}]}},
            "template": {"spec": {"containers": [{"name": "web", "image": "web:2"}]}},
        },
        "status": {
            "phase": "Paused", "currentStepIndex": 1, "stableRS": "aaa", "currentPodHash": "bbb",
            "availableReplicas": 4,
            "pauseConditions": [{"reason": "CanaryPauseStep", "startTime": "2026-01-01T00:01:00Z"}],
        },
    })
}

pub(crate) fn owned_by(api_version: &str, kind: &str, name: &str, uid: &str) -> Value {
    json!([{"apiVersion": api_version, "kind": kind, "name": name, "uid": uid, "controller": true}])
}

/// An AnalysisRun of the newest revision of a Rollout.
pub(crate) fn analysis_run(name: &str, rollout: &str, uid: &str, phase: &str) -> Value {
    json!({
        "apiVersion": ROLLOUTS, "kind": "AnalysisRun",
        "metadata": {
            "namespace": "shop", "name": name, "labels": {"rollouts-pod-template-hash": "bbb"},
            "ownerReferences": owned_by(ROLLOUTS, "Rollout", rollout, uid),
        },
        "status": {"phase": phase},
    })
}

/// A ReplicaSet without pods of the newest revision of a Rollout.
pub(crate) fn replica_set(name: &str, rollout: &str, uid: &str) -> Value {
    let labels = json!({"app": "web", "rollouts-pod-template-hash": "bbb"});
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {
            "namespace": "shop", "name": name, "labels": labels,
            "annotations": {"rollout.argoproj.io/revision": "2"},
            "ownerReferences": owned_by(ROLLOUTS, "Rollout", rollout, uid),
        },
        "spec": {
            "replicas": 0, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web:2"}]}},
        },
    })
}
