//! What a reporter and an inventory say to each other, in bytes of both directions.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll},
};

use causeway_application_event_reporter::Applications;
use causeway_argocd::{
    application::{Application, Metadata, Resource, Spec, Status},
    redact::Redactor,
};
use causeway_client::{Credential, Jitter, Peer, PeerUrl};
use causeway_inventory::{Inventory, inventory::NamesAreIds, store::Store};
use causeway_memory_store::MemoryStore;
use causeway_reporting::{
    Metrics, ObjectEvents, Reporter, Setup,
    object::{ObjectEvent, WatchScope},
};
use causeway_shell::{HttpService, Shell, TestStop, serve_connection};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf},
    sync::mpsc,
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;
use tonic::transport::Uri;
use tower::service_fn;

use crate::platform::{account, services};

/// A stream whose bytes are counted, both ways.
struct Counted {
    stream: DuplexStream,
    bytes: Arc<AtomicU64>,
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let count = buffer.filled().len() - before;
        self.bytes.fetch_add(count as u64, Relaxed);
        read
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(count)) = &written {
            self.bytes.fetch_add(*count as u64, Relaxed);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// An inventory at the other end of pipes.
struct Platform {
    store: Arc<MemoryStore>,
    service: HttpService,
    shell: Shell,
    _stop: TestStop,
    open: JoinSet<()>,
}

/// A reporter at work.
struct Runtime {
    events: mpsc::Sender<ObjectEvent<Application>>,
    bytes: Arc<AtomicU64>,
    _running: JoinSet<()>,
}

impl Runtime {
    async fn say(&self, event: ObjectEvent<Application>) {
        self.events.send(event).await.expect("the reporter listens");
    }

    /// Starts on a complete list.
    async fn list(&self, objects: &[Arc<Application>]) {
        let scope = WatchScope::All;
        let started = ObjectEvent::ListStarted {
            scope: scope.clone(),
            resource_version: 1_000_000,
        };
        self.say(started).await;
        for object in objects {
            self.say(ObjectEvent::Applied(object.clone())).await;
        }
        self.say(ObjectEvent::ListCompleted { scope }).await;
    }
}

impl Platform {
    fn start() -> Self {
        let (shell, stop) = Shell::for_test("inventory");
        let store = Arc::new(MemoryStore::default());
        let inventory = Inventory::new(
            store.clone(),
            Arc::new(NamesAreIds),
            CancellationToken::new(),
        );
        let mut open = JoinSet::new();
        open.spawn(inventory.keep_members());
        Self {
            store,
            service: services(&inventory),
            shell,
            _stop: stop,
            open,
        }
    }

    /// The way there, on which bytes are counted.
    fn peer(&mut self, bytes: &Arc<AtomicU64>) -> Peer {
        let (pipes_tx, mut pipes) = mpsc::unbounded_channel::<DuplexStream>();
        let (service, shutdown) = (self.service.clone(), self.shell.shutdown());
        self.open.spawn(async move {
            let mut connections = JoinSet::new();
            while let Some(pipe) = pipes.recv().await {
                connections.spawn(serve_connection(pipe, service.clone(), &shutdown));
            }
        });
        let bytes = bytes.clone();
        let connector = service_fn(move |_: Uri| {
            let (stream, far) = tokio::io::duplex(1 << 20);
            let sent = pipes_tx.send(far).map_err(|_| io::ErrorKind::BrokenPipe);
            let bytes = bytes.clone();
            async move {
                sent?;
                Ok::<_, io::Error>(TokioIo::new(Counted { stream, bytes }))
            }
        });
        let url = PeerUrl::parse("http://inventory", None).expect("an address");
        let channel = url.endpoint().connect_with_connector_lazy(connector);
        Peer::from_channel(channel, Credential::None)
    }

    /// A reporter that lists these objects.
    async fn runtime(&mut self, run: u8, objects: &[Arc<Application>]) -> Runtime {
        let bytes = Arc::<AtomicU64>::default();
        let (shell, _stop) = Shell::for_test("application-event-reporter");
        let (events_tx, events) = mpsc::channel(64);
        let setup = Setup {
            kind: Applications::new(Redactor::new(b"a secret of the runtime")),
            inventory: self.peer(&bytes),
            source: None,
            cluster: "in-cluster".to_owned(),
            scopes: vec![WatchScope::All],
            store_identity: "the-cluster".to_owned(),
            instance: format!("00000000-0000-4000-8000-0000000000{run:02}"),
            version: shell.version().to_owned(),
            ready: None,
            metrics: Metrics::new(&shell.meter(), "applications", "in-cluster"),
            notices: shell.notices().clone(),
            jitter: Jitter::default(),
        };
        let relist = Vec::new();
        let reporter = Reporter::new(setup, ObjectEvents { events, relist });
        let mut running = JoinSet::new();
        running.spawn(reporter.run(std::future::pending()));
        let runtime = Runtime {
            events: events_tx,
            bytes,
            _running: running,
        };
        runtime.list(objects).await;
        runtime
    }

    /// Waits until so many changes were accepted; gives how many were.
    async fn accepted(&self, changes: u64) -> u64 {
        let mut commits = self.store.reads().commits().subscribe(&account());
        loop {
            let extent = self.store.reads().change_bounds(&account()).await;
            let latest = extent.expect("memory answers").latest;
            if latest >= changes {
                return latest;
            }
            commits.changed().await.expect("the store is there");
        }
    }
}

fn application(number: u64, version: u64, resources: Vec<Resource>) -> Arc<Application> {
    Arc::new(Application {
        metadata: Metadata {
            namespace: "argocd".to_owned(),
            name: format!("team-{:02}-service-{number:05}", number % 40),
            uid: format!("2f9d8a5c-0000-4000-8000-{number:012}"),
            resource_version: version.to_string(),
            ..Metadata::default()
        },
        spec: Spec {
            project: "default".to_owned(),
            ..Spec::default()
        },
        status: Status {
            resources,
            ..Status::default()
        },
        ..Application::default()
    })
}

#[tokio::test(start_paused = true)]
async fn unchanged_restart_sends_only_root_digests() {
    let mut platform = Platform::start();
    let mut objects: Vec<_> = (0..5_000)
        .map(|number| application(number, number + 1, resources(8, 0)))
        .collect();
    let first = platform.runtime(1, &objects).await;
    assert_eq!(platform.accepted(5_000).await, 5_000);
    let whole = first.bytes.load(Relaxed);
    drop(first);
    let again = platform.runtime(2, &objects).await;
    // What changes is told after all that did not was looked at.
    for round in 1..=2 {
        let changed = application(4_999, 1_000_000 + round, resources(8, 1));
        again.say(ObjectEvent::Applied(changed.clone())).await;
        objects[4_999] = changed;
        assert_eq!(platform.accepted(5_000 + round).await, 5_000 + round);
    }
    let bytes = again.bytes.load(Relaxed);
    assert!(bytes <= 1 << 20, "{bytes} bytes, and {whole} at first");
    assert!(whole > 1 << 20, "{whole} bytes are no more than the goal");
}

fn resources(count: usize, broken: usize) -> Vec<Resource> {
    let resource = |number: usize| Resource {
        group: "apps".into(),
        version: "v1".into(),
        kind: "Deployment".into(),
        namespace: "shop".into(),
        name: format!("service-{number:03}").into(),
        status: if number == broken {
            "OutOfSync"
        } else {
            "Synced"
        }
        .into(),
        ..Resource::default()
    };
    (0..count).map(resource).collect()
}

#[tokio::test(start_paused = true)]
async fn one_change_of_one_of_a_hundred_resources_takes_less_than_four_kib() {
    let mut platform = Platform::start();
    let runtime = platform
        .runtime(1, &[application(1, 1, resources(100, 7))])
        .await;
    platform.accepted(1).await;
    for (round, broken) in [(1, 40), (2, 99)] {
        let before = runtime.bytes.load(Relaxed);
        let changed = application(1, 1 + round, resources(100, broken));
        runtime.say(ObjectEvent::Applied(changed)).await;
        assert_eq!(platform.accepted(1 + round).await, 1 + round);
        let bytes = runtime.bytes.load(Relaxed) - before;
        assert!(bytes <= 4 << 10, "{bytes} bytes");
    }
}
