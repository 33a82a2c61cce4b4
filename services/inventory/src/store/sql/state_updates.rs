//! Changes of applications that stay what and where they are, but for their state. Most are such, so they are written many at once,
//! and touch no index that does not change.

use std::{
    hash::{DefaultHasher, Hash, Hasher as _},
    sync::Arc,
};

use bytes::Bytes;
use causeway_database::{Error, Query, query};

use super::{
    batch::{Batch, Reported, joined},
    chunks::chunks,
    current::Own,
    history::insert::Line,
};
use crate::application::{Change, State};

/// A row as it becomes.
pub(super) struct Still {
    id: i64,
    change: Arc<Change>,
    number: u64,
    at: i64,
    patches: usize,
    revised: i64,
    images: i64,
    packed: Bytes,
    /// Whether sync, health or source, by which it is listed, are others.
    moves: bool,
}

impl Still {
    /// Nothing of one that is more than another state of what was there.
    pub(super) fn of(reported: Reported<'_>, own: &Own, number: u64, line: &Line) -> Option<Self> {
        let change = reported.change;
        let summary = &reported.state?.summary;
        let stays = own.is_there() && own.last.traits == summary.traits;
        if !stays || line.story != own.last.story {
            return None;
        }
        let (sync, health, source) = (summary.sync, summary.health, summary.source);
        let bearing = own.bearing;
        Some(Self {
            id: own.id,
            change: change.clone(),
            number,
            at: line.at,
            patches: line.patches,
            revised: line.revised,
            images: reported.images,
            packed: reported.packed.clone(),
            moves: (bearing.sync, bearing.health, own.source) != (sync, health, source),
        })
    }

    fn push(&self, state: &State, query: &mut Query) {
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
        let manifests = joined(&state.manifests);
        for content in [
            &state.root_digest.as_bytes()[..],
            &state.basic,
            &state.detail,
            &manifests,
            &self.packed,
        ] {
            query.push(", ").push_bind(content);
        }
        if self.moves {
            let summary = &state.summary;
            query.push(", ").push_bind(summary.sync.code());
            query.push(", ").push_bind(summary.health.code());
            query.push(", ").push_bind(summary.source.code());
        }
    }
}

impl Batch<'_> {
    /// Writes one later.
    pub(super) fn put_off(&mut self, still: Still) {
        self.still_of.extend(numbers_of(&still.change));
        self.still.push(still);
    }

    /// Writes what was put off, if it is about one of these objects or names.
    pub(super) async fn keep_still_of(&mut self, changes: &[&Change]) -> Result<(), Error> {
        let mut numbers = changes.iter().flat_map(|change| numbers_of(change));
        if numbers.any(|number| self.still_of.contains(&number)) {
            self.keep_still().await?;
        }
        Ok(())
    }

    /// Writes what was put off.
    pub(super) async fn keep_still(&mut self) -> Result<(), Error> {
        let still = std::mem::take(&mut self.still);
        self.still_of.clear();
        let (moved, unmoved): (Vec<_>, Vec<_>) = still.into_iter().partition(|it| it.moves);
        for some in chunks(&unmoved) {
            self.update(some, query(UNMOVED), UNMOVED_END).await?;
        }
        for some in chunks(&moved) {
            self.update(some, query(MOVED), MOVED_END).await?;
        }
        Ok(())
    }

    async fn update(
        &mut self,
        some: &[Still],
        mut query: Query,
        end: &'static str,
    ) -> Result<(), Error> {
        let mut separator = "(";
        for still in some {
            let Some(state) = &still.change.state else {
                continue;
            };
            query.push(separator);
            still.push(state, &mut query);
            query.push(")");
            separator = ", (";
        }
        query.push(end);
        query.execute(self.transaction).await?;
        Ok(())
    }
}

/// Two of one number are both taken for one.
fn numbers_of(change: &Change) -> [u64; 2] {
    let scope = &*change.scope;
    [
        number((scope, &change.uid)),
        number((scope, &change.object)),
    ]
}

fn number(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

const UNMOVED: &str = "WITH kept (of_id, version, epoch_of, sequence_of, number, told_at, patches_of, ended, stamp, revised_of, digest, short, rest, named, packed) AS (VALUES ";
const UNMOVED_END: &str = ") UPDATE application SET resource_version = version, epoch = epoch_of, sequence = sequence_of,
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
