use std::{
    pin::Pin,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use causeway_proto::ids::AccountId;
use futures::channel::mpsc;
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::*;
use crate::{
    application::{
        Filter, HeldObject, Key, ObjectKind, ObjectName, Page, Record, State, Uid, View,
    },
    fixture::{Bench, account, inventory_on, scope, soon, state},
    inventory::Inventory,
    store::{Commits, Extent, Receipt, Span, memory::Memory},
};

/// A reporter's end of a stream.
struct Wire {
    up: Option<mpsc::UnboundedSender<Incoming>>,
    down: Pin<Box<dyn Stream<Item = Result<Outgoing, SessionError>> + Send>>,
}

impl Wire {
    fn to(inventory: &Inventory) -> Self {
        let (up, incoming) = mpsc::unbounded();
        let reporter = Reporter {
            account: account("default"),
            runtime: "rt-one".parse().unwrap(),
            runtime_name: "edge".parse().unwrap(),
        };
        let down = serve(inventory.clone(), reporter, incoming.boxed());
        Self {
            up: Some(up),
            down: Box::pin(down),
        }
    }

    /// A stream whose greeting is done, with what it was told.
    async fn open(inventory: &Inventory, hello: Hello) -> (Self, Welcome, Vec<HeldObject>) {
        let mut wire = Self::to(inventory);
        wire.send(Incoming::Hello(Ok(hello)));
        let Outgoing::Welcome(welcome) = wire.next().await else {
            panic!("welcome comes first");
        };
        let mut held = Vec::new();
        loop {
            let Outgoing::Held(objects, part) = wire.next().await else {
                panic!("held follows welcome");
            };
            held.extend(objects);
            if part == Part::Last {
                return (wire, welcome, held);
            }
        }
    }

    fn send(&self, message: Incoming) {
        self.up.as_ref().unwrap().unbounded_send(message).unwrap();
    }

    async fn next(&mut self) -> Outgoing {
        soon(self.down.next()).await.unwrap().unwrap()
    }

    async fn end(&mut self) -> Option<SessionError> {
        loop {
            match soon(self.down.next()).await {
                Some(Ok(_)) => {}
                Some(Err(error)) => return Some(error),
                None => return None,
            }
        }
    }

    /// Reads until so many reports are acknowledged.
    async fn acknowledged(&mut self, count: usize) -> Vec<u64> {
        let mut sequences = Vec::new();
        while sequences.len() < count {
            if let Outgoing::Acknowledged(some) = self.next().await {
                sequences.extend(some);
            }
        }
        sequences.sort_unstable();
        sequences
    }
}

fn hello(instance: u128) -> Hello {
    Hello {
        instance: Uuid::from_u128(instance),
        kind: ObjectKind::Application,
        cluster: "in-cluster".into(),
        namespaces: Vec::new(),
        continuity: Continuity::Continued,
    }
}

fn report(sequence: u64, name: &str, resource_version: u64) -> Report {
    Report {
        sequence,
        object: ObjectName {
            namespace: "argocd".into(),
            name: name.into(),
        },
        uid: format!("uid-{name}").as_str().into(),
        resource_version,
        state: Some(state(&format!("{name} at {resource_version}"))),
    }
}

fn sent(report: Report) -> Incoming {
    Incoming::Report(Ok(report))
}

fn with_manifests(report: Report, contents: &[&str]) -> Incoming {
    let manifests = contents
        .iter()
        .map(|content| Digest::of(content.as_bytes()))
        .collect();
    let state = report.state.map(|state| State { manifests, ..state });
    sent(Report { state, ..report })
}

fn manifest(content: &'static str) -> Incoming {
    Incoming::Manifest(Digest::of(content.as_bytes()), content.into())
}

async fn versions(store: &dyn Store) -> Vec<(String, u64)> {
    let all = Filter::default();
    let page = store
        .list(&account("default"), &all, View::Basic, None, 1000)
        .await
        .unwrap();
    let records = page.items.into_iter();
    records
        .map(|record| (record.key.name, record.resource_version))
        .collect()
}

#[tokio::test]
async fn a_report_is_acknowledged_and_told_as_held_on_the_next_stream() {
    for bench in Bench::both().await {
        let inventory = bench.inventory();
        let (mut wire, first, held) = Wire::open(&inventory, hello(1)).await;
        assert!(held.is_empty());
        wire.send(sent(report(1, "web", 7)));
        assert_eq!(wire.acknowledged(1).await, [1]);
        drop(wire);
        let (_, second, held) = Wire::open(&inventory, hello(1)).await;
        assert_eq!(second.incarnation, first.incarnation);
        assert!(second.epoch > first.epoch);
        assert_eq!(held.len(), 1);
        assert_eq!(
            (held[0].uid.as_str(), held[0].resource_version),
            ("uid-web", 7)
        );
        assert_eq!(held[0].root_digest, state("web at 7").root_digest);
    }
}

#[tokio::test]
async fn more_objects_than_fit_into_a_chunk_are_held_in_several() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let (mut wire, _, _) = Wire::open(&inventory, hello(1)).await;
    for round in 0..6_u64 {
        for number in 0..200 {
            let sequence = round * 200 + number + 1;
            wire.send(sent(report(sequence, &format!("app-{sequence}"), sequence)));
        }
        wire.acknowledged(200).await;
    }
    let (_, _, held) = Wire::open(&inventory, hello(2)).await;
    assert_eq!(held.len(), 1200);
    let elsewhere = Hello {
        namespaces: vec!["other".into()],
        ..hello(3)
    };
    let (_, _, held) = Wire::open(&inventory, elsewhere).await;
    assert!(held.is_empty());
}

#[tokio::test]
async fn duplicates_and_older_states_are_acknowledged_and_change_nothing() {
    for bench in Bench::both().await {
        let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
        wire.send(sent(report(1, "web", 7)));
        assert_eq!(wire.acknowledged(1).await, [1]);
        wire.send(sent(report(1, "web", 7)));
        wire.send(sent(report(2, "web", 3)));
        wire.send(sent(report(3, "web", 7)));
        assert_eq!(wire.acknowledged(3).await, [1, 2, 3]);
        assert_eq!(versions(&*bench.store).await, [("web".to_owned(), 7)]);
        let extent = bench.store.extent(&account("default")).await.unwrap();
        assert_eq!(
            extent.latest, 2,
            "a later report of the same version is a change, the others are none"
        );
    }
}

#[tokio::test]
async fn a_deletion_is_not_undone_by_an_older_state_on_another_stream() {
    for bench in Bench::both().await {
        let inventory = bench.inventory();
        let (mut one, _, _) = Wire::open(&inventory, hello(1)).await;
        let (mut two, _, _) = Wire::open(&inventory, hello(2)).await;
        one.send(sent(report(1, "web", 7)));
        one.acknowledged(1).await;
        let gone = Report {
            state: None,
            ..report(2, "web", 9)
        };
        one.send(sent(gone));
        one.acknowledged(1).await;
        two.send(sent(report(1, "web", 8)));
        assert_eq!(two.acknowledged(1).await, [1]);
        assert!(versions(&*bench.store).await.is_empty());
    }
}

#[tokio::test]
async fn a_report_is_acknowledged_when_its_manifests_are_there() {
    for bench in Bench::both().await {
        let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
        wire.send(with_manifests(report(1, "web", 7), &["one", "two"]));
        let Outgoing::Wanted(1, wanted) = wire.next().await else {
            panic!("manifests are wanted");
        };
        assert_eq!(wanted.len(), 2);
        wire.send(sent(report(2, "api", 8)));
        assert_eq!(
            wire.acknowledged(1).await,
            [2],
            "a report that waits does not hold up the others"
        );
        wire.send(manifest("one"));
        wire.send(manifest("two"));
        assert_eq!(wire.acknowledged(1).await, [1]);
        wire.send(with_manifests(report(3, "other", 9), &["two"]));
        assert_eq!(
            wire.acknowledged(1).await,
            [3],
            "what is there is not wanted again"
        );
        let content = bench
            .store
            .manifest(&account("default"), &Digest::of(b"one"))
            .await
            .unwrap();
        assert_eq!(content.as_deref(), Some(&b"one"[..]));
    }
}

#[tokio::test]
async fn a_corrupt_manifest_rejects_what_waits_for_it_and_nothing_else() {
    let bench = Bench::memory();
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    wire.send(with_manifests(report(1, "web", 7), &["one"]));
    assert!(matches!(wire.next().await, Outgoing::Wanted(1, _)));
    wire.send(Incoming::Manifest(Digest::of(b"one"), "another".into()));
    let Outgoing::Rejected(rejection) = wire.next().await else {
        panic!("the report is rejected");
    };
    assert_eq!(
        (rejection.sequence, rejection.fault),
        (1, Fault::ManifestCorrupt)
    );
    wire.send(sent(report(2, "api", 8)));
    assert_eq!(wire.acknowledged(1).await, [2]);
    assert_eq!(versions(&*bench.store).await, [("api".to_owned(), 8)]);
}

#[tokio::test]
async fn a_manifest_that_nobody_wants_is_not_kept() {
    let bench = Bench::memory();
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    wire.send(manifest("filler"));
    wire.send(sent(report(1, "web", 7)));
    wire.acknowledged(1).await;
    let digest = Digest::of(b"filler");
    assert_eq!(
        bench
            .store
            .manifest(&account("default"), &digest)
            .await
            .unwrap(),
        None
    );
}

#[tokio::test]
async fn a_report_whose_manifest_never_comes_is_released_by_a_newer_one() {
    let bench = Bench::memory();
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    wire.send(with_manifests(report(1, "web", 7), &["lost"]));
    assert!(matches!(wire.next().await, Outgoing::Wanted(1, _)));
    wire.send(sent(report(2, "web", 8)));
    assert_eq!(wire.acknowledged(2).await, [1, 2]);
    assert_eq!(versions(&*bench.store).await, [("web".to_owned(), 8)]);
}

#[tokio::test]
async fn a_bad_report_is_rejected_and_the_others_go_on() {
    let bench = Bench::memory();
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    let rejection = Rejection {
        sequence: 1,
        fault: Fault::Field,
        error: FieldError::new("uid", "must be set"),
    };
    wire.send(Incoming::Report(Err(rejection.clone())));
    wire.send(Incoming::Unknown);
    wire.send(sent(report(2, "web", 7)));
    assert_eq!(wire.next().await, Outgoing::Rejected(rejection));
    assert_eq!(wire.acknowledged(1).await, [2]);
}

#[tokio::test]
async fn a_second_stream_of_a_reporter_ends_the_first() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let (mut old, _, _) = Wire::open(&inventory, hello(1)).await;
    let (mut new, _, _) = Wire::open(&inventory, hello(1)).await;
    assert!(matches!(old.end().await, Some(SessionError::Fenced)));
    new.send(sent(report(1, "web", 7)));
    assert_eq!(new.acknowledged(1).await, [1]);
}

#[tokio::test]
async fn reporters_are_told_of_each_other_and_who_stays_outranks_who_left() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let (mut first, welcome, _) = Wire::open(&inventory, hello(1)).await;
    assert_eq!(welcome.members.instances, [Uuid::from_u128(1)]);
    let (mut second, welcome, _) = Wire::open(&inventory, hello(2)).await;
    assert_eq!(welcome.members.instances.len(), 2);
    assert!(matches!(first.next().await, Outgoing::Members(both) if both.instances.len() == 2));
    second.send(sent(report(1, "web", 7)));
    second.acknowledged(1).await;
    drop(second);
    assert!(matches!(first.next().await, Outgoing::Members(one) if one.instances.len() == 1));
    let held = first.next().await;
    assert!(
        matches!(&held, Outgoing::Held(objects, Part::Last) if &*objects[0].object.name == "web"),
        "an heir is told what is held: {held:?}"
    );
    // The heir finds more about the same resource version than the one that left did.
    let more = Report {
        state: Some(state("more")),
        ..report(1, "web", 7)
    };
    first.send(sent(more));
    assert_eq!(first.acknowledged(1).await, [1]);
    let held = bench.store.held(&scope(), None, 10).await.unwrap();
    assert_eq!(held[0].root_digest, state("more").root_digest);
}

#[tokio::test]
async fn a_restored_cluster_replaces_what_is_held_by_lower_versions() {
    for bench in Bench::both().await {
        let inventory = bench.inventory();
        let (mut before, _, _) = Wire::open(&inventory, hello(1)).await;
        before.send(sent(report(1, "web", 90)));
        before.acknowledged(1).await;
        let restored = Hello {
            continuity: Continuity::Restored,
            ..hello(2)
        };
        let (mut wire, _, _) = Wire::open(&inventory, restored).await;
        assert!(matches!(before.end().await, Some(SessionError::Fenced)));
        wire.send(sent(report(1, "web", 10)));
        wire.acknowledged(1).await;
        assert_eq!(versions(&*bench.store).await, [("web".to_owned(), 10)]);
    }
}

#[tokio::test]
async fn the_end_of_what_is_sent_still_gets_its_answers() {
    let bench = Bench::sqlite().await;
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    for sequence in 1..=50 {
        wire.send(sent(report(sequence, &format!("app-{sequence}"), sequence)));
    }
    wire.up = None;
    assert_eq!(wire.acknowledged(50).await.len(), 50);
    assert!(wire.end().await.is_none());
}

#[tokio::test]
async fn the_first_message_is_hello_and_there_is_one() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let mut wire = Wire::to(&inventory);
    wire.send(sent(report(1, "web", 7)));
    assert!(matches!(
        wire.end().await,
        Some(SessionError::HelloExpected)
    ));
    let mut wire = Wire::to(&inventory);
    wire.send(Incoming::Hello(Err(FieldError::new(
        "instance",
        "must be a UUID",
    ))));
    assert!(matches!(wire.end().await, Some(SessionError::Hello(_))));
    let (mut wire, _, _) = Wire::open(&inventory, hello(1)).await;
    wire.send(Incoming::Hello(Ok(hello(1))));
    assert!(matches!(
        wire.end().await,
        Some(SessionError::HelloRepeated)
    ));
}

#[tokio::test(start_paused = true)]
async fn a_silent_reporter_is_let_go_and_a_heartbeat_keeps_it() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let (mut wire, _, _) = Wire::open(&inventory, hello(1)).await;
    let opened = Instant::now();
    let heartbeat = timeout(SILENCE - Duration::from_secs(1), wire.down.next());
    assert!(heartbeat.await.is_err(), "nothing is due yet");
    wire.send(Incoming::Heartbeat);
    let end = wire.down.next().await.unwrap();
    assert!(matches!(end, Err(SessionError::Silent)));
    assert!(opened.elapsed() >= SILENCE * 2 - Duration::from_secs(1));
    let mut mute = Wire::to(&inventory);
    let end = mute.down.next().await.unwrap();
    assert!(matches!(end, Err(SessionError::HelloExpected)));
}

#[tokio::test]
async fn streams_end_when_the_inventory_stops() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let (mut open, _, _) = Wire::open(&inventory, hello(1)).await;
    let mut greeting = Wire::to(&inventory);
    inventory.stop().cancel();
    assert!(matches!(open.end().await, Some(SessionError::Draining)));
    assert!(matches!(greeting.end().await, Some(SessionError::Draining)));
}

#[tokio::test]
async fn a_reporter_that_ignores_the_window_is_stopped() {
    let bench = Bench::memory();
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    for sequence in 1..=u64::from(WINDOW) + 1 {
        let waiting = report(sequence, &format!("app-{sequence}"), sequence);
        wire.send(with_manifests(waiting, &["never"]));
    }
    assert!(matches!(wire.end().await, Some(SessionError::Window)));
}

#[tokio::test]
async fn a_reporter_that_ignores_the_window_in_bytes_is_stopped() {
    let bench = Bench::memory();
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    let large = Bytes::from(vec![0; 4 << 20]);
    for sequence in 1..=20 {
        let mut waiting = report(sequence, &format!("app-{sequence}"), sequence);
        waiting.state.as_mut().unwrap().detail = large.clone();
        wire.send(with_manifests(waiting, &["never"]));
    }
    assert!(matches!(wire.end().await, Some(SessionError::Memory)));
}

/// When a store's receipt resolves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// After the commit, as it must be.
    Commit,
    /// Before it: broken on purpose.
    Arrival,
}

/// A store whose commits wait for the test.
struct Held {
    memory: Arc<Memory>,
    promise: Promise,
    gate: Arc<Semaphore>,
    submitted: AtomicBool,
    waiting: Mutex<Vec<Write>>,
}

impl Held {
    fn new(promise: Promise) -> Arc<Self> {
        Arc::new(Self {
            memory: Arc::default(),
            promise,
            gate: Arc::new(Semaphore::new(0)),
            submitted: AtomicBool::new(false),
            waiting: Mutex::default(),
        })
    }
}

impl Store for Held {
    fn incarnation(&self) -> u64 {
        self.memory.incarnation()
    }

    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        if !matches!(write, Write::Report(_)) {
            return self.memory.submit(write);
        }
        self.submitted.store(true, Ordering::SeqCst);
        if self.promise == Promise::Arrival {
            self.waiting.lock().unwrap().push(write);
            let receipt: Receipt = futures::future::ready(Ok(Outcome::Kept)).boxed();
            return futures::future::ready(Ok(receipt)).boxed();
        }
        let (memory, gate) = (self.memory.clone(), self.gate.clone());
        let commit = async move {
            let _open = gate.acquire().await.map_err(|_| StoreError::Stopped)?;
            memory.submit(write).await?.await
        };
        futures::future::ready(Ok(commit.boxed())).boxed()
    }

    fn held<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Uid>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<HeldObject>, StoreError>> {
        self.memory.held(scope, after, limit)
    }

    fn list<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        after: Option<&'a Key>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        self.memory.list(account, filter, view, after, limit)
    }

    fn changed<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        span: Span,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        self.memory.changed(account, filter, view, span, limit)
    }

    fn keys<'a>(
        &'a self,
        account: &'a AccountId,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Key>, StoreError>> {
        self.memory.keys(account, limit)
    }

    fn manifest<'a>(
        &'a self,
        account: &'a AccountId,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>> {
        self.memory.manifest(account, digest)
    }

    fn extent<'a>(&'a self, account: &'a AccountId) -> BoxFuture<'a, Result<Extent, StoreError>> {
        self.memory.extent(account)
    }

    fn commits(&self) -> &Commits {
        self.memory.commits()
    }
}

/// Whether the acknowledgement of a report came before its commit.
async fn acknowledges_early(promise: Promise) -> bool {
    let store = Held::new(promise);
    let (mut wire, _, _) = Wire::open(&inventory_on(store.clone()), hello(1)).await;
    wire.send(sent(report(1, "web", 7)));
    // The stream does all that it can do while the commit is under way.
    let mut early = None;
    while early.is_none() && !store.submitted.load(Ordering::SeqCst) {
        early = wire.down.next().now_or_never();
        tokio::task::yield_now().await;
    }
    for _ in 0..100 {
        early = early.or_else(|| wire.down.next().now_or_never());
        tokio::task::yield_now().await;
    }
    assert!(
        versions(&*store).await.is_empty(),
        "nothing is committed yet"
    );
    if early.is_some() {
        return true;
    }
    store.gate.add_permits(1);
    assert_eq!(wire.acknowledged(1).await, [1]);
    assert_eq!(versions(&*store).await, [("web".to_owned(), 7)]);
    false
}

#[tokio::test]
async fn nothing_is_acknowledged_before_its_commit() {
    assert!(!acknowledges_early(Promise::Commit).await);
}

#[tokio::test]
async fn a_store_that_answers_before_its_commit_is_caught() {
    assert!(acknowledges_early(Promise::Arrival).await);
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    for round in 1..=4_u64 {
        let mut bench = Bench::open(folder.path()).await;
        let (mut wire, _, held) = Wire::open(&bench.inventory(), hello(1)).await;
        assert!(
            held.len() >= acknowledged,
            "{} held, {acknowledged} acknowledged",
            held.len()
        );
        for sequence in 1..=200 {
            let name = format!("app-{round}-{sequence}");
            wire.send(sent(report(sequence, &name, round * 1000 + sequence)));
        }
        // In the middle of the work, and at another point of it each time.
        acknowledged += wire
            .acknowledged(usize::try_from(round * 20).unwrap())
            .await
            .len();
        bench.tasks.abort_all();
        drop(wire);
        while bench.tasks.join_next().await.is_some() {}
    }
}
