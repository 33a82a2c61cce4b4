//! The reporter in a simulated network, single-threaded with simulated time.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use causeway_application_event_reporter::Applications;
use causeway_argocd::{application::Application, redact::Redactor};
use causeway_client::{Credential, Jitter, Peer};
use causeway_reporting::{
    Metrics, ObjectEvents, ReportedKind as _, Reporter, Setup,
    object::{ObjectEvent, WatchScope},
};
use causeway_shell::Notices;
use causeway_testkit::FakeInventory;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::{mpsc, watch},
    task::JoinSet,
};
use tonic::transport::{Endpoint, Server, server::Connected};
use turmoil::net::{TcpListener, TcpStream};

const PORT: u16 = 80;
/// Each partition lasts longer than the previous one by this time.
const PARTITION_INCREMENT: Duration = Duration::from_secs(30);

/// Simulated connection for tonic.
struct Accepted(TcpStream);

impl Connected for Accepted {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Accepted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Accepted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

async fn serve(inventory: FakeInventory) -> turmoil::Result {
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    let incoming = futures::stream::unfold(listener, |listener| async {
        let accepted = listener.accept().await.map(|(stream, _)| Accepted(stream));
        Some((accepted, listener))
    });
    let server = Server::builder().add_service(inventory.handler());
    Ok(server.serve_with_incoming(incoming).await?)
}

fn peer() -> Peer {
    let connect = tower::service_fn(|_| async {
        TcpStream::connect(("inventory", PORT))
            .await
            .map(TokioIo::new)
    });
    let endpoint = Endpoint::from_static("http://inventory")
        .connect_timeout(Duration::from_secs(5))
        .http2_keep_alive_interval(Duration::from_secs(5))
        .keep_alive_timeout(Duration::from_secs(5))
        .keep_alive_while_idle(true);
    Peer::from_channel(
        endpoint.connect_with_connector_lazy(connect),
        Credential::None,
    )
}

fn setup() -> Setup<Applications> {
    Setup {
        kind: Applications::new(Redactor::new(b"a key")),
        inventory: peer(),
        source: None,
        cluster: "in-cluster".to_owned(),
        scopes: vec![WatchScope::All],
        store_identity: String::new(),
        instance: uuid::Uuid::new_v4().to_string(),
        version: "test".to_owned(),
        ready: None,
        metrics: Metrics::new(&opentelemetry::global::meter("test"), "kind", "cluster"),
        notices: Notices::default(),
        jitter: Jitter::default(),
    }
}

/// Cluster of names and versions that reports its changes.
struct Cluster {
    objects: BTreeMap<String, u64>,
    version: u64,
    events: mpsc::Sender<ObjectEvent<Application>>,
}

impl Cluster {
    async fn list(&self) {
        let scope = WatchScope::All;
        let started = ObjectEvent::ListStarted {
            scope: scope.clone(),
            resource_version: self.version,
        };
        self.send(started).await;
        for (name, version) in &self.objects {
            self.send(ObjectEvent::Applied(object(name, *version)))
                .await;
        }
        self.send(ObjectEvent::ListCompleted { scope }).await;
    }

    async fn apply(&mut self, name: &str) {
        self.version += 1;
        self.objects.insert(name.to_owned(), self.version);
        self.send(ObjectEvent::Applied(object(name, self.version)))
            .await;
    }

    async fn delete(&mut self, name: &str) {
        self.version += 1;
        self.objects.remove(name);
        let deleted = ObjectEvent::Deleted {
            key: Applications::key(&object(name, 1)),
            resource_version: self.version,
        };
        self.send(deleted).await;
    }

    async fn send(&self, event: ObjectEvent<Application>) {
        self.events.send(event).await.unwrap();
    }
}

fn object(name: &str, version: u64) -> Arc<Application> {
    let object = json!({"metadata": {
        "namespace": "argocd", "name": name, "uid": format!("uid-{name}"), "resourceVersion": version.to_string(),
    }});
    Arc::new(Application::from_value(object).unwrap())
}

/// Starts a reporter and its cluster. The reporter runs as long as the set exists.
async fn report() -> (JoinSet<()>, Cluster) {
    let (events_tx, events) = mpsc::channel(16);
    let objects = ObjectEvents {
        events,
        relist: Vec::new(),
    };
    let mut reporting = JoinSet::new();
    reporting.spawn(Reporter::new(setup(), objects).run(std::future::pending()));
    let cluster = Cluster {
        objects: BTreeMap::new(),
        version: 100,
        events: events_tx,
    };
    cluster.list().await;
    (reporting, cluster)
}

async fn changes(inventory: FakeInventory) -> turmoil::Result {
    let (_reporting, mut cluster) = report().await;
    for round in 0..21 {
        let begun = turmoil::elapsed();
        cluster.apply("web").await;
        let look = |seen: &causeway_testkit::Seen| (seen.live() == cluster.objects).then_some(());
        inventory.until_patiently("a change", look).await;
        let took = turmoil::elapsed() - begun;
        // the first is sent when the stream is open
        assert!(round == 0 || took < Duration::from_millis(20), "{took:?}");
    }
    Ok(())
}

/// Simulates a network with 1 ms latency per direction.
#[test]
fn a_change_is_sent_within_milliseconds() {
    let inventory = FakeInventory::unserved(([0, 0, 0, 0], PORT).into());
    let mut simulation = turmoil::Builder::new()
        .simulation_duration(Duration::from_secs(60))
        .tick_duration(Duration::from_millis(1))
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(1))
        .rng_seed(7)
        .build();
    let served = inventory.clone();
    simulation.host("inventory", move || serve(served.clone()));
    simulation.client("reporter", changes(inventory));
    simulation.run().unwrap();
}

async fn story(
    inventory: FakeInventory,
    breach: watch::Sender<Option<Duration>>,
) -> turmoil::Result {
    let (_reporting, mut cluster) = report().await;
    for round in 0..5 {
        for number in 0..1_200 {
            cluster.apply(&format!("app-{number}")).await;
        }
        breach.send_replace(None);
        turmoil::partition("reporter", "inventory");
        for number in (round..1_200).step_by(7) {
            cluster.apply(&format!("app-{number}")).await;
        }
        for number in (round..1_200).step_by(5) {
            cluster.delete(&format!("app-{number}")).await;
        }
        breach.send_replace(Some(
            turmoil::elapsed() + PARTITION_INCREMENT * u32::try_from(round)?,
        ));
        let look = |seen: &causeway_testkit::Seen| (seen.live() == cluster.objects).then_some(());
        inventory.until_patiently("everything", look).await;
    }
    Ok(())
}

#[test]
fn a_partition_heals_without_loss() {
    let inventory = FakeInventory::unserved(([0, 0, 0, 0], PORT).into());
    let mut simulation = turmoil::Builder::new()
        .simulation_duration(Duration::from_secs(1_800))
        .tick_duration(Duration::from_millis(10))
        .rng_seed(7)
        .build();
    let served = inventory.clone();
    simulation.host("inventory", move || serve(served.clone()));
    let (breach, parted) = watch::channel(None);
    simulation.client("reporter", story(inventory, breach));
    while !simulation.step().unwrap() {
        let until = *parted.borrow();
        if until.is_some_and(|until| simulation.elapsed() >= until) {
            simulation.repair("reporter", "inventory");
        }
    }
}
