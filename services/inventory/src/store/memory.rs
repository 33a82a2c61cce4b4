//! The store of simulations and tests: no threads, no disk, the same rules.

mod event;
mod history;
mod membership;
mod operations;
mod resource;
mod resource_reads;
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

use super::{Commits, Extent, Outcome, Reads, Receipt, Rosters, Span, Store, StoreError, Write};
use crate::{
    application::{
        Facets, Field, Filter, HeldObject, Key, ObjectKind, ObjectName, Page, Place, Record, Rest,
        Scope, Sort, Uid, View, Visible,
    },
    deployment::{Deployments, Sought},
    digest::Digest,
    history::{Entry, Moment, Story},
    inventory::Wanted,
    order::Life,
    page_key::PageKey,
};
use table::Shelf;

/// A store that lives as long as its process.
#[derive(Debug)]
pub struct Memory {
    incarnation: u64,
    page_key: PageKey,
    shelf: Mutex<Shelf>,
    commits: Commits,
    clock: Clock,
}

/// What decides who is late.
#[derive(Debug)]
enum Clock {
    /// The time that has passed since the store was made at this one.
    Own(i64, Instant),
    /// Another one.
    Given(fn() -> i64),
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            incarnation: rand::random(),
            page_key: PageKey::from_text(&PageKey::generate()).expect("it is as long as a key"),
            shelf: Mutex::default(),
            commits: Commits::default(),
            clock: Clock::Own(time::to_millis(SystemTime::now()), Instant::now()),
        }
    }
}

impl Memory {
    /// A store with a clock, in milliseconds since 1970, for simulations in which each host has its own.
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

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn apply(&self, write: Write) -> Outcome {
        let mut shelf = self.shelf();
        match write {
            Write::Report(change) | Write::Following(change, _) => {
                let outcome = shelf.report(&change);
                let account = &change.scope.account;
                self.commits.tell(account, shelf.extent(account).latest);
                outcome
            }
            Write::Resource(change) => {
                let outcome = shelf.resource(&change);
                let account = &change.scope.account;
                self.commits.tell(account, shelf.extent(account).latest);
                outcome
            }
            Write::Event(change) => shelf.event(&change),
            Write::Manifest(account, digest, content) => {
                let kept = shelf.manifests.entry((account, digest));
                kept.or_insert((None, content)).0 = None;
                Outcome::Kept
            }
            Write::Epoch(scope) => {
                let epoch = shelf.epochs.entry(scope).or_default();
                *epoch += 1;
                Outcome::Epoch(*epoch)
            }
            Write::Forget(old, age) => shelf.forget(old, age),
            Write::Thin(rules, _) => {
                shelf.stories.thin(rules);
                Outcome::Thinned { next: None }
            }
        }
    }
}

fn shown(record: &Record, view: View) -> Record {
    let mut record = record.clone();
    if view == View::Basic {
        record.detail = Bytes::new();
    }
    record
}

fn page<'a>(records: impl Iterator<Item = &'a Record>, view: View, limit: usize) -> Page<Record> {
    let mut page = Page {
        items: Vec::new(),
        rest: Rest::End,
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

impl Store for Memory {
    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        let receipt: Receipt = ready(self.apply(write));
        ready(receipt)
    }

    fn reads(&self) -> &dyn Reads {
        self
    }

    fn rosters(&self) -> &dyn Rosters {
        self
    }
}

impl Reads for Memory {
    fn incarnation(&self) -> u64 {
        self.incarnation
    }

    fn page_key(&self) -> &PageKey {
        &self.page_key
    }

    fn held<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Uid>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<HeldObject>, StoreError>> {
        let first = Uid::from("");
        let from = (scope.clone(), after.unwrap_or(&first).clone());
        let shelf = self.shelf();
        if scope.kind != ObjectKind::Application {
            let held = shelf.held_objects(scope);
            let held = held.filter(|held| after.is_none_or(|after| held.uid > *after));
            return ready(held.take(limit).collect());
        }
        let held = shelf
            .rows
            .range((Bound::Excluded(from), Bound::Unbounded))
            .take_while(|((of, _), _)| of == scope)
            .filter(|(_, row)| row.record.life == Life::Live)
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

    fn held_state<'a>(
        &'a self,
        scope: &'a Scope,
        uid: &'a Uid,
        root: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>> {
        let shelf = self.shelf();
        let row = shelf.rows.get(&(scope.clone(), uid.clone()));
        let live = row.filter(|row| row.record.life == Life::Live && row.root_digest == *root);
        ready(live.map(|row| row.canonical.clone()))
    }

    fn list<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        after: Option<&'a Place>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        let shelf = self.shelf();
        let mut found: Vec<(Place, &Record)> = shelf
            .matching(account, filter)
            .map(|record| (filter.sort.place_of(record), record))
            .filter(|(place, _)| after.is_none_or(|after| place > after))
            .collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        let records = found.into_iter().map(|(_, record)| record);
        ready(page(records, view, limit))
    }

    fn facets<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        fields: &'a [Field],
        most: usize,
    ) -> BoxFuture<'a, Result<Facets, StoreError>> {
        let shelf = self.shelf();
        let records = shelf.matching(account, filter);
        let applications = records.map(|record| (&record.key, &record.summary));
        ready(Facets::of(applications, fields, most))
    }

    fn changed<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        span: Span,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        let shelf = self.shelf();
        if span.after >= span.to {
            return ready(page([].iter(), view, limit));
        }
        let range = (account.clone(), span.after + 1)..=(account.clone(), span.to);
        let records = shelf
            .changes
            .range(range)
            .map(|(_, place)| &shelf.rows[place].record)
            .filter(|record| filter.admits(&record.key));
        ready(page(records, view, limit))
    }

    fn keys<'a>(
        &'a self,
        account: &'a AccountId,
        visible: &'a Visible,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Key>, StoreError>> {
        let shelf = self.shelf();
        let keys = shelf
            .live
            .iter()
            .filter(|((of, _), _)| of == account)
            .map(|((_, key), place)| (key, &shelf.rows[place].record.summary))
            .filter(|(key, summary)| visible.contains(key, summary));
        ready(keys.take(limit).map(|(key, _)| key.clone()).collect())
    }

    fn place_of<'a>(
        &'a self,
        account: &'a AccountId,
        sort: Sort,
        change: u64,
    ) -> BoxFuture<'a, Result<Option<Place>, StoreError>> {
        let shelf = self.shelf();
        let place = shelf.changes.get(&(account.clone(), change));
        let record = place.map(|place| &shelf.rows[place].record);
        let live = record.filter(|record| record.life == Life::Live);
        ready(live.map(|record| sort.place_of(record)))
    }

    fn manifest<'a>(
        &'a self,
        account: &'a AccountId,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>> {
        let key = (account.clone(), *digest);
        let shelf = self.shelf();
        let found = shelf.manifests.get(&key);
        ready(found.map(|(_, content)| content.clone()))
    }

    fn deployments<'a>(
        &'a self,
        account: &'a AccountId,
        sought: &'a Sought,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Option<Deployments>, StoreError>> {
        ready(self.shelf().operations.list(account, sought, after, limit))
    }

    fn stories<'a>(
        &'a self,
        account: &'a AccountId,
        wanted: &'a Wanted,
    ) -> BoxFuture<'a, Result<Vec<Story>, StoreError>> {
        ready(self.shelf().stories.of(account, wanted))
    }

    fn entries<'a>(
        &'a self,
        account: &'a AccountId,
        story: i64,
        until: Moment,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>> {
        ready(self.shelf().stories.entries(account, story, until, most))
    }

    fn beginning<'a>(
        &'a self,
        account: &'a AccountId,
        story: i64,
    ) -> BoxFuture<'a, Result<Option<Moment>, StoreError>> {
        ready(self.shelf().stories.beginning(account, story))
    }

    fn extent<'a>(&'a self, account: &'a AccountId) -> BoxFuture<'a, Result<Extent, StoreError>> {
        ready(self.shelf().extent(account))
    }

    fn live(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        let shelf = self.shelf();
        let resources = shelf.resources.values();
        let resources = resources.filter(|row| row.record.life == Life::Live);
        ready((shelf.live.len() + resources.count()) as u64)
    }

    fn commits(&self) -> &Commits {
        &self.commits
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        ready(())
    }

    fn listen(&self) -> Listener {
        Listener::disabled()
    }
}
