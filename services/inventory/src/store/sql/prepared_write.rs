//! Converts and compresses a write when it is queued, so that the writer task only runs SQL.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use causeway_database::Database;

use super::{
    gc::GcQuery,
    history::compaction::CompactionPlan,
    image,
    manifests::{ManifestSweep, NewManifest, ReferenceCache},
};
use crate::{
    application::{Change, HeldState, Scope},
    digest::Digest,
    event::Event,
    patch,
    resource::Resource,
    store::{Garbage, StoreError, Write},
};

/// Contents up to this size are compressed on the caller's thread.
const COMPRESS_INLINE: usize = 16 << 10;

/// Queued write, ready for its transaction.
#[derive(Debug)]
pub(super) enum PreparedWrite {
    Report(Report),
    Resource(Arc<Change<Resource>>),
    Event(Arc<Change<Event>>),
    Manifest(NewManifest),
    Epoch(Scope),
    Collect(&'static GcQuery, Duration),
    SweepManifests(ManifestSweep),
    Compact(CompactionPlan),
}

/// Report of an application.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) change: Arc<Change>,
    /// Compressed state as its reporter encoded it; empty for a deletion.
    pub(super) packed: Bytes,
    pub(super) patch: Option<Patch>,
    /// Hash of the images; 0 if there are none.
    pub(super) images: i64,
}

/// Delta of a state against a base state.
#[derive(Debug)]
pub(super) struct Patch {
    /// Digest of the base.
    pub(super) base: Digest,
    pub(super) content: Bytes,
}

impl PreparedWrite {
    pub(super) async fn new(
        write: Write,
        database: &Database,
        references: &ReferenceCache,
    ) -> Result<Self, StoreError> {
        Ok(match write {
            Write::Report(change, base) => Self::Report(Report::new(change, base).await?),
            Write::Resource(change) => Self::Resource(change),
            Write::Event(change) => Self::Event(change),
            Write::Manifest((account, runtime), digest, content) => {
                let large = content.len() > COMPRESS_INLINE;
                Self::Manifest(NewManifest {
                    packed: run_blocking_if(large, move || compress(&content)).await?,
                    account,
                    runtime,
                    digest,
                })
            }
            Write::Epoch(scope) => Self::Epoch(scope),
            Write::Collect(Garbage::Applications, age) => {
                Self::Collect(&GcQuery::APPLICATIONS, age)
            }
            Write::Collect(Garbage::Resources, age) => Self::Collect(&GcQuery::RESOURCES, age),
            Write::Collect(Garbage::Events, age) => Self::Collect(&GcQuery::EVENTS, age),
            Write::Collect(Garbage::Deployments, age) => Self::Collect(&GcQuery::DEPLOYMENTS, age),
            // The next two scan many rows, which must not happen inside a write transaction.
            Write::Collect(Garbage::UnreferencedManifests(after), _) => Self::SweepManifests(
                ManifestSweep::find_unreferenced(database, references, after).await?,
            ),
            Write::Collect(Garbage::UnusedManifests, age) => {
                Self::SweepManifests(ManifestSweep::find_unused(database, references, age).await?)
            }
            Write::Compact(rules, after) => {
                Self::Compact(CompactionPlan::new(database, None, rules, after).await?)
            }
            Write::CompactRuntime(owner, rules, after) => {
                Self::Compact(CompactionPlan::new(database, Some(&owner), rules, after).await?)
            }
        })
    }

    /// Report scope, if the write belongs to a stream.
    pub(super) fn scope(&self) -> Option<&Arc<Scope>> {
        match self {
            Self::Report(report) => Some(&report.change.scope),
            Self::Resource(change) => Some(&change.scope),
            Self::Event(change) => Some(&change.scope),
            Self::Manifest(_)
            | Self::Epoch(_)
            | Self::Collect(..)
            | Self::SweepManifests(_)
            | Self::Compact(_) => None,
        }
    }

    /// Background maintenance is committed on its own, so that its failure does not abort reports.
    pub(super) fn is_maintenance(&self) -> bool {
        match self {
            Self::Collect(..) | Self::SweepManifests(_) | Self::Compact(_) => true,
            Self::Report(_)
            | Self::Resource(_)
            | Self::Event(_)
            | Self::Manifest(_)
            | Self::Epoch(_) => false,
        }
    }
}

impl Report {
    async fn new(change: Arc<Change>, base: Option<HeldState>) -> Result<Self, StoreError> {
        let Some(state) = &change.state else {
            return Ok(Self {
                change,
                packed: Bytes::new(),
                patch: None,
                images: 0,
            });
        };
        let images = image::images_hash(&change, state);
        let (state, received) = (state.canonical.clone(), state.patch.clone());
        // A patch that came over the wire is stored as it is: computing another one would cost as much as all the rest.
        let has_patch = received.as_ref().is_some_and(|patch| patch.base.is_some());
        let base = base.filter(|_| !has_patch);
        let bytes = state.len() + base.as_ref().map_or(0, |base| base.canonical.len());
        let encode = move || {
            let computed = base.map(|base| Patch {
                content: patch::encode(&base.canonical, &state).into(),
                base: base.root_digest,
            });
            match received.map(|patch| (patch.base, patch.content)) {
                Some((Some(base), content)) => (compress(&state), Some(Patch { base, content })),
                // A delta without a base is the compressed state itself.
                Some((None, content)) => (content, computed),
                None => (compress(&state), computed),
            }
        };
        let (packed, patch) = run_blocking_if(bytes > COMPRESS_INLINE, encode).await?;
        Ok(Self {
            change,
            packed,
            patch,
            images,
        })
    }
}

fn compress(content: &[u8]) -> Bytes {
    patch::encode(b"", content).into()
}

/// Runs long work on the blocking pool, and short work at once.
async fn run_blocking_if<T: Send + 'static>(
    long: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StoreError> {
    if !long {
        return Ok(work());
    }
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| StoreError::Failed(error.into()))
}
