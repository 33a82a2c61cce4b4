//! Events in, reports out, to an inventory at the other end of a pipe, on a clock that is moved by hand.

mod deltas;
mod hand_over;
mod moment;
mod restores;

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use causeway_client::{Credential, Jitter, Peer};
use causeway_proto::inventory::v1::{
    self as pb,
    report_request::Message as Request,
    report_response::Message as Response,
    report_service_server::{ReportService, ReportServiceServer},
};
use causeway_shell::Notices;
use futures::{Stream, StreamExt as _};
use hyper_util::rt::TokioIo;
use tokio::{
    io::DuplexStream,
    sync::{Notify, mpsc},
    task::JoinSet,
    time::Instant,
};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{
    Status, Streaming,
    transport::{Endpoint, Server},
};

use super::{ObjectEvents, Reporter, Setup, Source};
use crate::{
    Metrics,
    fixtures::{Thing, Things},
    object::{ObjectEvent, WatchScope},
    reported_kind::ReportedKind,
};
use deltas::Holding;

/// What the inventory was told, in its order.
#[derive(Default)]
struct Seen {
    /// Those that tell a state or an end.
    reports: Vec<(Instant, String, u64)>,
    /// What is refused the next time that it comes.
    refused: BTreeSet<String>,
    /// What is refused for a quota.
    over_quota: BTreeSet<String>,
    hellos: Vec<pb::Hello>,
    /// What it says that it holds.
    held: Vec<pb::HeldObject>,
    /// The operations that came, each with its object.
    operations: Vec<(String, pb::OperationRecord)>,
    /// Who shares the objects; the reporter alone where it is not said.
    members: Option<pb::Members>,
    heartbeats: usize,
    /// True if it answers no report.
    is_silent: bool,
    /// What is held of states that come as deltas, where they may.
    holding: Option<Holding>,
}

#[derive(Clone, Default)]
struct Inventory {
    seen: Arc<Mutex<Seen>>,
    told: Arc<Notify>,
    hung_up: Arc<Notify>,
}

impl Inventory {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, message: pb::ReportRequest) -> Vec<Response> {
        match message.message.unwrap() {
            Request::Hello(hello) => self.welcome(hello),
            Request::Report(report) => {
                let answer = self.take(report);
                let is_silent = self.seen().is_silent;
                Some(answer).filter(|_| !is_silent).into_iter().collect()
            }
            Request::Heartbeat(_) => {
                self.seen().heartbeats += 1;
                self.told.notify_one();
                Vec::new()
            }
            Request::Manifest(_) => Vec::new(),
        }
    }

    fn welcome(&self, hello: pb::Hello) -> Vec<Response> {
        let mut seen = self.seen();
        seen.hellos.push(hello);
        self.told.notify_one();
        let welcome = pb::Welcome {
            window: 64,
            window_bytes: 1 << 20,
            takes_deltas: seen.holding.is_some(),
            held_follows: true,
            members: seen.members.clone(),
            ..pb::Welcome::default()
        };
        let held = pb::Held {
            objects: seen.held.clone(),
            last: true,
        };
        vec![Response::Welcome(welcome), Response::Held(held)]
    }

    fn take(&self, report: pb::Report) -> Response {
        let mut seen = self.seen();
        let sequence = report.sequence;
        if let (Some(holding), Some(pb::report::Change::Delta(delta))) =
            (&mut seen.holding, &report.change)
            && let Some(answer) = holding.take(sequence, &report.name, delta)
        {
            return answer;
        }
        let refused = seen.refused.remove(&report.name);
        let over_quota = seen.over_quota.contains(&report.name);
        let operations = report.operations.iter().cloned();
        let operations: Vec<_> = operations.map(|it| (report.name.clone(), it)).collect();
        seen.operations.extend(operations);
        let told = (Instant::now(), report.name, report.resource_version);
        if !report.operations_only {
            seen.reports.push(told);
        }
        self.told.notify_one();
        if over_quota {
            Response::Rejected(pb::Rejected {
                sequence,
                reason: "quota is reached: delete some".to_owned(),
                field: "quota".to_owned(),
                ..pb::Rejected::default()
            })
        } else if refused {
            Response::Rejected(pb::Rejected {
                sequence,
                ..pb::Rejected::default()
            })
        } else {
            Response::Acknowledged(pb::Acknowledged {
                sequences: vec![sequence],
            })
        }
    }

    /// Waits until this version of an object was told.
    async fn until(&self, name: &str, version: u64) {
        while self.told(name).iter().all(|(_, it)| *it != version) {
            self.told.notified().await;
        }
    }

    /// When each state of an object came.
    fn told(&self, name: &str) -> Vec<(Instant, u64)> {
        let seen = self.seen();
        let reports = seen.reports.iter().filter(|(_, of, _)| of == name);
        reports.map(|(at, _, version)| (*at, *version)).collect()
    }
}

#[tonic::async_trait]
impl ReportService for Inventory {
    type ReportStream = Pin<Box<dyn Stream<Item = Result<pb::ReportResponse, Status>> + Send>>;

    async fn report(
        &self,
        request: tonic::Request<Streaming<pb::ReportRequest>>,
    ) -> Result<tonic::Response<Self::ReportStream>, Status> {
        let inventory = self.clone();
        let answers = request.into_inner().flat_map(move |message| {
            let messages = message.map_or_else(|_| Vec::new(), |message| inventory.answer(message));
            let responses = messages.into_iter().map(|message| {
                Ok(pb::ReportResponse {
                    message: Some(message),
                })
            });
            futures::stream::iter(responses.collect::<Vec<_>>())
        });
        let hung_up = Arc::clone(&self.hung_up);
        let end = Box::pin(async move { hung_up.notified().await });
        Ok(tonic::Response::new(Box::pin(answers.take_until(end))))
    }
}

/// A reporter of things at work.
struct Stage {
    inventory: Inventory,
    events: mpsc::Sender<ObjectEvent<Thing>>,
    things: BTreeMap<String, u64>,
    version: u64,
    notices: Notices,
    _running: JoinSet<()>,
}

impl Stage {
    fn set() -> Self {
        Self::before(Inventory::default())
    }

    fn before(inventory: Inventory) -> Self {
        Self::of(inventory, vec![WatchScope::All])
    }

    fn of(inventory: Inventory, scopes: Vec<WatchScope>) -> Self {
        Self::with(inventory, Things::default(), None, scopes)
    }

    /// One that asks about things.
    fn asking<R>(inventory: Inventory, kind: R, source: Source<R>) -> Self
    where
        R: ReportedKind<Object = Thing> + Send + 'static,
    {
        Self::with(inventory, kind, Some(source), vec![WatchScope::All])
    }

    fn with<R>(
        inventory: Inventory,
        kind: R,
        source: Option<Source<R>>,
        scopes: Vec<WatchScope>,
    ) -> Self
    where
        R: ReportedKind<Object = Thing> + Send + 'static,
    {
        let mut running = JoinSet::new();
        let notices = Notices::default();
        let setup = Setup {
            kind,
            inventory: serve(&inventory, &mut running),
            source,
            cluster: "in-cluster".to_owned(),
            scopes,
            store_identity: String::new(),
            instance: "instance".to_owned(),
            version: "test".to_owned(),
            ready: None,
            metrics: Metrics::new(&opentelemetry::global::meter("test"), "kind", "cluster"),
            notices: notices.clone(),
            jitter: Jitter::default(),
        };
        let (events_tx, events) = mpsc::channel(16);
        let relist = Vec::new();
        let reporter = Reporter::new(setup, ObjectEvents { events, relist });
        running.spawn(reporter.run(std::future::pending()));
        Self {
            inventory,
            events: events_tx,
            things: BTreeMap::new(),
            version: 1,
            notices,
            _running: running,
        }
    }

    async fn list(&self) {
        let scope = WatchScope::All;
        let started = ObjectEvent::ListStarted {
            scope: scope.clone(),
            resource_version: self.version,
        };
        self.send(started).await;
        for (name, version) in &self.things {
            let thing = Arc::new(Thing::new(name, *version));
            self.send(ObjectEvent::Applied(thing)).await;
        }
        self.send(ObjectEvent::ListCompleted { scope }).await;
    }

    async fn change(&mut self, name: &str) {
        self.version += 1;
        self.things.insert(name.to_owned(), self.version);
        let thing = Arc::new(Thing::new(name, self.version));
        self.send(ObjectEvent::Applied(thing)).await;
    }

    async fn send(&self, event: ObjectEvent<Thing>) {
        self.events.send(event).await.unwrap();
    }
}

/// Serves at the end of pipes; gives the way there.
fn serve(inventory: &Inventory, running: &mut JoinSet<()>) -> Peer {
    let (pipes_tx, pipes) = mpsc::unbounded_channel::<DuplexStream>();
    let service = ReportServiceServer::new(inventory.clone());
    running.spawn(async move {
        let incoming = UnboundedReceiverStream::new(pipes).map(Ok::<_, std::io::Error>);
        let server = Server::builder().add_service(service);
        server.serve_with_incoming(incoming).await.unwrap();
    });
    let connect = tower::service_fn(move |_| {
        let (near, far) = tokio::io::duplex(1 << 20);
        let sent = pipes_tx.send(far);
        async move {
            let there = sent.map_err(|_| std::io::Error::other("nobody serves"));
            there.map(|()| TokioIo::new(near))
        }
    });
    let channel = Endpoint::from_static("http://inventory").connect_with_connector_lazy(connect);
    Peer::from_channel(channel, Credential::None)
}

#[tokio::test(start_paused = true)]
async fn an_object_that_changes_a_thousand_times_a_second_starves_nobody_and_is_told_in_the_end() {
    let mut stage = Stage::set();
    stage.change("first").await;
    stage.list().await;
    stage.inventory.until("first", stage.version).await;
    let begun = Instant::now();
    let mut beat = tokio::time::interval(Duration::from_millis(1));
    for millis in 0..10_000 {
        beat.tick().await;
        stage.change("hot").await;
        if millis % 100 == 0 {
            stage.change(&format!("cold-{millis}")).await;
        }
    }
    stage.inventory.until("hot", stage.things["hot"]).await;
    let hot = stage.inventory.told("hot");
    assert!((60..=110).contains(&hot.len()), "{}", hot.len());
    assert!(hot.is_sorted_by_key(|(_, version)| *version));
    for millis in (0..10_000).step_by(100) {
        let name = format!("cold-{millis}");
        let told = stage.inventory.told(&name);
        let late = told[0].0 - begun - Duration::from_millis(millis);
        // The clock and the pipe take milliseconds.
        assert!(late <= Duration::from_millis(50), "{name}: {late:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_complete_list_is_compared_with_what_the_receiver_has() {
    let mut stage = Stage::set();
    stage.inventory.seen().refused.insert("refused".to_owned());
    stage.change("refused").await;
    stage.change("taken").await;
    stage.list().await;
    for round in 1..=2 {
        // Whatever goes before it has gone when this has.
        stage.change("last").await;
        stage.inventory.until("last", stage.version).await;
        let count = |name: &str| stage.inventory.told(name).len();
        assert_eq!((count("refused"), count("taken")), (round, 1));
        stage.list().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_over_the_quota_is_sent_again_until_there_is_room_and_a_notice_tells_so() {
    let mut stage = Stage::set();
    stage.inventory.seen().over_quota.insert("new".to_owned());
    stage.change("new").await;
    stage.list().await;
    let mut notices = stage.notices.watch();
    let raised = notices.wait_for(|lines| !lines.is_empty()).await.unwrap();
    let line = raised.values().next().unwrap().clone();
    drop(raised);
    assert_eq!(
        line,
        "holds back 1 new things of cluster in-cluster: the quota is reached: delete some"
    );
    let begun = Instant::now();
    stage.inventory.seen().over_quota.clear();
    notices.wait_for(|lines| lines.is_empty()).await.unwrap();
    let told = stage.inventory.told("new");
    assert_eq!(told.len(), 2, "the final state arrives");
    assert!(told[1].0 - begun <= Duration::from_secs(301));
    stage.inventory.seen().over_quota.insert("next".to_owned());
    stage.change("next").await;
    stage.inventory.until("next", stage.version).await;
    stage.inventory.seen().over_quota.clear();
    stage.change("next").await;
    stage.inventory.until("next", stage.version).await;
    assert_eq!(
        stage.inventory.told("next").len(),
        2,
        "a change does not wait"
    );
}

#[tokio::test(start_paused = true)]
async fn manifests_that_are_held_for_reports_under_way_are_within_the_window() {
    let mut stage = Stage::set();
    stage.inventory.seen().is_silent = true;
    for number in 0..10 {
        stage.change(&format!("large-{number}")).await;
    }
    stage.list().await;
    let beats = |count| stage.inventory.seen().heartbeats >= count;
    while !beats(2) || stage.inventory.seen().reports.is_empty() {
        stage.inventory.told.notified().await;
    }
    // Of half a mebibyte each, and the window is one.
    assert_eq!(stage.inventory.seen().reports.len(), 2);
}
