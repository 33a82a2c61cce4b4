//! The controller's loop: watches tell which applications to look at, eight looks run side by side.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;
use kube::Client;
use serde_json::Value;
use tokio::{task::JoinSet, time::Instant};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    application::ApplicationKey,
    cluster::ClusterError,
    events,
    live::Live,
    manifest::{GroupKind, ResourceKey, items, text, tracked_by},
    queue::{Queue, Reason},
    reconcile::Reconciler,
    source::Sources,
};
use crate::git::{GitServer, Pushes};

const LOOKS: usize = 8;
/// Interval of full reconciliation, the default of `timeout.reconciliation`.
const RECONCILIATION: Duration = Duration::from_secs(180);

/// Options of the controller.
pub(crate) struct ControllerOptions {
    pub(crate) client: Client,
    pub(crate) git: Arc<GitServer>,
    /// mirrors of repositories elsewhere go here
    pub(crate) mirrors: PathBuf,
    /// Argo CD's own namespace
    pub(crate) namespace: String,
}

/// A running controller. Stops when dropped.
pub(crate) struct Controller {
    reconciler: Arc<Reconciler>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

pub(crate) fn application_kind() -> GroupKind {
    GroupKind::new("argoproj.io", "v1alpha1", "Application")
}

pub(crate) fn project_kind() -> GroupKind {
    GroupKind::new("argoproj.io", "v1alpha1", "AppProject")
}

impl Controller {
    /// Watches applications and goes to work.
    ///
    /// Errors: the cluster does not answer, or serves no Applications.
    pub(crate) async fn start(options: ControllerOptions) -> Result<Self, ClusterError> {
        let ControllerOptions {
            client,
            git,
            mirrors,
            namespace,
        } = options;
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let queue = Arc::new(Queue::default());
        let on_change = notify(Arc::clone(&queue), namespace.clone());
        let pushes = git.pushes();
        let reconciler = Arc::new(Reconciler {
            live: Live::new(client, Box::new(on_change), tasks.clone(), stop.clone()),
            sources: Sources::new(git, mirrors),
            namespace,
            seen: std::sync::Mutex::default(),
        });
        for kind in [
            GroupKind::new("", "v1", "Pod"),
            GroupKind::new("apps", "v1", "ReplicaSet"),
            project_kind(),
        ] {
            reconciler.live.watch(&kind).await?;
        }
        if reconciler.live.watch(&application_kind()).await?.is_none() {
            let kind = application_kind();
            return Err(ClusterError::UnknownKind {
                group: kind.group,
                kind: kind.kind,
                namespace: String::new(),
                name: String::new(),
            });
        }
        let work = work(Arc::clone(&queue), Arc::clone(&reconciler));
        let follow = follow_pushes(pushes, Arc::clone(&queue), Arc::clone(&reconciler));
        let sweep = sweep(queue, Arc::clone(&reconciler));
        let stopped = stop.clone();
        tasks.spawn(async move {
            stopped
                .run_until_cancelled(async { tokio::join!(work, follow, sweep) })
                .await;
        });
        Ok(Self {
            reconciler,
            tasks,
            stop,
        })
    }

    pub(crate) fn reconciler(&self) -> Arc<Reconciler> {
        Arc::clone(&self.reconciler)
    }

    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// A change to an Application concerns itself; a change to anything tracked concerns the application that tracks it.
fn notify(queue: Arc<Queue>, namespace: String) -> impl Fn(&ResourceKey, &Value) + Send + Sync {
    move |key, value| {
        if key.kind == "Application" && key.group == "argoproj.io" {
            queue.push(ApplicationKey::of(value), Reason::Changed);
        }
        if let Some(instance) = tracked_by(value) {
            queue.push(
                ApplicationKey::from_instance(instance, &namespace),
                Reason::Changed,
            );
        }
    }
}

async fn work(queue: Arc<Queue>, reconciler: Arc<Reconciler>) {
    let mut looks = JoinSet::new();
    loop {
        while looks.len() < LOOKS
            && let Some((key, reason)) = queue.take()
        {
            looks.spawn(look(
                Arc::clone(&queue),
                Arc::clone(&reconciler),
                key,
                reason,
            ));
        }
        tokio::select! {
            () = queue.wait() => {}
            Some(ended) = looks.join_next() => {
                if let Err(error) = ended {
                    tracing::error!(%error, "a look at an application ended badly");
                }
            }
        }
    }
}

/// Ends the turn even when the look panics, so that one bad application stays one.
struct QueueGuard {
    queue: Arc<Queue>,
    key: ApplicationKey,
}

impl Drop for QueueGuard {
    fn drop(&mut self) {
        self.queue.done(&self.key);
    }
}

async fn look(queue: Arc<Queue>, reconciler: Arc<Reconciler>, key: ApplicationKey, reason: Reason) {
    let turn = QueueGuard { queue, key };
    match reconciler.reconcile(&turn.key, reason).await {
        Ok(None) => {}
        Ok(Some(wait)) => turn.queue.push_at(Instant::now() + wait, turn.key.clone()),
        Err(error) => {
            tracing::warn!(%error, application = %turn.key, "a look at an application failed");
            turn.queue
                .push_at(Instant::now() + Duration::from_secs(1), turn.key.clone());
        }
    }
}

/// A push to one of our repositories concerns every application that reads it.
async fn follow_pushes(
    mut pushes: tokio::sync::watch::Receiver<Pushes>,
    queue: Arc<Queue>,
    reconciler: Arc<Reconciler>,
) {
    let mut seen: BTreeMap<String, u64> = pushes.borrow_and_update().clone();
    while pushes.changed().await.is_ok() {
        let now = pushes.borrow_and_update().clone();
        let pushed: Vec<&str> = now
            .iter()
            .filter(|(name, count)| seen.get(*name) != Some(*count))
            .map(|(name, _)| name.as_str())
            .collect();
        for (key, value) in reconciler.applications() {
            if reads(&reconciler.sources, &value, &pushed) {
                queue.push(key, Reason::Latest);
            }
        }
        seen = now;
    }
}

fn reads(sources: &Sources, application: &Value, pushed: &[&str]) -> bool {
    let several = items(application, "/spec/sources").iter();
    let all = several.chain(application.pointer("/spec/source"));
    all.filter_map(|source| sources.local_name(text(source, "/repoURL")))
        .any(|name| pushed.contains(&name.as_str()))
}

async fn sweep(queue: Arc<Queue>, reconciler: Arc<Reconciler>) {
    loop {
        tokio::time::sleep(RECONCILIATION).await;
        let mut namespaces = BTreeSet::from([reconciler.namespace.clone()]);
        for (key, _) in reconciler.applications() {
            namespaces.insert(key.namespace.clone());
            queue.push(key, Reason::Latest);
        }
        for namespace in namespaces {
            let swept = events::sweep(reconciler.live.client(), &namespace, Timestamp::now());
            if let Err(error) = swept.await {
                tracing::debug!(%error, "old events stay");
            }
        }
    }
}
