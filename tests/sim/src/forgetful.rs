//! A store that is broken on purpose: it acknowledges some reports and does not keep them.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use causeway_inventory::store::{Outcome, Reads, Receipt, Rosters, Store, StoreError, Write};
use futures::{FutureExt as _, future::BoxFuture};

/// Of so many reports one is forgotten.
const FORGOTTEN: usize = 5;

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
        let report = matches!(write, Write::Report(_) | Write::Following(..));
        let number = || self.reports.fetch_add(1, Ordering::Relaxed);
        if report && number().is_multiple_of(FORGOTTEN) {
            let receipt: Receipt = futures::future::ready(Ok(Outcome::Kept)).boxed();
            return futures::future::ready(Ok(receipt)).boxed();
        }
        self.store.submit(write)
    }

    fn reads(&self) -> &dyn Reads {
        self.store.reads()
    }

    fn rosters(&self) -> &dyn Rosters {
        self.store.rosters()
    }
}
