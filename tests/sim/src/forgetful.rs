//! A store that is broken on purpose: it acknowledges some reports and does not keep them.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;
use causeway_inventory::{
    application::{Filter, HeldObject, Key, Page, Record, Scope, Uid, View},
    digest::Digest,
    store::{Commits, Extent, Outcome, Receipt, Span, Store, StoreError, Write},
};
use causeway_proto::ids::AccountId;
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
    fn incarnation(&self) -> u64 {
        self.store.incarnation()
    }

    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        let report = matches!(write, Write::Report(_));
        let number = || self.reports.fetch_add(1, Ordering::Relaxed);
        if report && number().is_multiple_of(FORGOTTEN) {
            let receipt: Receipt = futures::future::ready(Ok(Outcome::Kept)).boxed();
            return futures::future::ready(Ok(receipt)).boxed();
        }
        self.store.submit(write)
    }

    fn held<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Uid>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<HeldObject>, StoreError>> {
        self.store.held(scope, after, limit)
    }

    fn list<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        after: Option<&'a Key>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        self.store.list(account, filter, view, after, limit)
    }

    fn changed<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        span: Span,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        self.store.changed(account, filter, view, span, limit)
    }

    fn keys<'a>(
        &'a self,
        account: &'a AccountId,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Key>, StoreError>> {
        self.store.keys(account, limit)
    }

    fn manifest<'a>(
        &'a self,
        account: &'a AccountId,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>> {
        self.store.manifest(account, digest)
    }

    fn extent<'a>(&'a self, account: &'a AccountId) -> BoxFuture<'a, Result<Extent, StoreError>> {
        self.store.extent(account)
    }

    fn commits(&self) -> &Commits {
        self.store.commits()
    }
}
