//! A cluster with Argo CD, a repository, and an operator that can be killed.

use std::{sync::Arc, time::Duration};

use causeway_argocd::Cluster;
use causeway_gitops_operator::{Operator, run};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_shell::Notices;
use causeway_testkit::wait_until;
use kube::{
    Api,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

pub(crate) const ARGOCD: &str = "argocd";
const SOON: Duration = Duration::from_secs(60);
const IN_CLUSTER: &str = "https://kubernetes.default.svc";

pub(crate) struct Stage {
    pub(crate) sandbox: Sandbox,
    running: JoinSet<()>,
}

impl Stage {
    /// Starts a cluster whose repository `shop` has one Application in its folder `apps`.
    pub(crate) async fn set() -> Self {
        causeway_shell::install_crypto();
        let sandbox = Sandbox::start(SandboxOptions::in_memory()).await.unwrap();
        let stage = Self {
            sandbox,
            running: JoinSet::new(),
        };
        let web = stage.application_text("web", "shop");
        let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: b}\n";
        let files = [("apps/web.yaml", web.as_str()), ("web/config.yaml", config)];
        stage.sandbox.push("shop", &files, "start").await.unwrap();
        stage.create_namespace("shop").await;
        stage
    }

    /// The manifest of an Application that deploys the folder `web` to the namespace `shop`.
    pub(crate) fn application_text(&self, name: &str, project: &str) -> String {
        let url = self.sandbox.git_url("shop");
        let spec = json!({
            "project": project,
            "source": {"repoURL": url, "path": "web"},
            "destination": {"server": IN_CLUSTER, "namespace": "shop"},
            "syncPolicy": {"automated": {}},
        });
        let metadata =
            json!({"name": name, "finalizers": ["resources-finalizer.argocd.argoproj.io"]});
        json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": metadata, "spec": spec})
            .to_string()
    }

    /// A source of the folder `apps` with a namespace of its own.
    pub(crate) fn source(&self, name: &str) -> Value {
        json!({
            "apiVersion": "causeway.dev/v1",
            "kind": "RestrictedGitSource",
            "metadata": {"name": name, "namespace": ARGOCD},
            "spec": {
                "source": {"repoURL": self.sandbox.git_url("shop"), "path": "apps"},
                "sourceNamespace": format!("{name}-apps"),
                "destinations": [{"server": IN_CLUSTER, "namespace": "shop"}],
            },
        })
    }

    /// Starts the operator, as after a crash of the one before.
    pub(crate) async fn operate(&mut self) {
        self.kill().await;
        let cluster = Cluster::with_client(self.sandbox.kube().client(), "the stage");
        let operator = Arc::new(Operator::new(cluster, ARGOCD.to_owned()));
        self.running.spawn(run(&operator, &Notices::default()));
    }

    /// Cuts the operator off wherever it is.
    pub(crate) async fn kill(&mut self) {
        self.running.shutdown().await;
    }

    pub(crate) fn api(&self, kind: &str, namespace: &str) -> Api<DynamicObject> {
        let (group, version, plural) = match kind {
            "RestrictedGitSource" => ("causeway.dev", "v1", "restrictedgitsources"),
            "AppProject" => ("argoproj.io", "v1alpha1", "appprojects"),
            "Application" => ("argoproj.io", "v1alpha1", "applications"),
            "Event" => ("", "v1", "events"),
            other => panic!("the tests do not use {other}"),
        };
        let kind = GroupVersionKind::gvk(group, version, kind);
        let resource = ApiResource::from_gvk_with_plural(&kind, plural);
        Api::namespaced_with(self.sandbox.kube().client(), namespace, &resource)
    }

    pub(crate) async fn create(&self, object: Value) {
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let kind = object.types.clone().unwrap().kind;
        let api = self.api(&kind, ARGOCD);
        api.create(&PostParams::default(), &object).await.unwrap();
    }

    pub(crate) async fn merge(&self, kind: &str, name: &str, patch: Value) {
        let params = PatchParams::default();
        let patch = Patch::Merge(patch);
        let api = self.api(kind, ARGOCD);
        api.patch(name, &params, &patch).await.unwrap();
    }

    pub(crate) async fn delete(&self, kind: &str, name: &str) {
        let api = self.api(kind, ARGOCD);
        api.delete(name, &DeleteParams::default()).await.unwrap();
    }

    /// The object, or null.
    pub(crate) async fn get(&self, kind: &str, namespace: &str, name: &str) -> Value {
        let found = self.api(kind, namespace).get_opt(name).await.unwrap();
        serde_json::to_value(found).unwrap()
    }

    /// Waits for an object, or its absence as null, that matches.
    pub(crate) async fn wait(
        &self,
        (kind, namespace, name): (&str, &str, &str),
        matches: impl Fn(&Value) -> bool,
    ) -> Value {
        wait_until(&format!("{kind} {name}"), SOON, async || {
            let found = self.get(kind, namespace, name).await;
            if matches(&found) {
                Ok(found)
            } else {
                Err(found.to_string())
            }
        })
        .await
    }

    /// Waits until a condition of a source is true for a reason.
    pub(crate) async fn wait_for(&self, name: &str, condition: &str, reason: &str) -> Value {
        let is_there = |source: &Value| {
            let list = source
                .pointer("/status/conditions")
                .and_then(Value::as_array);
            let mut list = list.into_iter().flatten();
            list.any(|it| {
                it["type"] == condition && it["status"] == "True" && it["reason"] == reason
            })
        };
        self.wait(("RestrictedGitSource", ARGOCD, name), is_there)
            .await
    }

    async fn create_namespace(&self, name: &str) {
        let namespace = json!({"metadata": {"name": name}});
        self.sandbox
            .kube()
            .write_raw("namespaces", namespace)
            .unwrap();
    }
}
