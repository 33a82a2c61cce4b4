//! The baseline's reporter. See [`super`] for what it is.

use std::{
    pin::pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use causeway_testkit::Generator;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _, stream};
use kube::{
    Api, Client, Config,
    api::{ApiResource, DynamicObject, GroupVersionKind},
    config::{KubeConfigOptions, Kubeconfig},
    runtime::watcher,
};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinSet};

use super::{Counts, sent::Sent};

/// Events that wait.
const QUEUE: usize = 1_000;
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_secs(1);
/// Of one application at a time.
const RESOURCES_AT_ONCE: usize = 10;
const PATIENCE: Duration = Duration::from_secs(30);
const PACKING: i32 = 3;

enum Event {
    Applied(Value),
    Deleted(Value),
}

/// A running one. Its drop ends it.
pub(crate) struct Reporter {
    _tasks: JoinSet<anyhow::Result<()>>,
}

/// How events are told.
#[derive(Clone)]
struct Teller {
    http: reqwest::Client,
    runtime: String,
    argocd: String,
    token: String,
    receiver: String,
    counts: Arc<Counts>,
}

impl Reporter {
    pub(crate) async fn start(
        runtime: &str,
        generator: &Generator,
        receiver: String,
        counts: Arc<Counts>,
    ) -> anyhow::Result<Self> {
        let kubeconfig = Kubeconfig::from_yaml(&generator.kubeconfig())?;
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
        let client = Client::try_from(config)?;
        let teller = Teller {
            http: reqwest::Client::builder().timeout(PATIENCE).build()?,
            runtime: runtime.to_owned(),
            argocd: generator.argocd_url(),
            token: generator.argocd_token().to_owned(),
            receiver,
            counts: Arc::clone(&counts),
        };
        let (queue, events) = mpsc::channel(QUEUE);
        let mut tasks = JoinSet::new();
        tasks.spawn(watch(client, queue, counts));
        tasks.spawn(tell(teller, events));
        Ok(Self { _tasks: tasks })
    }
}

async fn watch(
    client: Client,
    queue: mpsc::Sender<Event>,
    counts: Arc<Counts>,
) -> anyhow::Result<()> {
    let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
    let kind = ApiResource::from_gvk_with_plural(&kind, "applications");
    let all: Api<DynamicObject> = Api::all_with(client, &kind);
    let mut events = pin!(watcher(all, watcher::Config::default()));
    while let Some(event) = events.try_next().await? {
        counts.events.fetch_add(1, Ordering::Relaxed);
        let event = match event {
            watcher::Event::Init | watcher::Event::InitDone => continue,
            // what is there at the start is told whatever the queue holds
            watcher::Event::InitApply(object) => {
                queue
                    .send(Event::Applied(serde_json::to_value(object)?))
                    .await?;
                continue;
            }
            watcher::Event::Apply(object) => Event::Applied(serde_json::to_value(object)?),
            watcher::Event::Delete(object) => Event::Deleted(serde_json::to_value(object)?),
        };
        if queue.try_send(event).is_err() {
            counts.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// One event after the other.
async fn tell(teller: Teller, mut events: mpsc::Receiver<Event>) -> anyhow::Result<()> {
    let mut sent = Sent::default();
    while let Some(event) = events.recv().await {
        // one that cannot be told is given up, and counted
        let _ = match event {
            Event::Applied(object) => teller.applied(&object, &mut sent).await,
            Event::Deleted(object) => teller.deleted(&object, &mut sent).await,
        };
    }
    Ok(())
}

impl Teller {
    async fn applied(&self, object: &Value, sent: &mut Sent) -> anyhow::Result<()> {
        let uid = text(object, "/metadata/uid");
        let was_healthy = !sent.is_new(
            format!("{uid}/health"),
            &[&object["status"]["health"]["status"]],
        );
        let parts = [
            &object["spec"],
            &object["status"],
            &object["operation"],
            &object["metadata"]["labels"],
            &object["metadata"]["annotations"],
        ];
        if !sent.is_new(format!("{uid}/application"), &parts) {
            return Ok(());
        }
        let source = self.source(object).await?;
        self.send(&self.payload(object, object, &source, None))
            .await?;
        let revision = text(object, "/status/sync/revision");
        let became_healthy = !was_healthy && text(object, "/status/health/status") == "Healthy";
        let mut telling = Vec::new();
        for entry in object["status"]["resources"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let key = format!("{uid}/{revision}/{}/{}", entry["kind"], entry["name"]);
            if sent.is_new(key, &[entry]) || became_healthy {
                telling.push(self.resource(object, entry, &source).boxed());
            }
        }
        stream::iter(telling)
            .buffer_unordered(RESOURCES_AT_ONCE)
            .for_each(|_| async {})
            .await;
        Ok(())
    }

    async fn deleted(&self, object: &Value, sent: &mut Sent) -> anyhow::Result<()> {
        sent.forget(text(object, "/metadata/uid"));
        let mut payload = self.payload(object, object, &json!({}), None);
        payload["deleted"] = true.into();
        self.send(&payload).await
    }

    /// What goes with every event of an application.
    async fn source(&self, object: &Value) -> anyhow::Result<Value> {
        let name = text(object, "/metadata/name");
        let revision = text(object, "/status/sync/revision");
        let path = |rest: &str| format!("applications/{name}/{rest}");
        self.ask(&path("resource-tree")).await?;
        // of the target, and of what was synced last
        let desired = self.ask(&path("manifests")).await?;
        self.ask(&path("manifests")).await?;
        let commit = self
            .ask(&path(&format!("revisions/{revision}/metadata")))
            .await?;
        Ok(json!({
            "gitManifest": desired["manifests"][0],
            "repoURL": object["spec"]["source"]["repoURL"],
            "path": object["spec"]["source"]["path"],
            "revision": revision,
            "commitMessage": commit["message"],
            "commitAuthor": commit["author"],
            "commitDate": commit["date"],
            "desired": desired["manifests"],
        }))
    }

    async fn resource(&self, object: &Value, entry: &Value, source: &Value) -> anyhow::Result<()> {
        let name = text(object, "/metadata/name");
        let (resource, kind) = (text(entry, "/name"), text(entry, "/kind"));
        let path = format!("applications/{name}/resource?resourceName={resource}&kind={kind}");
        let live = self.ask(&path).await?;
        let payload = self.payload(object, &live["manifest"], source, Some((kind, resource)));
        self.send(&payload).await
    }

    /// The state of an application, or of a resource of it by kind and name.
    fn payload(
        &self,
        application: &Value,
        object: &Value,
        source: &Value,
        resource: Option<(&str, &str)>,
    ) -> Value {
        let manifests = source["desired"].as_array();
        let mut manifests = manifests.into_iter().flatten().filter_map(Value::as_str);
        let desired = resource.and_then(|(kind, name)| {
            let marks = [format!(r#""kind":"{kind}""#), format!(r#""name":"{name}""#)];
            manifests.find(|text| marks.iter().all(|mark| text.contains(mark)))
        });
        json!({
            "runtime": self.runtime,
            "resource": resource.map_or_else(String::new, |(kind, name)| format!("{kind}/{name}")),
            "object": object,
            "source": {
                "desiredManifest": desired,
                "actualManifest": object,
                "gitManifest": source["gitManifest"],
                "repoURL": source["repoURL"],
                "path": source["path"],
                "revision": source["revision"],
                "commitMessage": source["commitMessage"],
                "commitAuthor": source["commitAuthor"],
                "commitDate": source["commitDate"],
                "appName": application["metadata"]["name"],
                "appNamespace": application["metadata"]["namespace"],
                "appUID": application["metadata"]["uid"],
                "appLabels": application["metadata"]["labels"],
                "resourceVersion": application["metadata"]["resourceVersion"],
                "syncStatus": application["status"]["sync"]["status"],
                "healthStatus": application["status"]["health"]["status"],
            },
            "errors": [],
        })
    }

    async fn ask(&self, path: &str) -> anyhow::Result<Value> {
        self.counts.questions.fetch_add(1, Ordering::Relaxed);
        let url = format!("{}/api/v1/{path}", self.argocd);
        let asked = self.http.get(url).bearer_auth(&self.token).send().await?;
        Ok(asked.error_for_status()?.json().await?)
    }

    async fn send(&self, payload: &Value) -> anyhow::Result<()> {
        let body = zstd::bulk::compress(&serde_json::to_vec(payload)?, PACKING)?;
        for _ in 0..TRIES {
            self.counts.sends.fetch_add(1, Ordering::Relaxed);
            self.counts
                .bytes
                .fetch_add(body.len() as u64, Ordering::Relaxed);
            let url = format!("{}/2.0/api/events", self.receiver);
            let sent = self.http.post(url).body(body.clone()).send().await;
            if sent.is_ok_and(|answer| answer.status() == StatusCode::OK) {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        self.counts.given_up.fetch_add(1, Ordering::Relaxed);
        anyhow::bail!("given up")
    }
}

fn text<'a>(value: &'a Value, at: &str) -> &'a str {
    value.pointer(at).and_then(Value::as_str).unwrap_or("")
}
