//! In-memory store for simulations and tests: no threads and no disk, so that every call completes at once.

mod event;
mod history;
mod membership;
mod operations;
mod quota;
mod resource;
mod resource_reads;
mod search;
mod table;

use std::{
    ops::Bound,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use bytes::Bytes;
use causeway_database::Listener;
use causeway_proto::{ids::AccountId, time};
use futures::{FutureExt as _, future::BoxFuture};
use tokio::time::Instant;

use causeway_inventory::{
    application::{
        Facets, Field, Filter, HeldObject, Key, NextPage, ObjectKind, ObjectName, Page, Place,
        Record, Scope, Sort, Uid, View, Visible,
    },
    deployment::{DeploymentCounts, DeploymentFilter, Deployments, Period},
    digest::Digest,
    history::{Entry, History, Moment},
    inventory::ApplicationRequest,
    order::ObjectLife,
    page_key::PageKey,
    quota::{HistoryExcess, Owner, Usage},
    store::{
        ApplicationReads, ChangeBounds, ChangeRange, CommitNotifier, DeploymentReads, HistoryReads,
        ManifestReads, MembershipStore, Outcome, Reads, Receipt, Store, StoreError, Write,
    },
};
use table::Tables;

/// Store that lives as long as its process.
#[derive(Debug)]
pub struct MemoryStore {
    incarnation: u64,
    page_key: PageKey,
    tables: Mutex<Tables>,
    commits: CommitNotifier,
    clock: Clock,
}

/// Clock of leases.
#[derive(Debug)]
enum Clock {
    /// Time since the creation of the store, by the clock of tokio.
    Own(i64, Instant),
    /// Clock of a simulation.
    Given(fn() -> i64),
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self {
            incarnation: rand::random(),
            page_key: PageKey::from_text(&PageKey::generate()).expect("it is as long as a key"),
            tables: Mutex::default(),
            commits: CommitNotifier::default(),
            clock: Clock::Own(time::to_millis(SystemTime::now()), Instant::now()),
        }
    }
}

impl MemoryStore {
    /// Creates a store with a clock in ms since 1970, for simulations in which each host has its own.
    pub fn with_clock(clock: fn() -> i64) -> Self {
        Self {
            clock: Clock::Given(clock),
            ..Self::default()
        }
    }

    fn now(&self) -> i64 {
        match self.clock {
            Clock::Own(began, start) => {
                let passed = i64::try_from(start.elapsed().as_millis());
                began.saturating_add(passed.unwrap_or(i64::MAX))
            }
            Clock::Given(clock) => clock(),
        }
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn apply(&self, write: Write) -> Outcome {
        let mut tables = self.tables();
        match write {
            Write::Report(change, _) => {
                let outcome = tables.apply_report(&change);
                let account = &change.scope.account;
                self.commits
                    .publish(account, tables.change_bounds(account).latest);
                outcome
            }
            Write::Resource(change) => {
                let outcome = tables.apply_resource(&change);
                let account = &change.scope.account;
                self.commits
                    .publish(account, tables.change_bounds(account).latest);
                outcome
            }
            Write::Event(change) => tables.apply_event(&change),
            Write::Manifest((account, runtime), digest, content) => {
                let place = (account, digest);
                tables
                    .manifest_senders
                    .entry(place.clone())
                    .or_insert(runtime);
                let kept = tables.manifests.entry(place);
                kept.or_insert((None, content)).0 = None;
                Outcome::Stored
            }
            Write::Epoch(scope) => {
                let epoch = tables.epochs.entry(scope).or_default();
                *epoch += 1;
                Outcome::Epoch(*epoch)
            }
            Write::Collect(old, age) => tables.collect(old, age),
            Write::Compact(rules, _) => {
                tables.histories.compact(None, rules);
                Outcome::Compacted { next: None }
            }
            Write::CompactRuntime(owner, rules, _) => {
                tables.histories.compact(Some(&owner), rules);
                Outcome::Compacted { next: None }
            }
        }
    }
}

fn shown(record: &Record, view: View) -> Record {
    let mut record = record.clone();
    if view != View::Full {
        record.detail = Bytes::new();
    }
    record
}

fn page<'a>(records: impl Iterator<Item = &'a Record>, view: View, limit: usize) -> Page<Record> {
    let mut page = Page {
        items: Vec::new(),
        rest: NextPage::End,
    };
    let mut bytes = 0;
    for record in records {
        if !page.push(shown(record, view), limit, &mut bytes) {
            break;
        }
    }
    page
}

fn ready<T: Send + 'static>(value: T) -> BoxFuture<'static, Result<T, StoreError>> {
    futures::future::ready(Ok(value)).boxed()
}

impl Store for MemoryStore {
    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        let receipt: Receipt = ready(self.apply(write));
        ready(receipt)
    }

    fn reads(&self) -> &dyn Reads {
        self
    }

    fn memberships(&self) -> &dyn MembershipStore {
        self
    }
}

impl Reads for MemoryStore {
    fn incarnation(&self) -> u64 {
        self.incarnation
    }

    fn page_key(&self) -> &PageKey {
        &self.page_key
    }

    fn list_held<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Uid>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<HeldObject>, StoreError>> {
        let first = Uid::from("");
        let from = (scope.clone(), after.unwrap_or(&first).clone());
        let tables = self.tables();
        if scope.kind != ObjectKind::Application {
            let held = tables.held_objects(scope);
            let held = held.filter(|held| after.is_none_or(|after| held.uid > *after));
            return ready(held.take(limit).collect());
        }
        let held = tables
            .rows
            .range((Bound::Excluded(from), Bound::Unbounded))
            .take_while(|((of, _), _)| of == scope)
            .filter(|(_, row)| row.record.life == ObjectLife::Live)
            .take(limit)
            .map(|((_, uid), row)| HeldObject {
                object: ObjectName {
                    namespace: row.record.key.namespace.as_str().into(),
                    name: row.record.key.name.as_str().into(),
                },
                uid: uid.clone(),
                resource_version: row.position.resource_version,
                root_digest: row.root_digest,
            })
            .collect();
        ready(held)
    }

    fn change_bounds<'a>(
        &'a self,
        account: &'a AccountId,
    ) -> BoxFuture<'a, Result<ChangeBounds, StoreError>> {
        ready(self.tables().change_bounds(account))
    }

    fn count_live(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        let tables = self.tables();
        let resources = tables.resources.values();
        let resources = resources.filter(|row| row.record.life == ObjectLife::Live);
        ready((tables.live.len() + resources.count()) as u64)
    }

    fn usage<'a>(&'a self, owner: &'a Owner) -> BoxFuture<'a, Result<Usage, StoreError>> {
        ready(self.tables().usage(owner))
    }

    fn is_held<'a>(
        &'a self,
        scope: &'a Scope,
        uid: &'a Uid,
        object: &'a ObjectName,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        ready(self.tables().is_held(scope, uid, object))
    }

    fn history_excess(&self, most: u64) -> BoxFuture<'_, Result<Vec<HistoryExcess>, StoreError>> {
        ready(self.tables().histories.excess(most))
    }

    fn commits(&self) -> &CommitNotifier {
        &self.commits
    }

    fn poll_commits(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        ready(())
    }

    fn listen(&self) -> Listener {
        Listener::disabled()
    }
}

impl ApplicationReads for MemoryStore {
    fn held_state<'a>(
        &'a self,
        scope: &'a Scope,
        uid: &'a Uid,
        root: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>> {
        let tables = self.tables();
        let row = tables.rows.get(&(scope.clone(), uid.clone()));
        let live =
            row.filter(|row| row.record.life == ObjectLife::Live && row.root_digest == *root);
        ready(live.map(|row| row.canonical.clone()))
    }

    fn list_applications<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        after: Option<&'a Place>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        let tables = self.tables();
        let mut found: Vec<(Place, &Record)> = tables
            .matching(account, filter)
            .map(|record| (filter.sort.place_of(record), record))
            .filter(|(place, _)| after.is_none_or(|after| place > after))
            .collect();
        found.sort_by(|one, other| filter.sort.compare(false, &one.0, &other.0));
        let records = found.into_iter().map(|(_, record)| record);
        ready(page(records, view, limit))
    }

    fn count_facets<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        fields: &'a [Field],
        most: usize,
    ) -> BoxFuture<'a, Result<Facets, StoreError>> {
        let tables = self.tables();
        let records = tables.matching(account, filter);
        ready(Facets::of(records.map(Record::facts), fields, most))
    }

    fn changed_applications<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        span: ChangeRange,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        let tables = self.tables();
        if span.after >= span.to {
            return ready(page([].iter(), view, limit));
        }
        let range = (account.clone(), span.after + 1)..=(account.clone(), span.to);
        let records = tables
            .changes
            .range(range)
            .map(|(_, place)| &tables.rows[place].record)
            .filter(|record| filter.admits(&record.facts()));
        ready(page(records, view, limit))
    }

    fn applications_of_changes<'a>(
        &'a self,
        account: &'a AccountId,
        view: View,
        changes: &'a [u64],
    ) -> BoxFuture<'a, Result<Vec<Record>, StoreError>> {
        let tables = self.tables();
        let places = changes
            .iter()
            .filter_map(|change| tables.changes.get(&(account.clone(), *change)));
        let records = places.map(|place| &tables.rows[place].record);
        let live = records.filter(|record| record.life == ObjectLife::Live);
        ready(live.map(|record| shown(record, view)).collect())
    }

    fn application_keys<'a>(
        &'a self,
        account: &'a AccountId,
        visible: &'a Visible,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Key>, StoreError>> {
        let tables = self.tables();
        let keys = tables
            .live
            .iter()
            .filter(|((of, _), _)| of == account)
            .map(|((_, key), place)| (key, &tables.rows[place].record.summary))
            .filter(|(key, summary)| visible.contains(key, summary));
        ready(keys.take(limit).map(|(key, _)| key.clone()).collect())
    }

    fn place_of<'a>(
        &'a self,
        account: &'a AccountId,
        sort: Sort,
        change: u64,
    ) -> BoxFuture<'a, Result<Option<Place>, StoreError>> {
        let tables = self.tables();
        let place = tables.changes.get(&(account.clone(), change));
        let record = place.map(|place| &tables.rows[place].record);
        let live = record.filter(|record| record.life == ObjectLife::Live);
        ready(live.map(|record| sort.place_of(record)))
    }
}

impl ManifestReads for MemoryStore {
    fn manifest<'a>(
        &'a self,
        account: &'a AccountId,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>> {
        let key = (account.clone(), *digest);
        let tables = self.tables();
        let found = tables.manifests.get(&key);
        ready(found.map(|(_, content)| content.clone()))
    }
}

impl DeploymentReads for MemoryStore {
    fn list_deployments<'a>(
        &'a self,
        account: &'a AccountId,
        sought: &'a DeploymentFilter,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Option<Deployments>, StoreError>> {
        ready(self.tables().operations.list(account, sought, after, limit))
    }

    fn count_deployments<'a>(
        &'a self,
        account: &'a AccountId,
        sought: &'a DeploymentFilter,
        period: Period,
    ) -> BoxFuture<'a, Result<Vec<DeploymentCounts>, StoreError>> {
        ready(self.tables().operations.count(account, sought, period))
    }
}

impl HistoryReads for MemoryStore {
    fn find_histories<'a>(
        &'a self,
        account: &'a AccountId,
        wanted: &'a ApplicationRequest,
    ) -> BoxFuture<'a, Result<Vec<History>, StoreError>> {
        ready(self.tables().histories.find(account, wanted))
    }

    fn history_entries<'a>(
        &'a self,
        account: &'a AccountId,
        history: i64,
        until: Moment,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>> {
        ready(
            self.tables()
                .histories
                .entries(account, history, until, most),
        )
    }

    fn history_start<'a>(
        &'a self,
        account: &'a AccountId,
        history: i64,
    ) -> BoxFuture<'a, Result<Option<Moment>, StoreError>> {
        ready(self.tables().histories.start(account, history))
    }
}
