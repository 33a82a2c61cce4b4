//! The writes of one transaction, by the rules of `order.rs`.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use bytes::Bytes;
use causeway_database::{Error, Transaction, query};
use causeway_proto::ids::AccountId;

use super::{
    current::{Heads, Namesake, Own, encoded, told},
    deployments::Records,
    history::insert::{Line, Told},
    image,
    labels::{self, Labelled},
    manifests::{KnownManifests, NewManifest},
    membership,
    prepared_write::{Patch, Report, Task},
    state_cache::Learnt,
    state_updates::Still,
};
use crate::{
    application::{Change, Health, Key, Labels, Past, Scope, Source, State, Sync, Traits},
    digest::Digest,
    order::{self, Displaces, Merge, Position},
    store::Outcome,
};

pub(super) const NOTHING: &[u8] = &[];

/// What the database is known to hold: of a file since nobody else writes it, of a server within one transaction.
#[derive(Default)]
pub(super) struct Recall {
    latest: HashMap<AccountId, u64>,
    pub(super) manifests: KnownManifests,
}

/// A transaction under way.
pub(super) struct Batch<'a> {
    pub(super) transaction: &'a mut Transaction,
    pub(super) memory: &'a mut Recall,
    pub(super) changed: HashMap<AccountId, u64>,
    /// What some of the reports meet, by their places: it was asked for once.
    pub(super) ahead: HashMap<usize, Heads>,
    /// From which epoch on reports of a scope count.
    pub(super) fences: HashMap<Arc<Scope>, u64>,
    /// Rows that are written later, many at once.
    pub(super) still: Vec<Still>,
    /// Which ones: numbers that stand for their objects and their names.
    pub(super) still_of: HashSet<u64>,
    pub(super) manifests: Vec<NewManifest>,
    /// Whether there may be resources that are told later of what has become of their applications.
    pub(super) untold: bool,
    /// Entries of histories that are put in at the end.
    pub(super) told: Vec<Told>,
    /// What has become of applications.
    pub(super) learnt: Vec<Learnt>,
    /// Operations that are put in at the end.
    records: Records,
    pub(super) now: i64,
}

/// What is kept of an object: the state of a change or, where that does not stand, none.
#[derive(Clone, Copy)]
pub(super) struct Reported<'a> {
    pub(super) change: &'a Arc<Change>,
    pub(super) state: Option<&'a State>,
    /// The state as its reporter encoded it, compressed.
    pub(super) packed: &'a Bytes,
    pub(super) patch: Option<&'a Patch>,
    /// The stamp of its images.
    pub(super) images: i64,
}

impl Reported<'_> {
    fn gone(self) -> Self {
        Self {
            state: None,
            ..self
        }
    }
}

impl<'a> Batch<'a> {
    pub(super) fn new(transaction: &'a mut Transaction, memory: &'a mut Recall, now: i64) -> Self {
        Self {
            transaction,
            memory,
            changed: HashMap::new(),
            ahead: HashMap::new(),
            fences: HashMap::new(),
            still: Vec::new(),
            still_of: HashSet::new(),
            manifests: Vec::new(),
            untold: false,
            told: Vec::new(),
            learnt: Vec::new(),
            records: Records::default(),
            now,
        }
    }
}

impl Batch<'_> {
    pub(super) async fn apply(&mut self, place: usize, task: &Task) -> Result<Outcome, Error> {
        match task {
            Task::Report(report) => self.report(place, report).await,
            Task::Resource(change) => self.resource(change).await,
            Task::Event(change) => self.event(change).await,
            Task::Manifest(manifest) => Ok(self.keep_manifest(manifest)),
            Task::Epoch(scope) => {
                let number = membership::next_epoch(self.transaction, scope).await?;
                Ok(Outcome::Epoch(number))
            }
            Task::Forget(rows, age) => self.forget(rows, *age).await,
            Task::SortOut(found) => self.sort_out(found).await,
            Task::Thin(plan) => self.thin(plan).await,
        }
    }

    async fn report(&mut self, place: usize, report: &Report) -> Result<Outcome, Error> {
        let change = &report.change;
        let heads = match self.ahead.remove(&place) {
            Some(heads) => heads,
            None => self.heads(change).await?,
        };
        let merge = order::merge(
            change.position,
            change.life(),
            change.continuity,
            heads.own.as_ref().map(|own| own.head),
            heads.namesake.as_ref().map(|other| other.position),
        );
        if merge == Merge::Superseded || self.is_fenced(change) {
            self.record(change, &heads);
            return Ok(Outcome::Superseded);
        }
        if let Some(own) = heads.own.as_ref().filter(|own| own.is_told_again(change)) {
            let id = own.id;
            self.record(change, &heads);
            return self.stand_at(id, change.position).await;
        }
        let fresh = heads.fresh(change);
        let missing = self.missing(&change.scope.account, &fresh).await?;
        if !missing.is_empty() {
            return Ok(Outcome::Missing(missing));
        }
        self.record(change, &heads);
        let reported = Reported {
            change,
            state: change.state.as_ref(),
            packed: &report.packed,
            patch: report.patch.as_ref(),
            images: report.images,
        };
        let before = heads.own.as_ref().and_then(Own::shown);
        let images = heads.own.as_ref().map_or(0, |own| own.images);
        self.merge(merge, reported, heads).await?;
        let said = (&**change, report.images);
        self.follow(merge, said, before, images).await?;
        Ok(Outcome::Kept)
    }

    /// What is held stands at another place of the order, and is no news.
    async fn stand_at(&mut self, id: i64, position: Position) -> Result<Outcome, Error> {
        query("UPDATE application SET epoch = $2, sequence = $3 WHERE id = $1")
            .bind(id)
            .bind(position.epoch.cast_signed())
            .bind(position.sequence.cast_signed())
            .execute(self.transaction)
            .await?;
        Ok(Outcome::Kept)
    }

    /// Ended operations are recorded as of what their object is now, or was last.
    fn record(&mut self, change: &Arc<Change>, heads: &Heads) {
        let told = change.state.as_ref().map(|state| &state.summary.traits);
        let held = heads.own.as_ref().map(|own| &own.last.traits);
        let traits = told.or(held).cloned().unwrap_or_default();
        self.records.add(change, &traits);
    }

    async fn merge(
        &mut self,
        merge: Merge,
        reported: Reported<'_>,
        heads: Heads,
    ) -> Result<(), Error> {
        let change = reported.change;
        match merge {
            Merge::Superseded => Ok(()),
            Merge::Live { displaces } => {
                if let (Displaces::Namesake, Some(other)) = (displaces, heads.namesake) {
                    let end = Learnt::End(change.scope.clone(), other.uid.clone());
                    self.learnt.push(end);
                    self.displace(other, &change.scope.account).await?;
                }
                let packed = reported.packed.clone();
                self.learnt.push(Learnt::State(change.clone(), packed));
                let number = self.next_change(&change.scope.account).await?;
                let listed = heads.own.as_ref().and_then(Own::listed);
                let (had, labels) = (heads.own.as_ref().map(|own| own.id), labels(change));
                let same = listed.is_some() && listed == labels;
                let line = self.tell(reported, heads.own.as_ref(), number).await?;
                let own = heads
                    .own
                    .as_ref()
                    .filter(|_| displaces == Displaces::Nothing);
                let still = own.and_then(|own| Still::of(reported, own, number, &line));
                if let Some(still) = still {
                    self.put_off(still);
                    return Ok(());
                }
                let now = told(change.state.as_ref(), heads.own, number);
                let id = self.keep(reported, now, Some(number), &line).await?;
                match labels {
                    Some(labels) if !same => self.relabel(change, had, id, &labels).await,
                    _ => Ok(()),
                }
            }
            Merge::Gone => {
                let end = Learnt::End(change.scope.clone(), change.uid.clone());
                self.learnt.push(end);
                let number = self.next_change(&change.scope.account).await?;
                let version = change.position.resource_version;
                let line = match &heads.own {
                    Some(own) => self.tell_end(&own.last, version, number).await?,
                    None => self.untold(),
                };
                let last = told(None, heads.own, number);
                let gone = reported.gone();
                let id = self.keep(gone, last, Some(number), &line).await?;
                labels::forget(self.transaction, id).await
            }
            Merge::Buried => {
                let last = told(None, heads.own, 0);
                let line = self.untold();
                let id = self.keep(reported.gone(), last, None, &line).await?;
                labels::forget(self.transaction, id).await
            }
        }
    }

    async fn relabel(
        &mut self,
        change: &Change,
        had: Option<i64>,
        id: i64,
        labels: &Labels,
    ) -> Result<(), Error> {
        if had.is_some() {
            labels::forget(self.transaction, id).await?;
        }
        let key = Key {
            runtime_name: change.runtime_name.as_str().to_owned(),
            namespace: change.object.namespace.to_string(),
            name: change.object.name.to_string(),
            cluster: change.scope.cluster.to_string(),
            runtime: change.scope.runtime.as_str().to_owned(),
        };
        let of = Labelled {
            id,
            account: change.scope.account.as_str(),
            key: &key,
        };
        labels::insert(self.transaction, &of, labels).await
    }

    pub(super) async fn next_change(&mut self, account: &AccountId) -> Result<u64, Error> {
        let latest = match self.memory.latest.get(account) {
            Some(latest) => *latest,
            None => self.stored_latest(account).await?,
        };
        self.memory.latest.insert(account.clone(), latest + 1);
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

    /// What is written once for all writes of the transaction.
    pub(super) async fn finish(&mut self) -> Result<(), Error> {
        self.keep_manifests().await?;
        self.keep_still().await?;
        self.keep_told().await?;
        self.records.keep(self.transaction, self.now).await?;
        self.keep_latest().await
    }

    async fn keep_latest(&mut self) -> Result<(), Error> {
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

    /// Marks the object gone that had the name before; its own position stays, so that its own deletion may still come.
    async fn displace(&mut self, other: Namesake, account: &AccountId) -> Result<(), Error> {
        let number = self.next_change(account).await?;
        let version = other.position.resource_version;
        let line = self.tell_end(&other.last, version, number).await?;
        query(
            "UPDATE application SET deleted = 1, change = $2, received_at = $3, basic = $4, detail = $4, manifests = $4,
                 canonical = NULL, story = NULL, images = 0
             WHERE id = $1",
        )
        .bind(other.id)
        .bind(number.cast_signed())
        .bind(line.at)
        .bind(NOTHING)
        .execute(self.transaction)
        .await?;
        image::forget(self.transaction, other.id).await?;
        labels::forget(self.transaction, other.id).await
    }

    /// The id of its row.
    async fn keep(
        &mut self,
        reported: Reported<'_>,
        (traits, past): (Traits, Vec<Past>),
        number: Option<u64>,
        line: &Line,
    ) -> Result<i64, Error> {
        let Reported {
            change,
            state,
            packed,
            patch: _,
            images,
        } = reported;
        let summary = state.map(|state| &state.summary);
        let kept = query(
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
        let row = kept
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
            .bind(line.at)
            .bind(&*traits.project)
            .bind(encoded(&*traits.labels))
            .bind(encoded(&past))
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
                    .map(|state| joined(&state.manifests))
                    .unwrap_or_default(),
            )
            .bind(
                summary
                    .map_or(Source::Unspecified, |summary| summary.source)
                    .code(),
            )
            .bind(state.map(|_| &packed[..]))
            .bind(line.story)
            .bind(i64::try_from(line.patches).unwrap_or(i64::MAX))
            .bind(state.map_or(0, |state| state.progress.operation.ended_at))
            .bind(state.map_or(0, |_| images))
            .bind(line.revised)
            .fetch_one(&mut *self.transaction)
            .await?;
        row.try_get(0)
    }
}

fn labels(change: &Change) -> Option<Labels> {
    let state = change.state.as_ref();
    state.map(|state| state.summary.traits.labels.clone())
}

pub(super) fn joined(digests: &[Digest]) -> Vec<u8> {
    digests
        .iter()
        .flat_map(|digest| *digest.as_bytes())
        .collect()
}
