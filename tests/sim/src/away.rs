//! A platform that is away for an hour while a cluster goes on changing, and a queue that is full all that time; the time is virtual.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use causeway_client::{Credential, Peer, PeerUrl};
use causeway_inventory::{
    Inventory,
    application::{Filter, Record, View, Visible},
    inventory::NamesAreIds,
    store::Store,
};
use causeway_memory_store::MemoryStore;
use causeway_reporting::queue::{CAPACITY, Overflow, Queue};
use causeway_shell::{HttpService, Shell, TestStop, serve_connection};
use hyper_util::rt::TokioIo;
use tokio::{
    io::DuplexStream,
    task::JoinSet,
    time::{Instant, interval},
};
use tokio_util::sync::CancellationToken;
use tonic::transport::Uri;
use tower::service_fn;

use crate::{
    cluster::{Cluster, Place},
    platform::{account, services},
    runtime::{self, Sight, Watcher},
};

/// More than wait in order.
const NAMES: usize = 2 * CAPACITY;
const HOUR: Duration = Duration::from_secs(3_600);
const CHANGES_A_SECOND: usize = 4;
/// The longest pause between two attempts to connect is half a minute, and one name is told five times a second.
const PATIENCE: Duration = Duration::from_secs(300);
const LOOK: Duration = Duration::from_secs(2);
const PAGE: usize = 10_000;

/// An inventory that is there or is not.
struct Platform {
    store: Arc<MemoryStore>,
    service: HttpService,
    shell: Shell,
    _stop: TestStop,
    /// Ends what is connected; nothing while nobody can connect.
    there: Arc<Mutex<Option<CancellationToken>>>,
    _tasks: JoinSet<()>,
}

impl Platform {
    fn start() -> Self {
        let (shell, stop) = Shell::for_test("inventory");
        let store = Arc::new(MemoryStore::default());
        let names = Arc::new(NamesAreIds);
        let inventory = Inventory::new(store.clone(), names, CancellationToken::new());
        let mut tasks = JoinSet::new();
        tasks.spawn(inventory.keep_members());
        Self {
            store,
            service: services(&inventory),
            shell,
            _stop: stop,
            there: Arc::new(Mutex::new(Some(CancellationToken::new()))),
            _tasks: tasks,
        }
    }

    fn comes(&self) {
        *self.there.lock().unwrap_or_else(PoisonError::into_inner) = Some(CancellationToken::new());
    }

    fn leaves(&self) {
        let there = self
            .there
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        there.expect("it is there").cancel();
    }

    fn peer(&self) -> Peer {
        let (service, shell, there) =
            (self.service.clone(), self.shell.clone(), self.there.clone());
        let connector = service_fn(move |_: Uri| {
            let there = there.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let connected = there.map(|there| connect(&shell, service.clone(), there));
            async move { connected.ok_or_else(|| io::Error::from(io::ErrorKind::ConnectionRefused)) }
        });
        let url = PeerUrl::parse("http://inventory", None).expect("an address");
        let channel = url.endpoint().connect_with_connector_lazy(connector);
        Peer::from_channel(channel, Credential::None)
    }

    async fn held(&self) -> BTreeMap<Place, (String, u64)> {
        let (account, all) = (account(), Filter::within(Visible::everything()));
        let reads = self.store.reads();
        let page = reads
            .list_applications(&account, &all, View::Basic, None, PAGE)
            .await;
        let entry = |record: Record| {
            let place = (record.key.namespace, record.key.name);
            (place, (record.uid.to_string(), record.resource_version))
        };
        let items = page.expect("memory answers").items;
        items.into_iter().map(entry).collect()
    }

    /// Waits until what is held is what there is.
    async fn agrees(&self, cluster: &Cluster) -> Result<(), String> {
        let truth = cluster.truth().into_iter();
        let truth: BTreeMap<_, _> = truth
            .map(|(place, it)| (place, (it.uid, it.resource_version)))
            .collect();
        let (begun, mut looks) = (Instant::now(), interval(LOOK));
        loop {
            looks.tick().await;
            let held = self.held().await;
            if held == truth {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                let wrong = truth
                    .iter()
                    .filter(|(place, it)| held.get(*place) != Some(it));
                let ghosts = held.keys().filter(|place| !truth.contains_key(*place));
                return Err(format!(
                    "{} are wrong, {} are ghosts",
                    wrong.count(),
                    ghosts.count()
                ));
            }
        }
    }
}

fn connect(shell: &Shell, service: HttpService, there: CancellationToken) -> TokioIo<DuplexStream> {
    let (near, far) = tokio::io::duplex(1 << 20);
    let serving = serve_connection(far, service, &shell.shutdown());
    shell.tasks().spawn("connection", async move {
        tokio::select! {
            () = serving => {}
            () = there.cancelled() => {}
        }
    });
    TokioIo::new(near)
}

/// An hour without the platform, and what is held when it is back.
async fn an_hour_alone(overflow: Overflow) -> Result<(), String> {
    let cluster = Cluster::new(11, NAMES);
    (0..2 * NAMES).for_each(|_| cluster.change());
    let platform = Platform::start();
    let watcher = Watcher {
        cluster: cluster.clone(),
        name: "reporter",
        sight: Sight::Whole,
        queue: Queue::new(CAPACITY).on_overflow(overflow),
    };
    let mut reporting = JoinSet::new();
    let peer = platform.peer();
    reporting.spawn(async move {
        runtime::report(watcher, peer)
            .await
            .map_err(|it| it.to_string())
    });
    platform.agrees(&cluster).await?;
    platform.leaves();
    let (begun, mut seconds) = (Instant::now(), interval(Duration::from_secs(1)));
    while begun.elapsed() < HOUR {
        seconds.tick().await;
        (0..CHANGES_A_SECOND).for_each(|_| cluster.change());
    }
    platform.comes();
    platform.agrees(&cluster).await
}

#[tokio::test(start_paused = true)]
async fn r_01_r_05_an_hour_without_the_platform_and_a_full_queue_lose_nothing() {
    assert_eq!(an_hour_alone(Overflow::Swept).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn r_01_r_05_a_queue_that_drops_what_has_no_room_is_found() {
    assert!(an_hour_alone(Overflow::Dropped).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn r_01_r_05_a_queue_that_is_not_swept_is_found() {
    assert!(an_hour_alone(Overflow::NeverSwept).await.is_err());
}
