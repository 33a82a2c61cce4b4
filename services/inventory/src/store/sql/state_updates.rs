//! Fast path for reports that change only an application's state, not its identity, labels or name. Most reports do, so they are
//! written in multi-row updates that touch no unchanged index.

use std::{
    hash::{DefaultHasher, Hash, Hasher as _},
    sync::Arc,
};

use bytes::Bytes;
use causeway_database::{Error, Query, query};

use super::{
    batch::{Batch, concat_digests},
    chunks::chunks,
    current::CurrentRow,
    history::insert::HistoryPosition,
    prepared_write::Report,
};
use crate::application::{Change, State};

/// Pending update of an application row.
pub(super) struct StateUpdate {
    id: i64,
    change: Arc<Change>,
    number: u64,
    at: i64,
    patches: usize,
    revised: i64,
    images: i64,
    packed: Bytes,
    /// True if an indexed column changes: sync, health or source.
    moves_in_index: bool,
}

impl StateUpdate {
    /// None if the report changes more than the state.
    pub(super) fn new(
        report: &Report,
        own: &CurrentRow,
        number: u64,
        position: &HistoryPosition,
    ) -> Option<Self> {
        let change = &report.change;
        let summary = &change.state.as_ref()?.summary;
        let same_row = own.is_live_under_name() && own.last.traits == summary.traits;
        if !same_row || position.history != own.last.history {
            return None;
        }
        let (sync, health, source) = (summary.sync, summary.health, summary.source);
        let status = own.status;
        Some(Self {
            id: own.id,
            change: change.clone(),
            number,
            at: position.at,
            patches: position.patches,
            revised: position.revised,
            images: report.images,
            packed: report.packed.clone(),
            moves_in_index: (status.sync, status.health, own.source) != (sync, health, source),
        })
    }

    fn push_values(&self, state: &State, query: &mut Query) {
        let position = self.change.position;
        query.push_bind(self.id);
        for number in [
            position.resource_version.cast_signed(),
            position.epoch.cast_signed(),
            position.sequence.cast_signed(),
            self.number.cast_signed(),
            self.at,
            i64::try_from(self.patches).unwrap_or(i64::MAX),
            state.progress.operation.ended_at,
            self.images,
            self.revised,
        ] {
            query.push(", ").push_bind(number);
        }
        let manifests = concat_digests(&state.manifests);
        for content in [
            &state.root_digest.as_bytes()[..],
            &state.basic,
            &state.detail,
            &manifests,
            &self.packed,
        ] {
            query.push(", ").push_bind(content);
        }
        if self.moves_in_index {
            let summary = &state.summary;
            query.push(", ").push_bind(summary.sync.code());
            query.push(", ").push_bind(summary.health.code());
            query.push(", ").push_bind(summary.source.code());
        }
    }
}

impl Batch<'_> {
    /// Queues an update for the end of the batch.
    pub(super) fn defer_update(&mut self, update: StateUpdate) {
        self.pending_hashes.extend(object_hashes(&update.change));
        self.state_updates.push(update);
    }

    /// Writes the pending updates, if any is of one of these objects or names: their rows are about to be read.
    pub(super) async fn flush_state_updates_of(
        &mut self,
        changes: &[&Change],
    ) -> Result<(), Error> {
        let mut hashes = changes.iter().flat_map(|change| object_hashes(change));
        if hashes.any(|hash| self.pending_hashes.contains(&hash)) {
            self.flush_state_updates().await?;
        }
        Ok(())
    }

    /// Writes the pending updates.
    pub(super) async fn flush_state_updates(&mut self) -> Result<(), Error> {
        let updates = std::mem::take(&mut self.state_updates);
        self.pending_hashes.clear();
        let (moved, in_place): (Vec<_>, Vec<_>) =
            updates.into_iter().partition(|it| it.moves_in_index);
        for chunk in chunks(&in_place) {
            self.update(chunk, query(IN_PLACE), IN_PLACE_END).await?;
        }
        for chunk in chunks(&moved) {
            self.update(chunk, query(MOVED), MOVED_END).await?;
        }
        Ok(())
    }

    async fn update(
        &mut self,
        chunk: &[StateUpdate],
        mut query: Query,
        end: &'static str,
    ) -> Result<(), Error> {
        let mut separator = "(";
        for update in chunk {
            let Some(state) = &update.change.state else {
                continue;
            };
            query.push(separator);
            update.push_values(state, &mut query);
            query.push(")");
            separator = ", (";
        }
        query.push(end);
        query.execute(self.transaction).await?;
        Ok(())
    }
}

/// Hashes of an object's uid and name. A collision only flushes earlier than necessary.
fn object_hashes(change: &Change) -> [u64; 2] {
    let scope = &*change.scope;
    [
        hash_of((scope, &change.uid)),
        hash_of((scope, &change.object)),
    ]
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

const IN_PLACE: &str = "WITH kept (of_id, version, epoch_of, sequence_of, number, told_at, patches_of, ended, stamp, revised_of, digest, short, rest, named, packed) AS (VALUES ";
const IN_PLACE_END: &str = ") UPDATE application SET resource_version = version, epoch = epoch_of, sequence = sequence_of,
         change = number, received_at = told_at, patches = patches_of, operation_ended = ended, images = stamp, revised = revised_of,
         root_digest = digest, basic = short, detail = rest, manifests = named, canonical = packed
     FROM kept WHERE application.id = of_id";
const MOVED: &str = "WITH kept (of_id, version, epoch_of, sequence_of, number, told_at, patches_of, ended, stamp, revised_of, digest, short, rest, named, packed,
         sync_now, health_now, source_now) AS (VALUES ";
const MOVED_END: &str = ") UPDATE application SET resource_version = version, epoch = epoch_of, sequence = sequence_of,
         change = number, received_at = told_at, patches = patches_of, operation_ended = ended, images = stamp, revised = revised_of,
         root_digest = digest, basic = short, detail = rest, manifests = named, canonical = packed,
         sync = sync_now, health = health_now, source = source_now
     FROM kept WHERE application.id = of_id";
