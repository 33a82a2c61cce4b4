//! A cluster in which something always changes.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use causeway_sandbox::Sandbox;
use kube::{
    Api,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use serde_json::json;
use tokio::task::JoinHandle;

const NAMES: u32 = 40;

/// Creates, changes and deletes Applications, one after the other, until it is stopped.
pub(crate) struct Churn {
    /// How many changes the cluster has taken.
    pub(crate) changes: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

pub(crate) fn applications(sandbox: &Sandbox) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
    let resource = ApiResource::from_gvk(&kind);
    Api::namespaced_with(sandbox.kube().client(), "argocd", &resource)
}

impl Churn {
    pub(crate) fn start(sandbox: &Sandbox, seed: u64) -> Self {
        let changes = Arc::new(AtomicU64::new(0));
        let stop = Arc::new(AtomicBool::new(false));
        let (api, url) = (applications(sandbox), sandbox.git_url("apps"));
        let (counted, ended) = (Arc::clone(&changes), Arc::clone(&stop));
        #[expect(
            clippy::disallowed_methods,
            reason = "a test has no shell, and waits for the task itself"
        )]
        let task = tokio::spawn(async move {
            let mut chance = SmallRng::seed_from_u64(seed);
            while !ended.load(Ordering::Relaxed) {
                let step = counted.load(Ordering::Relaxed);
                if change(&api, &url, &mut chance, step).await {
                    counted.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        Self {
            changes,
            stop,
            task,
        }
    }

    pub(crate) async fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.task.await.unwrap();
    }
}

/// Whether the cluster took it: of the names some are there and some are not.
async fn change(api: &Api<DynamicObject>, url: &str, chance: &mut SmallRng, step: u64) -> bool {
    let name = format!("app-{}", chance.random_range(0..NAMES));
    match chance.random_range(0..10) {
        0 => api.delete(&name, &DeleteParams::default()).await.is_ok(),
        1..=2 => {
            let made = serde_json::from_value(json!({
                "apiVersion": "argoproj.io/v1alpha1",
                "kind": "Application",
                "metadata": {"name": name, "namespace": "argocd", "labels": {"step": step.to_string()}},
                "spec": {
                    "project": "default",
                    "source": {"repoURL": url, "path": name, "targetRevision": "main"},
                    "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
                },
            }));
            let made = api.create(&PostParams::default(), &made.unwrap()).await;
            made.is_ok()
        }
        _ => {
            let label = json!({"metadata": {"labels": {"step": step.to_string()}}});
            let (patch, how) = (Patch::Merge(label), PatchParams::default());
            api.patch(&name, &how, &patch).await.is_ok()
        }
    }
}
