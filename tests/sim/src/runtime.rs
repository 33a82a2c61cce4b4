//! The runtime's host: a reporter, and what lists and watches the cluster for it.

use std::sync::Arc;

use causeway_application_event_reporter::{
    Metrics, ObjectEvents, Reporter, Setup,
    object::{ObjectEvent, WatchScope},
};
use causeway_argocd::redact::Redactor;
use causeway_shell::Shell;
use tokio::sync::{Notify, mpsc};

use crate::{cluster::Cluster, network};

const EVENTS: usize = 16;

/// What a watch tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Everything.
    Whole,
    /// Broken on purpose: no deletion while the object's watch stands.
    BlindToDeletions,
}

/// Reports the cluster until the host crashes.
pub(crate) async fn report(cluster: Arc<Cluster>, sight: Sight) -> turmoil::Result {
    let (shell, _stop) = Shell::for_test("application-event-reporter");
    let (events_tx, events) = mpsc::channel(EVENTS);
    let relist = Arc::new(Notify::new());
    let setup = Setup {
        inventory: network::platform()?,
        source: None,
        cluster: "in-cluster".to_owned(),
        scopes: vec![WatchScope::All],
        store_identity: "the-cluster".to_owned(),
        instance: cluster.next_instance(),
        version: shell.version().to_owned(),
        redactor: Redactor::new(b"a secret of the runtime"),
        ready: None,
        metrics: Metrics::new(&shell.meter()),
        notices: shell.notices().clone(),
        jitter: cluster.next_jitter(),
    };
    let objects = ObjectEvents {
        events,
        relist: vec![relist.clone()],
    };
    let reporting = Reporter::new(setup, objects).run(std::future::pending());
    tokio::select! {
        () = reporting => Err("the reporter ended".into()),
        Err(_) = list_and_watch(&cluster, &events_tx, &relist, sight) => Err("nobody listens".into()),
    }
}

type Told = Result<(), mpsc::error::SendError<ObjectEvent>>;

async fn list_and_watch(
    cluster: &Cluster,
    events: &mpsc::Sender<ObjectEvent>,
    relist: &Notify,
    sight: Sight,
) -> Told {
    let mut news = cluster.news();
    loop {
        let at = list(cluster, events).await?;
        tokio::select! {
            told = watch(cluster, events, &mut news, (at, sight)) => told?,
            () = relist.notified() => {}
            () = cluster.relist_wanted() => {}
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
    events.send(ObjectEvent::Listed { scope }).await?;
    Ok(list.events)
}

async fn watch(
    cluster: &Cluster,
    events: &mpsc::Sender<ObjectEvent>,
    news: &mut tokio::sync::watch::Receiver<()>,
    (mut at, sight): (usize, Sight),
) -> Told {
    loop {
        while let Some(event) = cluster.event(at) {
            at += 1;
            let deletion = matches!(event, ObjectEvent::Deleted { .. });
            if !(deletion && sight == Sight::BlindToDeletions) {
                events.send(event).await?;
            }
        }
        if news.changed().await.is_err() {
            return std::future::pending().await;
        }
    }
}
