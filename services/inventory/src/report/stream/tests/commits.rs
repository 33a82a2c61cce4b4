use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::Semaphore;

use super::*;
use crate::{
    fixture::inventory_on,
    store::{MembershipStore, Reads, Receipt, memory::MemoryStore},
};

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
    memory: Arc<MemoryStore>,
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
    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        if !matches!(write, Write::Report(..)) {
            return self.memory.submit(write);
        }
        self.submitted.store(true, Ordering::SeqCst);
        if self.promise == Promise::Arrival {
            self.waiting.lock().unwrap().push(write);
            let receipt: Receipt = futures::future::ready(Ok(Outcome::Stored)).boxed();
            return futures::future::ready(Ok(receipt)).boxed();
        }
        let (memory, gate) = (self.memory.clone(), self.gate.clone());
        let commit = async move {
            let _open = gate.acquire().await.map_err(|_| StoreError::Stopped)?;
            memory.submit(write).await?.await
        };
        futures::future::ready(Ok(commit.boxed())).boxed()
    }

    fn reads(&self) -> &dyn Reads {
        self.memory.reads()
    }

    fn memberships(&self) -> &dyn MembershipStore {
        self.memory.memberships()
    }
}

/// A store that has no room for reports until the test makes some.
struct Full {
    memory: MemoryStore,
    gate: Semaphore,
}

impl Store for Full {
    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        if !matches!(write, Write::Report(..)) {
            return self.memory.submit(write);
        }
        async move {
            let _open = self.gate.acquire().await;
            self.memory.submit(write).await
        }
        .boxed()
    }

    fn reads(&self) -> &dyn Reads {
        self.memory.reads()
    }

    fn memberships(&self) -> &dyn MembershipStore {
        self.memory.memberships()
    }
}

#[tokio::test(start_paused = true)]
async fn a_reporter_that_waits_for_room_in_the_store_keeps_its_seat() {
    let store = Arc::new(Full {
        memory: MemoryStore::default(),
        gate: Semaphore::new(0),
    });
    let inventory = inventory_on(store.clone());
    let _keeping = keeping(&inventory);
    let hello = hello(1);
    let long = 10 * hello.patience;
    let (mut wire, _, _) = Wire::open(&inventory, hello).await;
    wire.send(sent(report(1, "web", 7)));
    let waited = timeout(long, wire.down.next()).await;
    assert!(waited.is_err(), "nothing can be said meanwhile: {waited:?}");
    store.gate.add_permits(1);
    assert_eq!(wire.acknowledged(1).await, [1]);
}

#[tokio::test(start_paused = true)]
async fn a_reporter_that_waited_for_memory_is_not_silent_when_there_is_some_again() {
    let store = Held::new(Promise::Commit);
    let inventory = inventory_on(store.clone());
    let _keeping = keeping(&inventory);
    let (mut wire, _, _) = Wire::open(&inventory, hello(1)).await;
    let large = Bytes::from(vec![0; 4 << 20]);
    // So many that there is no room for one more, and nothing more that is said once there is.
    for sequence in 1..=16 {
        let mut report = report(sequence, &format!("app-{sequence}"), sequence);
        let Some(ReportedState::Application(state)) = &mut report.state else {
            panic!("it is an application");
        };
        state.detail = large.clone();
        wire.send(sent(report));
    }
    let waited = timeout(10 * SILENCE, wire.down.next()).await;
    assert!(waited.is_err(), "nothing can be said meanwhile: {waited:?}");
    store.gate.add_permits(1);
    assert_eq!(wire.acknowledged(16).await.len(), 16);
    let quiet = timeout(SILENCE - Duration::from_secs(1), wire.down.next()).await;
    assert!(quiet.is_err(), "it may be quiet for so long: {quiet:?}");
}

/// True if the acknowledgement of a report came before its commit.
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
