//! A host of the runtime: a reporter, and what lists and watches the cluster for it.

use std::sync::Arc;

use causeway_application_event_reporter::Applications;
use causeway_argocd::{application::Application, redact::Redactor};
use causeway_client::Peer;
use causeway_reporting::{
    Metrics, ObjectEvents, Reporter, Setup,
    object::{self, ObjectKey, WatchScope},
    queue::Queue,
};
use causeway_shell::Shell;
use tokio::sync::{Notify, mpsc};

use crate::cluster::Cluster;

const EVENTS: usize = 16;

type ObjectEvent = object::ObjectEvent<Application>;

/// What a watch tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Everything.
    Whole,
    /// Broken on purpose: no deletion while the object's watch stands.
    BlindToDeletions,
}

/// Who watches which cluster.
#[derive(Clone)]
pub(crate) struct Watcher {
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) name: &'static str,
    pub(crate) sight: Sight,
    /// What waits to be sent.
    pub(crate) queue: Queue<ObjectKey>,
}

/// Reports the cluster until the host crashes.
pub(crate) async fn report(watcher: Watcher, inventory: Peer) -> turmoil::Result {
    let instance = watcher.cluster.next_instance();
    report_as(watcher, instance, inventory).await
}

/// The same as a reporter of this name.
pub(crate) async fn report_as(
    watcher: Watcher,
    instance: String,
    inventory: Peer,
) -> turmoil::Result {
    let cluster = &watcher.cluster;
    let (shell, _stop) = Shell::for_test("application-event-reporter");
    let (events_tx, events) = mpsc::channel(EVENTS);
    let relist = Arc::new(Notify::new());
    let setup = Setup {
        kind: Applications::new(Redactor::new(b"a secret of the runtime")),
        inventory,
        source: None,
        cluster: "in-cluster".to_owned(),
        scopes: vec![WatchScope::All],
        store_identity: "the-cluster".to_owned(),
        instance,
        version: shell.version().to_owned(),
        ready: None,
        metrics: Metrics::new(&shell.meter(), "applications", "in-cluster"),
        notices: shell.notices().clone(),
        jitter: cluster.next_jitter(),
    };
    let objects = ObjectEvents {
        events,
        relist: vec![relist.clone()],
    };
    let reporter = Reporter::new(setup, objects).with_queue(watcher.queue.clone());
    let reporting = reporter.run(std::future::pending());
    tokio::select! {
        () = reporting => Err("the reporter ended".into()),
        Err(_) = list_and_watch(&watcher, &events_tx, &relist) => Err("nobody listens".into()),
    }
}

type Told = Result<(), mpsc::error::SendError<ObjectEvent>>;

async fn list_and_watch(
    watcher: &Watcher,
    events: &mpsc::Sender<ObjectEvent>,
    relist: &Notify,
) -> Told {
    let cluster = &watcher.cluster;
    let mut news = cluster.news();
    loop {
        let at = list(cluster, events).await?;
        tokio::select! {
            told = watch(watcher, events, &mut news, at) => told?,
            () = relist.notified() => {}
            () = cluster.relist_wanted(watcher.name) => {}
        }
    }
}

/// One complete list; tells where a watch goes on after it.
async fn list(
    cluster: &Cluster,
    events: &mpsc::Sender<ObjectEvent>,
) -> Result<usize, mpsc::error::SendError<ObjectEvent>> {
    let list = cluster.list();
    let scope = WatchScope::All;
    let started = ObjectEvent::ListStarted {
        scope: scope.clone(),
        resource_version: list.resource_version,
    };
    events.send(started).await?;
    for object in list.objects {
        events.send(ObjectEvent::Applied(object)).await?;
    }
    events.send(ObjectEvent::ListCompleted { scope }).await?;
    Ok(list.events)
}

async fn watch(
    watcher: &Watcher,
    events: &mpsc::Sender<ObjectEvent>,
    news: &mut tokio::sync::watch::Receiver<()>,
    mut at: usize,
) -> Told {
    loop {
        while let Some(event) = watcher.cluster.event(watcher.name, at) {
            at += 1;
            let deletion = matches!(event, ObjectEvent::Deleted { .. });
            if !(deletion && watcher.sight == Sight::BlindToDeletions) {
                events.send(event).await?;
            }
        }
        if news.changed().await.is_err() {
            return std::future::pending().await;
        }
    }
}
