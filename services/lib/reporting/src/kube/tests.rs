//! The API server on a bad day, on a clock that is moved by hand.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use causeway_argocd::Cluster;
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use kube::client::Body;
use serde_json::{Value, json};
use tokio::{
    sync::{Notify, mpsc},
    task::JoinSet,
    time::Instant,
};
use tokio_stream::wrappers::ReceiverStream;

use super::{MissingKind, WatchPolicy, Watcher};
use crate::{
    fixtures::{Thing, Things},
    object::{ObjectEvent, WatchScope},
    object_cache::ObjectCache,
};

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Answer = http::Response<UnsyncBoxBody<Bytes, BoxError>>;

/// What the server has, and how it behaves.
#[derive(Default)]
struct Server {
    things: BTreeMap<String, u64>,
    version: u64,
    watches: Vec<mpsc::Sender<Result<Frame<Bytes>, BoxError>>>,
    /// Number of watches that were opened.
    opened: usize,
    lists: usize,
    /// How many answers from now on are no more than this status.
    refusals: (usize, u16),
    /// What is nested too deep to be read.
    deep: BTreeSet<String>,
}

impl Server {
    fn object(&self, name: &str, version: u64) -> Value {
        let metadata = json!({
            "namespace": "argocd", "name": name, "uid": format!("uid-{name}"), "resourceVersion": version.to_string(),
        });
        let depth = if self.deep.contains(name) { 200 } else { 1 };
        let spec = (0..depth).fold(json!({}), |inner, _| json!([inner]));
        json!({"metadata": metadata, "spec": spec})
    }
}

#[derive(Clone, Default)]
struct Api {
    inner: Arc<Mutex<Server>>,
    asked: Arc<Notify>,
}

impl Api {
    fn server(&self) -> MutexGuard<'_, Server> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something changes, and no watch tells of it.
    fn change_unseen(&self, name: &str) -> u64 {
        let mut server = self.server();
        server.version += 1;
        let version = server.version;
        server.things.insert(name.to_owned(), version);
        version
    }

    /// Something changes.
    fn change(&self, name: &str) -> u64 {
        let version = self.change_unseen(name);
        let object = self.server().object(name, version);
        self.send(&json!({"type": "MODIFIED", "object": object}));
        version
    }

    /// Ends all watches, and answers nothing but an error until it is told otherwise.
    fn goes_away(&self) {
        let mut server = self.server();
        server.refusals = (usize::MAX, 500);
        server.watches.clear();
    }

    fn bookmark(&self) {
        let version = self.server().version.to_string();
        let object = json!({"metadata": {"resourceVersion": version}});
        self.send(&json!({"type": "BOOKMARK", "object": object}));
    }

    fn send(&self, event: &Value) {
        let line = Bytes::from(format!("{event}\n"));
        self.server()
            .watches
            .retain(|watch| watch.try_send(Ok(Frame::data(line.clone()))).is_ok());
    }

    fn answer(&self, request: &http::Request<Body>) -> Answer {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let mut server = self.server();
        if let (1.., status) = server.refusals {
            server.refusals.0 -= 1;
            let refusal = json!({"kind": "Status", "status": "Failure", "code": status, "reason": "Refused", "message": "no"});
            return whole(status, &refusal);
        }
        if !query.contains("watch=true") {
            server.lists += 1;
            let items: Vec<Value> = server
                .things
                .iter()
                .map(|(name, at)| server.object(name, *at))
                .collect();
            let list = json!({"metadata": {"resourceVersion": server.version.to_string()}, "items": items});
            return whole(200, &list);
        }
        server.opened += 1;
        let (events_tx, events) = mpsc::channel(64);
        let from: u64 = parameter(&query, "resourceVersion").parse().unwrap();
        for (name, version) in server.things.iter().filter(|(_, version)| **version > from) {
            let event = json!({"type": "MODIFIED", "object": server.object(name, *version)});
            let line = Bytes::from(format!("{event}\n"));
            events_tx.try_send(Ok(Frame::data(line))).unwrap();
        }
        server.watches.push(events_tx);
        let body = StreamBody::new(ReceiverStream::new(events));
        http::Response::new(body.boxed_unsync())
    }

    fn client(&self) -> kube::Client {
        let api = self.clone();
        let service = tower::service_fn(move |request: http::Request<Body>| {
            let answer = api.answer(&request);
            api.asked.notify_one();
            async move { Ok::<_, BoxError>(answer) }
        });
        kube::Client::new(service, "default")
    }
}

fn whole(status: u16, value: &Value) -> Answer {
    let body = Full::from(value.to_string()).map_err(BoxError::from);
    let answer = http::Response::builder().status(status);
    answer.body(body.boxed_unsync()).unwrap()
}

fn parameter<'a>(query: &'a str, name: &str) -> &'a str {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|(key, _)| *key == name).unwrap().1
}

/// A watcher at work and what it tells.
struct Watch {
    api: Api,
    events: mpsc::Receiver<ObjectEvent<Thing>>,
    _running: JoinSet<()>,
}

impl Watch {
    fn start(policy: WatchPolicy) -> Self {
        let api = Api::default();
        api.change("first");
        let (events_tx, events) = mpsc::channel(64);
        let watcher = Watcher {
            cluster: Cluster::with_client(api.client(), "the stage"),
            kind: Things::default(),
            scope: WatchScope::All,
            events: events_tx,
            relist: Arc::new(Notify::new()),
            policy,
        };
        let mut running = JoinSet::new();
        running.spawn(watcher.run());
        Self {
            api,
            events,
            _running: running,
        }
    }

    /// Waits until this version of something is told, and says how long it took.
    async fn told(&mut self, wanted: u64) -> Duration {
        let begun = Instant::now();
        loop {
            if let ObjectEvent::Applied(thing) = self.events.recv().await.unwrap()
                && thing.version == wanted
            {
                return begun.elapsed();
            }
        }
    }

    /// Waits until a watch is open.
    async fn opened(&mut self) {
        while self.api.server().opened == 0 {
            self.api.asked.notified().await;
        }
    }
}

/// What is told until there is something, or surely nothing, where the first answers are no more than a status.
async fn told_after(answers: usize, status: u16) -> (Vec<ObjectEvent<Thing>>, Duration) {
    let policy = WatchPolicy {
        missing_kind: MissingKind::Retry(Duration::from_secs(60)),
        ..WatchPolicy::default()
    };
    let mut watch = Watch::start(policy);
    watch.api.server().refusals = (answers, status);
    let (begun, mut told) = (Instant::now(), Vec::new());
    loop {
        let event = watch.events.recv().await.unwrap();
        let over = matches!(
            event,
            ObjectEvent::ListCompleted { .. } | ObjectEvent::KindMissing { .. }
        );
        told.push(event);
        if over {
            return (told, begun.elapsed());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_not_there_yet_is_waited_for() {
    let (told, took) = told_after(2, 404).await;
    assert_eq!(told[0], ObjectEvent::KindUnavailable);
    assert!(
        matches!(told[1], ObjectEvent::ListStarted { .. }),
        "{told:?}"
    );
    assert!(took <= Duration::from_secs(121), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_not_there_for_long_has_no_objects() {
    let (told, _) = told_after(3, 404).await;
    let scope = WatchScope::All;
    assert_eq!(
        told,
        [
            ObjectEvent::KindUnavailable,
            ObjectEvent::KindMissing { scope }
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_may_not_be_read_holds_nobody_up_and_is_asked_for_again() {
    let (told, _) = told_after(5, 403).await;
    assert_eq!(told[..5], [const { ObjectEvent::KindUnavailable }; 5]);
    assert!(
        matches!(told[5], ObjectEvent::ListStarted { .. }),
        "{told:?}"
    );
}

/// Trust in a watch without end: the fault that is guarded against.
fn trusting() -> WatchPolicy {
    let day = Duration::from_secs(86_400);
    WatchPolicy {
        relist: day,
        bookmark: day,
        silence: day,
        ..WatchPolicy::default()
    }
}

/// How long it takes until a change is told that the watch kept back after a bookmark.
async fn after_mute(policy: WatchPolicy) -> Duration {
    let mut watch = Watch::start(policy);
    watch.opened().await;
    watch.api.bookmark();
    let version = watch.api.change_unseen("second");
    watch.told(version).await
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_mute_is_opened_again() {
    let took = after_mute(WatchPolicy::default()).await;
    assert!(took <= Duration::from_secs(150), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_trusted_without_end_keeps_a_change_back() {
    let took = after_mute(trusting()).await;
    assert!(took > Duration::from_secs(3_600), "{took:?}");
}

/// How long it takes until a change is told that a lively watch left out.
async fn after_loss(policy: WatchPolicy) -> Duration {
    let mut watch = Watch::start(policy);
    watch.opened().await;
    let lost = watch.api.change_unseen("second");
    let api = watch.api.clone();
    let mut lively = JoinSet::new();
    lively.spawn(async move {
        let mut beat = tokio::time::interval(Duration::from_secs(30));
        loop {
            beat.tick().await;
            api.change("first");
        }
    });
    watch.told(lost).await
}

#[tokio::test(start_paused = true)]
async fn what_a_lively_watch_left_out_is_told_by_the_list_of_every_ten_minutes() {
    let took = after_loss(WatchPolicy::default()).await;
    let minutes = took.as_secs_f64() / 60.0;
    assert!((8.9..=10.1).contains(&minutes), "{minutes}");
}

#[tokio::test(start_paused = true)]
async fn a_list_that_falls_due_while_the_server_is_away_is_made_when_it_is_back() {
    let mut watch = Watch::start(WatchPolicy::default());
    watch.opened().await;
    let lost = watch.api.change_unseen("second");
    watch.api.goes_away();
    let api = watch.api.clone();
    let mut back = JoinSet::new();
    back.spawn(async move {
        let long = Duration::from_secs(660);
        tokio::time::interval_at(Instant::now() + long, long)
            .tick()
            .await;
        api.server().refusals = (0, 500);
    });
    let took = watch.told(lost).await;
    assert!(took <= Duration::from_secs(760), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn without_that_list_it_is_not_told() {
    let took = after_loss(trusting()).await;
    assert!(took > Duration::from_secs(3_600), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_comes_to_be_nested_too_deep_is_not_gone_and_holds_up_no_other() {
    let mut watch = Watch::start(trusting());
    watch.opened().await;
    watch.api.server().deep.insert("first".to_owned());
    watch.api.change("first");
    let second = watch.api.change("second");
    let (mut cache, mut begun, mut ended) = (ObjectCache::<Things>::default(), 0, 0);
    let (mut quarantined, mut told_in) = (0, None);
    while ended < 2 {
        match watch.events.recv().await.unwrap() {
            ObjectEvent::ListStarted {
                scope,
                resource_version,
            } => {
                cache.start_list(&scope, resource_version);
                begun += 1;
            }
            ObjectEvent::Applied(thing) => {
                if thing.version == second {
                    told_in.get_or_insert(begun);
                }
                cache.apply(thing);
            }
            ObjectEvent::Quarantined(malformed) => {
                quarantined += 1;
                cache.quarantine(&malformed);
            }
            ObjectEvent::ListCompleted { scope } => {
                assert_eq!(cache.complete_list(&scope), []);
                ended += 1;
            }
            other @ (ObjectEvent::Deleted { .. }
            | ObjectEvent::Deselected { .. }
            | ObjectEvent::RelatedChanged(_)
            | ObjectEvent::KindUnavailable
            | ObjectEvent::KindMissing { .. }) => panic!("{other:?}"),
        }
    }
    // Not only the next list tells what the watch said behind it.
    assert_eq!(told_in, Some(1));
    assert_eq!((quarantined, cache.in_quarantine()), (2, 1));
    let unreadable = cache.unreadable("things").unwrap();
    assert!(unreadable.contains("argocd/first"), "{unreadable}");
}
