//! Tables of the in-memory store, and its writes by the ordering rules of `order.rs`.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use causeway_proto::{
    ids::{AccountId, RuntimeId},
    time,
};

use super::{
    event::EventRow, history::Histories, operations::DeploymentTable, resource::ResourceRow,
};
use causeway_inventory::{
    application::{
        Change, Details, Filter, Health, Key, Record, Scope, ScopeTraits, Source, Summary, Sync,
        Uid, moved,
    },
    digest::Digest,
    history::{Moment, StatusKey},
    image::ImageName,
    order::{self, Displacement, Head, Merge, ObjectLife, Position},
    report::membership::Roster,
    store::{ChangeBounds, Garbage, Outcome},
};

#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) rows: BTreeMap<(Scope, Uid), Row>,
    pub(super) live: BTreeMap<(AccountId, Key), (Scope, Uid)>,
    pub(super) changes: BTreeMap<(AccountId, u64), (Scope, Uid)>,
    bounds: HashMap<AccountId, ChangeBounds>,
    pub(super) epochs: HashMap<Scope, u64>,
    /// Epochs in which clusters were last restored.
    pub(super) restored: HashMap<Scope, u64>,
    /// Memberships with the names of their runtimes.
    pub(super) memberships: BTreeMap<Scope, (String, Roster)>,
    pub(super) roster_version: u64,
    /// Manifests with the time since when they are unreferenced.
    pub(super) manifests: HashMap<(AccountId, Digest), (Option<i64>, Bytes)>,
    /// Runtimes that sent manifests first.
    pub(super) manifest_senders: HashMap<(AccountId, Digest), RuntimeId>,
    pub(super) histories: Histories,
    pub(super) resources: BTreeMap<(Scope, Uid), ResourceRow>,
    pub(super) events: BTreeMap<(Scope, Uid), EventRow>,
    pub(super) operations: DeploymentTable,
}

#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) position: Position,
    pub(super) root_digest: Digest,
    pub(super) canonical: Bytes,
    pub(super) status: StatusKey,
    manifests: Vec<Digest>,
    pub(super) images: Vec<ImageName>,
    pub(super) record: Record,
}

impl Row {
    /// True if a report repeats the held state.
    fn is_duplicate_of(&self, change: &Change, key: &Key) -> bool {
        let digest = change.state.as_ref().map(|state| state.root_digest);
        self.record.life == ObjectLife::Live
            && self.record.key == *key
            && self.position.resource_version == change.position.resource_version
            && digest == Some(self.root_digest)
    }

    fn head(&self) -> Head {
        Head {
            position: self.position,
            life: self.record.life,
        }
    }
}

impl Tables {
    pub(super) fn change_bounds(&self, account: &AccountId) -> ChangeBounds {
        self.bounds.get(account).copied().unwrap_or_default()
    }

    /// Live, visible applications that match.
    pub(super) fn matching(
        &self,
        account: &AccountId,
        filter: &Filter,
    ) -> impl Iterator<Item = &Record> {
        let own = self.live.iter().filter(move |((of, _), _)| of == account);
        let records = own.map(|(_, place)| &self.rows[place].record);
        records.filter(move |record| filter.matches(&record.facts()))
    }

    pub(super) fn next_change(&mut self, account: &AccountId) -> u64 {
        let change_bounds = self.bounds.entry(account.clone()).or_default();
        change_bounds.latest += 1;
        change_bounds.latest
    }

    pub(super) fn apply_report(&mut self, change: &Change) -> Outcome {
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
        if merge == Merge::Superseded || self.is_fenced(change) {
            self.record(change, &place, &key);
            return Outcome::Superseded;
        }
        if let Some(row) = self
            .rows
            .get_mut(&place)
            .filter(|row| row.is_duplicate_of(change, &key))
        {
            row.position = change.position;
            self.record(change, &place, &key);
            return Outcome::Stored;
        }
        let named = change.state.as_ref().map_or(&[][..], |it| &it.manifests);
        let missing = self.missing_manifests(&change.scope.account, named);
        if !missing.is_empty() {
            return Outcome::Missing(missing);
        }
        self.unmark_manifests(&change.scope.account, named);
        self.record(change, &place, &key);
        let outcome = self.write(merge, change, place, namesake);
        self.follow(change);
        outcome
    }

    /// True if a change is older than the restore of its cluster.
    pub(super) fn is_fenced<S>(&self, change: &Change<S>) -> bool {
        let restored = self.restored.get(&*change.scope).copied().unwrap_or(0);
        order::is_fenced(change.position, change.continuity, restored)
    }

    /// Records ended operations with the traits of the reported or the last state.
    fn record(&mut self, change: &Change, place: &(Scope, Uid), key: &Key) {
        let reported = change.state.as_ref().map(|state| &state.summary.traits);
        let held = || self.rows.get(place).map(|row| &row.record.summary.traits);
        let traits = reported.or_else(held).cloned().unwrap_or_default();
        self.operations.record(change, key, &traits);
    }

    pub(super) fn unmark_manifests(&mut self, account: &AccountId, named: &[Digest]) {
        for digest in named {
            if let Some((unused_since, _)) = self.manifests.get_mut(&(account.clone(), *digest)) {
                *unused_since = None;
            }
        }
    }

    pub(super) fn missing_manifests(&self, account: &AccountId, named: &[Digest]) -> Vec<Digest> {
        let there = |digest: &Digest| self.manifests.contains_key(&(account.clone(), *digest));
        named
            .iter()
            .filter(|digest| !there(digest))
            .copied()
            .collect()
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
            (Merge::Live { displaces }, Some(state)) => {
                if let (Displacement::Namesake, Some(other)) = (displaces, namesake) {
                    self.bury(&other, None);
                }
                let number = self.next_change(&change.scope.account);
                let mut row = row_of(change, ObjectLife::Live, number);
                let moment = Moment {
                    at: row.record.received_at,
                    change: number,
                };
                let (reported, held) = ((change, state), self.rows.get(&place));
                let at = self
                    .histories
                    .append_state(reported, &row.record.key, held, moment);
                row.record.received_at = at;
                if let Some(held) = self.rows.get(&place) {
                    let (past, held) = (held.record.past.clone(), &held.record.summary.traits);
                    row.record.past = moved(past, held.clone(), &row.record.summary.traits, number);
                }
                self.put(row, place);
                Outcome::Stored
            }
            (Merge::Gone, _) => {
                self.bury(&place, Some(change.position));
                Outcome::Stored
            }
            (Merge::Buried | Merge::Live { .. }, _) => {
                let known = self.rows.get(&place).map_or(0, |row| row.record.change);
                let mut row = row_of(change, ObjectLife::Gone, known);
                if let Some(held) = self.rows.get(&place) {
                    row.record.past.clone_from(&held.record.past);
                    row.record.summary.traits = held.record.summary.traits.clone();
                }
                self.put(row, place);
                Outcome::Stored
            }
        }
    }

    /// Turns a live row into a tombstone, which is a change.
    fn bury(&mut self, place: &(Scope, Uid), position: Option<Position>) {
        let Some(mut row) = self.rows.get(place).cloned() else {
            return;
        };
        row.position = position.unwrap_or(row.position);
        row.record.resource_version = row.position.resource_version;
        row.record.life = ObjectLife::Gone;
        row.record.change = self.next_change(&place.0.account);
        let moment = Moment {
            at: time::to_millis(SystemTime::now()),
            change: row.record.change,
        };
        row.record.received_at = self
            .histories
            .append_deletion(&place.0.account, &row, moment);
        row.record.basic = Bytes::new();
        row.record.detail = Bytes::new();
        row.canonical = Bytes::new();
        row.manifests.clear();
        row.images.clear();
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
        if row.record.life == ObjectLife::Live {
            let key = (account, row.record.key.clone());
            self.live.insert(key, place.clone());
        }
        self.rows.insert(place, row);
    }

    pub(super) fn collect(&mut self, old: Garbage, age: Duration) -> Outcome {
        let before = millis_before(age);
        let count = match old {
            Garbage::Applications => self.collect_applications(before),
            Garbage::Resources => self.collect_resources(before),
            Garbage::Events => self.collect_events(before),
            Garbage::Deployments => self.operations.collect(before),
            Garbage::UnreferencedManifests(_) => self.mark_manifests(),
            Garbage::UnusedManifests => self.sweep_manifests(before),
        };
        Outcome::Collected { count, next: None }
    }

    /// Marks unreferenced manifests.
    fn mark_manifests(&mut self) -> u64 {
        let rows = self.rows.iter();
        let theirs = self.resources.iter().filter_map(|((scope, _), row)| {
            let digest = row.manifest()?;
            Some((scope.account.clone(), digest))
        });
        let used: HashSet<(AccountId, Digest)> = rows
            .flat_map(|((scope, _), row)| {
                let named = row.manifests.iter();
                named.map(|digest| (scope.account.clone(), *digest))
            })
            .chain(theirs)
            .collect();
        let now = millis_before(Duration::ZERO);
        for (key, (unused_since, _)) in &mut self.manifests {
            *unused_since = (!used.contains(key)).then(|| unused_since.unwrap_or(now));
        }
        0
    }

    fn sweep_manifests(&mut self, before: i64) -> u64 {
        let there = self.manifests.len();
        let used = |since: &Option<i64>| since.is_none_or(|since| since > before);
        self.manifests.retain(|_, (since, _)| used(since));
        count(there - self.manifests.len())
    }

    fn collect_applications(&mut self, before: i64) -> u64 {
        let old =
            |row: &Row| row.record.life == ObjectLife::Gone && row.record.received_at <= before;
        let places: Vec<_> = self
            .rows
            .iter()
            .filter(|(_, row)| old(row))
            .map(|(place, row)| (place.clone(), row.record.change))
            .collect();
        for (place, change) in &places {
            let account = place.0.account.clone();
            self.changes.remove(&(account.clone(), *change));
            self.expire_cursors(&account, *change);
            self.rows.remove(place);
        }
        count(places.len())
    }

    /// Expires cursors from before a change.
    pub(super) fn expire_cursors(&mut self, account: &AccountId, change: u64) {
        let change_bounds = self.bounds.entry(account.clone()).or_default();
        change_bounds.forgotten = change_bounds.forgotten.max(change);
    }
}

pub(super) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

pub(super) fn millis_before(age: Duration) -> i64 {
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

fn row_of(change: &Change, life: ObjectLife, number: u64) -> Row {
    let state = change.state.as_ref().filter(|_| life == ObjectLife::Live);
    let none = || Summary {
        traits: ScopeTraits::default(),
        sync: Sync::Unspecified,
        health: Health::Unspecified,
        source: Source::Unspecified,
        details: Details::default(),
    };
    Row {
        position: change.position,
        root_digest: state.map_or_else(|| Digest::of(b""), |state| state.root_digest),
        canonical: state
            .map(|state| state.canonical.clone())
            .unwrap_or_default(),
        status: StatusKey {
            sync: state.map_or(Sync::Unspecified, |state| state.summary.sync),
            health: state.map_or(Health::Unspecified, |state| state.summary.health),
            operation_ended: state.map_or(0, |state| state.progress.operation.ended_at),
        },
        manifests: state
            .map(|state| state.manifests.clone())
            .unwrap_or_default(),
        images: state.map(|state| state.images.clone()).unwrap_or_default(),
        record: Record {
            key: key_of(change),
            uid: change.uid.clone(),
            resource_version: change.position.resource_version,
            life,
            summary: state.map_or_else(none, |state| state.summary.clone()),
            past: Vec::new(),
            change: number,
            received_at: time::to_millis(SystemTime::now()),
            basic: state.map(|state| state.basic.clone()).unwrap_or_default(),
            detail: state.map(|state| state.detail.clone()).unwrap_or_default(),
        },
    }
}
