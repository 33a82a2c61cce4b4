//! Real Applications of one repository, on a cluster of their own.

use std::time::Duration;

use anyhow::{Context as _, bail};
use causeway_cluster::{ArgocdInstance, ArgocdOptions, Cluster, Options};
use causeway_sandbox::git::Commit;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kube::{
    Api,
    api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

const REPOSITORY: &str = "fleet";
/// For all applications to be Synced, from nothing.
const PATIENCE: Duration = Duration::from_secs(1800);
/// Nothing is polled while it is measured.
const NEVER: Duration = Duration::from_secs(3600);
const AT_ONCE: usize = 8;

pub(crate) struct Fleet {
    cluster: Cluster,
    size: u32,
}

/// A commit that is in the repository, and that Argo CD was told of.
#[derive(Debug)]
pub(crate) struct Pushed {
    pub(crate) name: String,
    pub(crate) revision: String,
    /// when it was in the repository
    pub(crate) at: Instant,
}

impl Fleet {
    /// Makes that many Applications, and waits until all are Synced.
    pub(crate) async fn start(size: u32) -> anyhow::Result<Self> {
        let argocd = ArgocdOptions {
            poll: NEVER,
            ..ArgocdOptions::default()
        };
        let options = Options {
            argocds: vec![argocd],
            ..Options::default()
        };
        let cluster = Cluster::simulated(options).await?;
        let fleet = Self { cluster, size };
        let git = fleet.cluster.git();
        git.create(REPOSITORY).await?;
        let all = (0..size).fold(Commit::new("All of them"), |commit, number| {
            commit.write(&file(number), manifest(number, "none"))
        });
        git.commit(REPOSITORY, &all).await?;
        let api = fleet.api();
        let made = stream::iter(0..size).map(|number| {
            let object = serde_json::from_value(fleet.application(number));
            let api = &api;
            async move { anyhow::Ok(api.create(&PostParams::default(), &object?).await?) }
        });
        made.buffer_unordered(AT_ONCE)
            .try_for_each(async |_| Ok(()))
            .await?;
        fleet.synced().await?;
        Ok(fleet)
    }

    pub(crate) fn api(&self) -> Api<DynamicObject> {
        let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
        let resource = ApiResource::from_gvk(&kind);
        Api::namespaced_with(self.cluster.client(), &self.argocd().namespace, &resource)
    }

    pub(crate) fn argocd(&self) -> &ArgocdInstance {
        &self.cluster.argocd()[0]
    }

    /// For `causeway up` on this cluster.
    pub(crate) fn flags(&self) -> Vec<String> {
        let argocd = self.argocd();
        let flags = [
            (
                "--kubeconfig",
                self.cluster.kubeconfig().display().to_string(),
            ),
            ("--argocd-server", argocd.url.to_string()),
            (
                "--argocd-token-file",
                argocd.admin_token_file.display().to_string(),
            ),
        ];
        let words = flags.into_iter();
        words
            .flat_map(|(name, value)| [name.to_owned(), value])
            .collect()
    }

    /// Changes what one of the applications deploys, and tells Argo CD.
    pub(crate) async fn push(&self, number: u32) -> anyhow::Result<Pushed> {
        let at = number % self.size;
        let commit = Commit::new("Another one").write(&file(at), manifest(at, &number.to_string()));
        let revision = self.cluster.git().commit(REPOSITORY, &commit).await?;
        let pushed = Pushed {
            name: name(at),
            revision: revision.as_str().to_owned(),
            at: Instant::now(),
        };
        let refresh =
            json!({"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal"}}});
        let (params, patch) = (PatchParams::default(), Patch::Merge(&refresh));
        let api = self.api();
        let told = api.patch(&pushed.name, &params, &patch).await;
        told.context("the refresh annotation")?;
        Ok(pushed)
    }

    pub(crate) async fn stop(self) {
        self.cluster.stop().await;
    }

    async fn synced(&self) -> anyhow::Result<()> {
        let (api, end) = (self.api(), Instant::now() + PATIENCE);
        loop {
            let listed = api.list(&kube::api::ListParams::default()).await?;
            let open = listed.items.iter().filter(|item| {
                let status = &item.data["status"];
                status["sync"]["status"] != "Synced" || status["health"]["status"] != "Healthy"
            });
            let open = open.count();
            if open == 0 {
                return Ok(());
            }
            if Instant::now() > end {
                bail!("{open} of {} applications are not Synced", self.size);
            }
            self.cluster.check().await?;
            sleep(Duration::from_secs(1)).await;
        }
    }

    fn application(&self, number: u32) -> Value {
        json!({
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"name": name(number), "namespace": self.argocd().namespace},
            "spec": {
                "project": "default",
                "source": {
                    "repoURL": self.cluster.git().url(REPOSITORY),
                    "path": name(number),
                    "targetRevision": "main",
                },
                "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
                "syncPolicy": {"automated": {}},
            },
        })
    }
}

fn name(number: u32) -> String {
    format!("fleet-{number}")
}

fn file(number: u32) -> String {
    format!("{}/map.yaml", name(number))
}

fn manifest(number: u32, text: &str) -> String {
    let map = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name(number)},
        "data": {"text": text},
    });
    map.to_string()
}
