//! A cluster in which something always changes: Applications come, change and go, and on some that stay operations end.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use causeway_sandbox::Sandbox;
use causeway_testkit::{
    history::{Event, History},
    wait_until,
};
use jiff::Timestamp;
use kube::{
    Api, ResourceExt as _,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::{reporter::PATIENCE, witness::lock};

const NAMES: u32 = 40;
/// Of these all operations are seen by whoever looks at the end, since they are never deleted.
const STEADY: usize = 8;
/// As many deployments as Argo CD keeps of an Application.
const DEPLOYMENTS: usize = 10;
const MANIFEST: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n";

/// Creates, changes and deletes Applications, one after the other, until it is stopped.
pub(crate) struct Churn {
    /// How many changes the cluster has taken.
    pub(crate) changes: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    task: JoinHandle<Hand>,
}

/// What changes things.
struct Hand {
    api: Api<DynamicObject>,
    url: String,
    chance: SmallRng,
    history: Arc<Mutex<History>>,
    changes: Arc<AtomicU64>,
    steady: Vec<Steady>,
    /// Operations end that many seconds after it.
    began: i64,
}

/// An Application that stays.
struct Steady {
    name: String,
    uid: String,
    deployments: Vec<Value>,
}

pub(crate) fn applications(sandbox: &Sandbox) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
    let resource = ApiResource::from_gvk(&kind);
    Api::namespaced_with(sandbox.kube().client(), "argocd", &resource)
}

/// An Application of a folder of its name, at this step.
pub(crate) fn application(sandbox: &Sandbox, name: &str, step: u64) -> DynamicObject {
    made(&sandbox.git_url("apps"), name, step)
}

impl Churn {
    /// Notes what ends in a history.
    pub(crate) async fn start(sandbox: &Sandbox, seed: u64, history: Arc<Mutex<History>>) -> Self {
        let names: Vec<_> = (0..STEADY)
            .map(|number| format!("steady-{number}"))
            .collect();
        let paths: Vec<_> = names
            .iter()
            .map(|it| format!("{it}/settings.yaml"))
            .collect();
        let files: Vec<_> = paths.iter().map(|path| (&**path, MANIFEST)).collect();
        let pushed = sandbox.push("apps", &files, "Add what stays").await;
        pushed.unwrap();
        let changes = Arc::new(AtomicU64::new(0));
        let mut hand = Hand {
            api: applications(sandbox),
            url: sandbox.git_url("apps"),
            chance: SmallRng::seed_from_u64(seed),
            history,
            changes: Arc::clone(&changes),
            steady: Vec::new(),
            began: Timestamp::now().as_second(),
        };
        for name in names {
            hand.settle(name).await;
        }
        let stop = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&stop);
        #[expect(
            clippy::disallowed_methods,
            reason = "a test has no shell, and waits for the task itself"
        )]
        let task = tokio::spawn(async move {
            while !ended.load(Ordering::Relaxed) {
                if hand.change().await {
                    hand.changes.fetch_add(1, Ordering::Relaxed);
                }
            }
            hand
        });
        Self {
            changes,
            stop,
            task,
        }
    }

    /// Ends it with an operation on each Application that stays, which fails.
    pub(crate) async fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        let mut hand = self.task.await.unwrap();
        for number in 0..STEADY {
            hand.changes.fetch_add(1, Ordering::Relaxed);
            hand.fail(number).await;
        }
    }
}

impl Hand {
    async fn settle(&mut self, name: String) {
        let wanted = made(&self.url, &name, 0);
        let made = wait_until("it is made", PATIENCE, async || {
            let made = self.api.create(&PostParams::default(), &wanted).await;
            made.map_err(|error| error.to_string())
        })
        .await;
        self.steady.push(Steady {
            name,
            uid: made.uid().unwrap(),
            deployments: Vec::new(),
        });
    }

    /// Whether the cluster took it: of the names some are there and some are not.
    async fn change(&mut self) -> bool {
        let step = self.changes.load(Ordering::Relaxed);
        let name = format!("app-{}", self.chance.random_range(0..NAMES));
        match self.chance.random_range(0..12) {
            0 => {
                let how = DeleteParams::default();
                self.api.delete(&name, &how).await.is_ok()
            }
            1..=2 => {
                let made = made(&self.url, &name, step);
                self.api.create(&PostParams::default(), &made).await.is_ok()
            }
            3..=9 => self.patch(&name, labelled(step)).await,
            _ => {
                let number = self.chance.random_range(0..STEADY);
                self.deploy(number, step).await
            }
        }
    }

    /// An operation succeeds, as often as all of them stay to be seen; after that only the label changes.
    async fn deploy(&mut self, number: usize, step: u64) -> bool {
        let time = self.time(step);
        let steady = &self.steady[number];
        let (name, mut deployments) = (steady.name.clone(), steady.deployments.clone());
        if deployments.len() >= DEPLOYMENTS {
            return self.patch(&name, labelled(step)).await;
        }
        deployments.push(json!({
            "id": deployments.len(),
            "revision": "main",
            "deployStartedAt": time,
            "deployedAt": time,
            "source": {"repoURL": self.url, "path": name, "targetRevision": "main"},
        }));
        let mut patch = labelled(step);
        patch["status"] = json!({
            "operationState": ended("Succeeded", &time),
            "history": deployments,
        });
        let taken = self.patch(&name, patch).await;
        if taken {
            self.steady[number].deployments = deployments;
            self.note(number, step);
        }
        taken
    }

    async fn fail(&mut self, number: usize) {
        let step = self.changes.load(Ordering::Relaxed);
        let mut patch = labelled(step);
        patch["status"] = json!({"operationState": ended("Failed", &self.time(step))});
        let name = &self.steady[number].name;
        wait_until("an operation fails", PATIENCE, async || {
            let taken = self.patch(name, patch.clone()).await;
            taken.then_some(()).ok_or_else(|| name.clone())
        })
        .await;
        self.note(number, step);
    }

    fn time(&self, step: u64) -> String {
        let seconds = self.began + i64::try_from(step).unwrap();
        Timestamp::from_second(seconds).unwrap().to_string()
    }

    /// An operation is known by the second in which it began.
    fn note(&self, number: usize, step: u64) {
        let began = self.began + i64::try_from(step).unwrap();
        lock(&self.history).note(Event::OperationEnded {
            uid: self.steady[number].uid.clone(),
            operation: began.to_string(),
        });
    }

    async fn patch(&self, name: &str, patch: Value) -> bool {
        let (patch, how) = (Patch::Merge(patch), PatchParams::default());
        self.api.patch(name, &how, &patch).await.is_ok()
    }
}

fn labelled(step: u64) -> Value {
    json!({"metadata": {"labels": {"step": step.to_string()}}})
}

fn ended(phase: &str, time: &str) -> Value {
    json!({
        "phase": phase,
        "message": "the test says so",
        "startedAt": time,
        "finishedAt": time,
        "operation": {"sync": {"revision": "main"}},
    })
}

fn made(url: &str, name: &str, step: u64) -> DynamicObject {
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
    made.unwrap()
}
