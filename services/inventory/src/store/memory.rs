//! The store of simulations and tests: no threads, no disk, the same rules.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Bound,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use causeway_proto::{ids::AccountId, time};
use futures::{FutureExt as _, future::BoxFuture};

use super::{Commits, Extent, Keep, Outcome, Receipt, Span, Store, StoreError, Write};
use crate::{
    application::{
        Change, Filter, Health, HeldObject, Key, ObjectName, Page, Record, Rest, Scope, Summary,
        Sync, Uid, View,
    },
    digest::Digest,
    order::{self, Displaces, Head, Life, Merge, Position},
};

/// A store that lives as long as its process.
#[derive(Debug)]
pub struct Memory {
    incarnation: u64,
    shelf: Mutex<Shelf>,
    commits: Commits,
}

#[derive(Debug, Default)]
struct Shelf {
    rows: BTreeMap<(Scope, Uid), Row>,
    live: BTreeMap<(AccountId, Key), (Scope, Uid)>,
    changes: BTreeMap<(AccountId, u64), (Scope, Uid)>,
    extents: HashMap<AccountId, Extent>,
    epochs: HashMap<Scope, u64>,
    manifests: HashMap<(AccountId, Digest), (i64, Bytes)>,
}

#[derive(Debug, Clone)]
struct Row {
    position: Position,
    root_digest: Digest,
    /// What a live object names.
    manifests: Vec<Digest>,
    record: Record,
}

impl Row {
    fn head(&self) -> Head {
        Head {
            position: self.position,
            life: self.record.life,
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            incarnation: rand::random(),
            shelf: Mutex::default(),
            commits: Commits::default(),
        }
    }
}

impl Memory {
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn apply(&self, write: Write) -> Outcome {
        let mut shelf = self.shelf();
        match write {
            Write::Report(change) => {
                let outcome = shelf.report(&change);
                let account = &change.scope.account;
                self.commits.tell(account, shelf.extent(account).latest);
                outcome
            }
            Write::Manifest(account, digest, content) => {
                let now = time::to_millis(SystemTime::now());
                shelf.manifests.insert((account, digest), (now, content));
                Outcome::Kept
            }
            Write::Epoch(scope) => {
                let epoch = shelf.epochs.entry(scope).or_default();
                *epoch += 1;
                Outcome::Epoch(*epoch)
            }
            Write::Forget(keep) => shelf.forget(keep),
        }
    }
}

impl Shelf {
    fn extent(&self, account: &AccountId) -> Extent {
        self.extents.get(account).copied().unwrap_or_default()
    }

    fn next_change(&mut self, account: &AccountId) -> u64 {
        let extent = self.extents.entry(account.clone()).or_default();
        extent.latest += 1;
        extent.latest
    }

    fn report(&mut self, change: &Change) -> Outcome {
        let place = ((*change.scope).clone(), change.uid.clone());
        let key = key_of(change);
        let namesake = self
            .live
            .get(&(change.scope.account.clone(), key.clone()))
            .filter(|held| **held != place)
            .cloned();
        let merge = order::merge(
            change.position,
            change.life(),
            change.continuity,
            self.rows.get(&place).map(Row::head),
            namesake.as_ref().map(|held| self.rows[held].position),
        );
        if merge == Merge::Superseded {
            return Outcome::Superseded;
        }
        let missing = self.missing(change);
        if !missing.is_empty() {
            return Outcome::Missing(missing);
        }
        self.write(merge, change, place, namesake)
    }

    fn missing(&self, change: &Change) -> Vec<Digest> {
        let wanted = change.state.iter().flat_map(|state| &state.manifests);
        let there = |digest: &Digest| {
            let key = (change.scope.account.clone(), *digest);
            self.manifests.contains_key(&key)
        };
        wanted.filter(|digest| !there(digest)).copied().collect()
    }

    fn write(
        &mut self,
        merge: Merge,
        change: &Change,
        place: (Scope, Uid),
        namesake: Option<(Scope, Uid)>,
    ) -> Outcome {
        match (merge, &change.state) {
            (Merge::Superseded, _) => Outcome::Superseded,
            (Merge::Live { displaces }, Some(_)) => {
                if let (Displaces::Namesake, Some(other)) = (displaces, namesake) {
                    self.bury(&other, None);
                }
                let number = self.next_change(&change.scope.account);
                self.put(row_of(change, Life::Live, number), place);
                Outcome::Kept
            }
            (Merge::Gone, _) => {
                self.bury(&place, Some(change.position));
                Outcome::Kept
            }
            (Merge::Buried | Merge::Live { .. }, _) => {
                let known = self.rows.get(&place).map_or(0, |row| row.record.change);
                self.put(row_of(change, Life::Gone, known), place);
                Outcome::Kept
            }
        }
    }

    /// Makes a live object one that is gone, which is a change.
    fn bury(&mut self, place: &(Scope, Uid), position: Option<Position>) {
        let Some(mut row) = self.rows.get(place).cloned() else {
            return;
        };
        row.position = position.unwrap_or(row.position);
        row.record.resource_version = row.position.resource_version;
        row.record.life = Life::Gone;
        row.record.change = self.next_change(&place.0.account);
        row.record.received_at = time::to_millis(SystemTime::now());
        row.record.basic = Bytes::new();
        row.record.detail = Bytes::new();
        row.manifests.clear();
        self.put(row, place.clone());
    }

    fn put(&mut self, row: Row, place: (Scope, Uid)) {
        let account = place.0.account.clone();
        if let Some(old) = self.rows.get(&place) {
            self.changes.remove(&(account.clone(), old.record.change));
            let key = (account.clone(), old.record.key.clone());
            if self.live.get(&key) == Some(&place) {
                self.live.remove(&key);
            }
        }
        if row.record.change > 0 {
            let number = (account.clone(), row.record.change);
            self.changes.insert(number, place.clone());
        }
        if row.record.life == Life::Live {
            let key = (account, row.record.key.clone());
            self.live.insert(key, place.clone());
        }
        self.rows.insert(place, row);
    }

    fn forget(&mut self, keep: Keep) -> Outcome {
        let objects = self.forget_objects(millis_before(keep.gone));
        let before = millis_before(keep.unused);
        let rows = self.rows.iter();
        let used: HashSet<(AccountId, Digest)> = rows
            .flat_map(|((scope, _), row)| {
                let named = row.manifests.iter();
                named.map(|digest| (scope.account.clone(), *digest))
            })
            .collect();
        let there = self.manifests.len();
        self.manifests
            .retain(|key, (stored_at, _)| *stored_at > before || used.contains(key));
        Outcome::Forgotten {
            objects,
            manifests: count(there - self.manifests.len()),
        }
    }

    fn forget_objects(&mut self, before: i64) -> u64 {
        let old = |row: &Row| row.record.life == Life::Gone && row.record.received_at <= before;
        let places: Vec<_> = self
            .rows
            .iter()
            .filter(|(_, row)| old(row))
            .map(|(place, row)| (place.clone(), row.record.change))
            .collect();
        for (place, change) in &places {
            let account = place.0.account.clone();
            self.changes.remove(&(account.clone(), *change));
            let extent = self.extents.entry(account).or_default();
            extent.forgotten = extent.forgotten.max(*change);
            self.rows.remove(place);
        }
        count(places.len())
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn millis_before(age: Duration) -> i64 {
    time::to_millis(SystemTime::now()) - i64::try_from(age.as_millis()).unwrap_or(i64::MAX)
}

fn key_of(change: &Change) -> Key {
    Key {
        runtime_name: change.runtime_name.as_str().to_owned(),
        namespace: change.object.namespace.to_string(),
        name: change.object.name.to_string(),
        cluster: change.scope.cluster.to_string(),
        runtime: change.scope.runtime.as_str().to_owned(),
    }
}

fn row_of(change: &Change, life: Life, number: u64) -> Row {
    let state = change.state.as_ref().filter(|_| life == Life::Live);
    let none = || Summary {
        project: "".into(),
        sync: Sync::Unspecified,
        health: Health::Unspecified,
    };
    Row {
        position: change.position,
        root_digest: state.map_or_else(|| Digest::of(b""), |state| state.root_digest),
        manifests: state
            .map(|state| state.manifests.clone())
            .unwrap_or_default(),
        record: Record {
            key: key_of(change),
            uid: change.uid.clone(),
            resource_version: change.position.resource_version,
            life,
            summary: state.map_or_else(none, |state| state.summary.clone()),
            change: number,
            received_at: time::to_millis(SystemTime::now()),
            basic: state.map(|state| state.basic.clone()).unwrap_or_default(),
            detail: state.map(|state| state.detail.clone()).unwrap_or_default(),
        },
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
    fn incarnation(&self) -> u64 {
        self.incarnation
    }

    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        let receipt: Receipt = ready(self.apply(write));
        ready(receipt)
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

    fn list<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        after: Option<&'a Key>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        let shelf = self.shelf();
        let records = shelf
            .live
            .iter()
            .filter(|((of, key), _)| of == account && after.is_none_or(|after| key > after))
            .map(|(_, place)| &shelf.rows[place].record)
            .filter(|record| filter.admits(&record.key) && filter.accepts(&record.summary));
        ready(page(records, view, limit))
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
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Key>, StoreError>> {
        let shelf = self.shelf();
        let keys = shelf.live.keys().filter(|(of, _)| of == account);
        ready(keys.take(limit).map(|(_, key)| key.clone()).collect())
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

    fn extent<'a>(&'a self, account: &'a AccountId) -> BoxFuture<'a, Result<Extent, StoreError>> {
        ready(self.shelf().extent(account))
    }

    fn commits(&self) -> &Commits {
        &self.commits
    }
}
