//! Stores that are broken on purpose.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use causeway_inventory::{
    order::Continuity,
    store::{MembershipStore, Outcome, Reads, Receipt, Store, StoreError, Write},
};
use futures::{FutureExt as _, future::BoxFuture};
use tokio::{task::JoinSet, time::interval};

/// Of so many reports one is forgotten.
const FORGOTTEN: usize = 5;
/// Reports are committed so long after they were acknowledged.
const LATE: Duration = Duration::from_secs(2);

/// It acknowledges some reports and does not keep them.
pub(crate) struct Forgetful {
    store: Arc<dyn Store>,
    reports: AtomicUsize,
}

impl Forgetful {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            reports: AtomicUsize::new(0),
        }
    }
}

impl Store for Forgetful {
    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        let report = is_report(&write);
        let number = || self.reports.fetch_add(1, Ordering::Relaxed);
        if report && number().is_multiple_of(FORGOTTEN) {
            return kept();
        }
        self.store.submit(write)
    }

    fn reads(&self) -> &dyn Reads {
        self.store.reads()
    }

    fn memberships(&self) -> &dyn MembershipStore {
        self.store.memberships()
    }
}

/// It acknowledges reports before it commits them. It is gone with its host, and what it has not committed with it.
pub(crate) struct Hasty {
    store: Arc<dyn Store>,
    waiting: Arc<Mutex<VecDeque<Write>>>,
    _commits: JoinSet<()>,
}

impl Hasty {
    /// On a disk that outlives it.
    pub(crate) fn start(store: Arc<dyn Store>) -> Self {
        let waiting = Arc::<Mutex<VecDeque<Write>>>::default();
        let mut commits = JoinSet::new();
        let (disk, queue) = (store.clone(), waiting.clone());
        commits.spawn(async move {
            let mut often = interval(LATE);
            loop {
                often.tick().await;
                let writes =
                    std::mem::take(&mut *queue.lock().unwrap_or_else(PoisonError::into_inner));
                for write in writes {
                    let receipt = disk.submit(write).await.expect("memory takes it");
                    receipt.await.expect("memory keeps it");
                }
            }
        });
        Self {
            store,
            waiting,
            _commits: commits,
        }
    }
}

impl Store for Hasty {
    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        if !is_report(&write) {
            return self.store.submit(write);
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push_back(write);
        kept()
    }

    fn reads(&self) -> &dyn Reads {
        self.store.reads()
    }

    fn memberships(&self) -> &dyn MembershipStore {
        self.store.memberships()
    }
}

/// It has no fence: whoever writes last is right, of whatever epoch and version.
pub(crate) struct Unfenced {
    store: Arc<dyn Store>,
    /// Above every number of a stream.
    epoch: AtomicU64,
}

impl Unfenced {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            epoch: AtomicU64::new(1 << 32),
        }
    }
}

impl Store for Unfenced {
    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        let Write::Report(change, _) = write else {
            return self.store.submit(write);
        };
        let mut change = Arc::unwrap_or_clone(change);
        change.continuity = Continuity::Restored;
        change.position.epoch = self.epoch.fetch_add(1, Ordering::Relaxed);
        self.store.submit(Write::Report(Arc::new(change), None))
    }

    fn reads(&self) -> &dyn Reads {
        self.store.reads()
    }

    fn memberships(&self) -> &dyn MembershipStore {
        self.store.memberships()
    }
}

fn is_report(write: &Write) -> bool {
    matches!(write, Write::Report(..))
}

fn kept<'a>() -> BoxFuture<'a, Result<Receipt, StoreError>> {
    let receipt: Receipt = futures::future::ready(Ok(Outcome::Stored)).boxed();
    futures::future::ready(Ok(receipt)).boxed()
}
