//! Applies the queued writes of one transaction, by the ordering rules of `order.rs`.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use causeway_database::{Error, Transaction, query};
use causeway_proto::ids::AccountId;

use super::{
    current::{Current, CurrentRow, Namesake, next_traits, to_json},
    deployments::DeploymentInserts,
    history::insert::{HistoryPosition, NewEntry},
    image,
    labels::{self, LabelOwner},
    manifests::{KnownManifests, NewManifest},
    membership,
    prepared_write::{PreparedWrite, Report},
    state_cache::CacheUpdate,
    state_updates::StateUpdate,
};
use crate::{
    application::{
        Change, FormerTraits, Health, Key, Labels, Scope, ScopeTraits, Source, State, Sync,
    },
    digest::Digest,
    order::{self, Displacement, Merge, Position},
    store::Outcome,
};

pub(super) const NOTHING: &[u8] = &[];

/// Known contents of the database. Valid while there is no other writer: for a file always, for a server within one transaction.
#[derive(Default)]
pub(super) struct WriterCache {
    latest: HashMap<AccountId, u64>,
    pub(super) manifests: KnownManifests,
}

/// Open transaction with the rows that are written at its end.
pub(super) struct Batch<'a> {
    pub(super) transaction: &'a mut Transaction,
    pub(super) cache: &'a mut WriterCache,
    /// Last change number of each account.
    pub(super) changed: HashMap<AccountId, u64>,
    /// Current rows of reports, read ahead in one statement, by index of the write.
    pub(super) prefetched: HashMap<usize, Current>,
    /// First epoch whose reports are accepted, by scope.
    pub(super) fences: HashMap<Arc<Scope>, u64>,
    pub(super) state_updates: Vec<StateUpdate>,
    /// Hashes of the uids and names with a pending state update.
    pub(super) pending_hashes: HashSet<u64>,
    pub(super) manifests: Vec<NewManifest>,
    /// True if resources remain that have yet to follow their changed application.
    pub(super) has_pending_propagation: bool,
    pub(super) history_entries: Vec<NewEntry>,
    /// Updates of the state cache, applied after the commit.
    pub(super) cache_updates: Vec<CacheUpdate>,
    deployments: DeploymentInserts,
    pub(super) now: i64,
}

impl<'a> Batch<'a> {
    pub(super) fn new(
        transaction: &'a mut Transaction,
        cache: &'a mut WriterCache,
        now: i64,
    ) -> Self {
        Self {
            transaction,
            cache,
            changed: HashMap::new(),
            prefetched: HashMap::new(),
            fences: HashMap::new(),
            state_updates: Vec::new(),
            pending_hashes: HashSet::new(),
            manifests: Vec::new(),
            has_pending_propagation: false,
            history_entries: Vec::new(),
            cache_updates: Vec::new(),
            deployments: DeploymentInserts::default(),
            now,
        }
    }
}

impl Batch<'_> {
    pub(super) async fn apply(
        &mut self,
        index: usize,
        write: &PreparedWrite,
    ) -> Result<Outcome, Error> {
        match write {
            PreparedWrite::Report(report) => self.apply_report(index, report).await,
            PreparedWrite::Resource(change) => self.apply_resource(change).await,
            PreparedWrite::Event(change) => self.apply_event(change).await,
            PreparedWrite::Manifest(manifest) => Ok(self.defer_manifest(manifest)),
            PreparedWrite::Epoch(scope) => {
                let number = membership::next_epoch(self.transaction, scope).await?;
                Ok(Outcome::Epoch(number))
            }
            PreparedWrite::Collect(garbage, age) => self.collect_rows(garbage, *age).await,
            PreparedWrite::SweepManifests(sweep) => self.apply_sweep(sweep).await,
            PreparedWrite::Compact(plan) => self.compact(plan).await,
        }
    }

    async fn apply_report(&mut self, index: usize, report: &Report) -> Result<Outcome, Error> {
        let change = &report.change;
        let current = match self.prefetched.remove(&index) {
            Some(current) => current,
            None => self.load_current(change).await?,
        };
        let merge = order::merge(
            change.position,
            change.life(),
            change.continuity,
            current.own.as_ref().map(|own| own.head),
            current.namesake.as_ref().map(|other| other.position),
        );
        if merge == Merge::Superseded || self.is_fenced(change) {
            // A late report may still bring the end of an operation that no other report has.
            self.record_operations(change, &current);
            return Ok(Outcome::Superseded);
        }
        if let Some(own) = current
            .own
            .as_ref()
            .filter(|own| own.is_duplicate_of(change))
        {
            let id = own.id;
            self.record_operations(change, &current);
            return self.update_position(id, change.position).await;
        }
        let new_manifests = current.new_manifests(change);
        let account = &change.scope.account;
        let missing = self.missing_manifests(account, &new_manifests).await?;
        if !missing.is_empty() {
            return Ok(Outcome::Missing(missing));
        }
        self.record_operations(change, &current);
        let previous = current.own.as_ref().and_then(CurrentRow::live_traits);
        let previous_images = current.own.as_ref().map_or(0, |own| own.images);
        self.apply_merge(merge, report, current).await?;
        self.follow_application(merge, report, previous, previous_images)
            .await?;
        Ok(Outcome::Stored)
    }

    /// Moves a held state to its new position. It is the same state, so it gets no change number.
    async fn update_position(&mut self, id: i64, position: Position) -> Result<Outcome, Error> {
        query("UPDATE application SET epoch = $2, sequence = $3 WHERE id = $1")
            .bind(id)
            .bind(position.epoch.cast_signed())
            .bind(position.sequence.cast_signed())
            .execute(self.transaction)
            .await?;
        Ok(Outcome::Stored)
    }

    /// Records ended operations with the traits of the reported state or, for a deletion, of the last one.
    fn record_operations(&mut self, change: &Arc<Change>, current: &Current) {
        let reported = change.state.as_ref().map(|state| &state.summary.traits);
        let held = current.own.as_ref().map(|own| &own.last.traits);
        let traits = reported.or(held).cloned().unwrap_or_default();
        self.deployments.add(change, &traits);
    }

    async fn apply_merge(
        &mut self,
        merge: Merge,
        report: &Report,
        current: Current,
    ) -> Result<(), Error> {
        match merge {
            Merge::Superseded => Ok(()),
            Merge::Live { displaces } => self.store_live(displaces, report, current).await,
            Merge::Gone => {
                let change = &report.change;
                let evicted = CacheUpdate::Evict(change.scope.clone(), change.uid.clone());
                self.cache_updates.push(evicted);
                let number = self.next_change(&change.scope.account).await?;
                let version = change.position.resource_version;
                let position = match &current.own {
                    Some(own) => self.append_deletion(&own.last, version, number).await?,
                    None => self.no_history(),
                };
                let last = next_traits(None, current.own, number);
                let id = self
                    .upsert(report, None, last, Some(number), &position)
                    .await?;
                labels::delete(self.transaction, id).await
            }
            Merge::Buried => {
                let last = next_traits(None, current.own, 0);
                let position = self.no_history();
                let id = self.upsert(report, None, last, None, &position).await?;
                labels::delete(self.transaction, id).await
            }
        }
    }

    async fn store_live(
        &mut self,
        displaces: Displacement,
        report: &Report,
        current: Current,
    ) -> Result<(), Error> {
        let change = &report.change;
        let account = &change.scope.account;
        // First, because only one live row may have the name.
        if let (Displacement::Namesake, Some(other)) = (displaces, current.namesake) {
            let evicted = CacheUpdate::Evict(change.scope.clone(), other.uid.clone());
            self.cache_updates.push(evicted);
            self.displace(other, account).await?;
        }
        let inserted = CacheUpdate::Insert(change.clone(), report.packed.clone());
        self.cache_updates.push(inserted);
        let number = self.next_change(account).await?;
        let previous_labels = current.own.as_ref().and_then(CurrentRow::live_labels);
        let had_row = current.own.is_some();
        let new_labels = labels_of(change);
        let same_labels = previous_labels.is_some() && previous_labels == new_labels;
        let position = self
            .append_state(report, current.own.as_ref(), number)
            .await?;
        let own = current
            .own
            .as_ref()
            .filter(|_| displaces == Displacement::Nothing);
        let update = own.and_then(|own| StateUpdate::new(report, own, number, &position));
        if let Some(update) = update {
            self.defer_update(update);
            return Ok(());
        }
        let state = change.state.as_ref();
        let traits = next_traits(state, current.own, number);
        let id = self
            .upsert(report, state, traits, Some(number), &position)
            .await?;
        match new_labels {
            Some(labels) if !same_labels => self.replace_labels(change, had_row, id, &labels).await,
            _ => Ok(()),
        }
    }

    async fn replace_labels(
        &mut self,
        change: &Change,
        had_row: bool,
        id: i64,
        labels: &Labels,
    ) -> Result<(), Error> {
        if had_row {
            labels::delete(self.transaction, id).await?;
        }
        let key = Key {
            runtime_name: change.runtime_name.as_str().to_owned(),
            namespace: change.object.namespace.to_string(),
            name: change.object.name.to_string(),
            cluster: change.scope.cluster.to_string(),
            runtime: change.scope.runtime.as_str().to_owned(),
        };
        let owner = LabelOwner {
            id,
            account: change.scope.account.as_str(),
            key: &key,
        };
        labels::insert(self.transaction, &owner, labels).await
    }

    pub(super) async fn next_change(&mut self, account: &AccountId) -> Result<u64, Error> {
        let latest = match self.cache.latest.get(account) {
            Some(latest) => *latest,
            None => self.stored_latest(account).await?,
        };
        self.cache.latest.insert(account.clone(), latest + 1);
        self.changed.insert(account.clone(), latest + 1);
        Ok(latest + 1)
    }

    async fn stored_latest(&mut self, account: &AccountId) -> Result<u64, Error> {
        let row = query("SELECT latest_change FROM account WHERE account = $1")
            .bind(account.as_str())
            .fetch_optional(&mut *self.transaction)
            .await?;
        let stored: Option<i64> = row.map(|row| row.try_get(0)).transpose()?;
        Ok(stored.unwrap_or(0).cast_unsigned())
    }

    /// Writes the rows that all writes of the transaction have in common.
    pub(super) async fn flush(&mut self) -> Result<(), Error> {
        self.flush_manifests().await?;
        self.flush_state_updates().await?;
        self.flush_history().await?;
        self.deployments.flush(self.transaction, self.now).await?;
        self.save_latest_changes().await
    }

    async fn save_latest_changes(&mut self) -> Result<(), Error> {
        for (account, change) in &self.changed {
            query(
                "INSERT INTO account (account, latest_change) VALUES ($1, $2)
                 ON CONFLICT (account) DO UPDATE SET latest_change = excluded.latest_change",
            )
            .bind(account.as_str())
            .bind(change.cast_signed())
            .execute(self.transaction)
            .await?;
        }
        Ok(())
    }

    /// Turns the previous owner of a name into a tombstone. Its position stays, so that its own deletion may still arrive.
    async fn displace(&mut self, other: Namesake, account: &AccountId) -> Result<(), Error> {
        let number = self.next_change(account).await?;
        let version = other.position.resource_version;
        let position = self.append_deletion(&other.last, version, number).await?;
        query(
            "UPDATE application SET deleted = 1, change = $2, received_at = $3, basic = $4, detail = $4, manifests = $4,
                 canonical = NULL, story = NULL, images = 0
             WHERE id = $1",
        )
        .bind(other.id)
        .bind(number.cast_signed())
        .bind(position.at)
        .bind(NOTHING)
        .execute(self.transaction)
        .await?;
        image::delete_own(self.transaction, other.id).await?;
        labels::delete(self.transaction, other.id).await
    }

    /// Inserts or replaces a row: with the state, or as a tombstone without one. Returns the id of the row.
    async fn upsert(
        &mut self,
        report: &Report,
        state: Option<&State>,
        (traits, past): (ScopeTraits, Vec<FormerTraits>),
        number: Option<u64>,
        position: &HistoryPosition,
    ) -> Result<i64, Error> {
        let change = &report.change;
        let summary = state.map(|state| &state.summary);
        let upsert = query(
            "INSERT INTO application (account, runtime, cluster, uid, runtime_name, namespace, name,
                 resource_version, epoch, sequence, deleted, change, received_at,
                 project, labels, past, sync, health, root_digest, basic, detail, manifests, source,
                 canonical, story, patches, operation_ended, images, revised)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29)
             ON CONFLICT (account, runtime, cluster, uid) DO UPDATE SET
                 runtime_name = excluded.runtime_name, namespace = excluded.namespace, name = excluded.name,
                 resource_version = excluded.resource_version, epoch = excluded.epoch,
                 sequence = excluded.sequence, deleted = excluded.deleted, change = coalesce(excluded.change, application.change),
                 received_at = excluded.received_at, project = excluded.project, labels = excluded.labels,
                 past = excluded.past, sync = excluded.sync,
                 health = excluded.health, root_digest = excluded.root_digest, basic = excluded.basic,
                 detail = excluded.detail, manifests = excluded.manifests, source = excluded.source,
                 canonical = excluded.canonical, story = excluded.story, patches = excluded.patches,
                 operation_ended = excluded.operation_ended, images = excluded.images, revised = excluded.revised
             RETURNING id",
        );
        let row = upsert
            .bind(change.scope.account.as_str())
            .bind(change.scope.runtime.as_str())
            .bind(change.scope.cluster.as_str())
            .bind(change.uid.as_str())
            .bind(change.runtime_name.as_str())
            .bind(&*change.object.namespace)
            .bind(&*change.object.name)
            .bind(change.position.resource_version.cast_signed())
            .bind(change.position.epoch.cast_signed())
            .bind(change.position.sequence.cast_signed())
            .bind(i64::from(state.is_none()))
            .bind(number.map(u64::cast_signed))
            .bind(position.at)
            .bind(&*traits.project)
            .bind(to_json(&*traits.labels))
            .bind(to_json(&past))
            .bind(
                summary
                    .map_or(Sync::Unspecified, |summary| summary.sync)
                    .code(),
            )
            .bind(
                summary
                    .map_or(Health::Unspecified, |summary| summary.health)
                    .code(),
            )
            .bind(state.map_or(NOTHING, |state| &state.root_digest.as_bytes()[..]))
            .bind(state.map_or(NOTHING, |state| &state.basic[..]))
            .bind(state.map_or(NOTHING, |state| &state.detail[..]))
            .bind(
                state
                    .map(|state| concat_digests(&state.manifests))
                    .unwrap_or_default(),
            )
            .bind(
                summary
                    .map_or(Source::Unspecified, |summary| summary.source)
                    .code(),
            )
            .bind(state.map(|_| &report.packed[..]))
            .bind(position.history)
            .bind(i64::try_from(position.patches).unwrap_or(i64::MAX))
            .bind(state.map_or(0, |state| state.progress.operation.ended_at))
            .bind(state.map_or(0, |_| report.images))
            .bind(position.revised)
            .fetch_one(&mut *self.transaction)
            .await?;
        row.try_get(0)
    }
}

fn labels_of(change: &Change) -> Option<Labels> {
    let state = change.state.as_ref();
    state.map(|state| state.summary.traits.labels.clone())
}

pub(super) fn concat_digests(digests: &[Digest]) -> Vec<u8> {
    digests
        .iter()
        .flat_map(|digest| *digest.as_bytes())
        .collect()
}
