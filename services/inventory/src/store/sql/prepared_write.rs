//! A write with all that can be done for it before its turn comes, so that the one that writes has little to do.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use causeway_database::Database;

use super::{
    StoreError, Write,
    gc::Rows,
    history::compaction::Plan,
    image::stamp,
    manifests::{Found, NewManifest, Round},
};
use crate::{
    application::{Change, HeldState, Scope},
    digest::Digest,
    event::Event,
    patch,
    resource::Resource,
    store::Old,
};

const COMPRESS_INLINE: usize = 16 << 10;

/// What is to be written.
#[derive(Debug)]
pub(super) enum Task {
    Report(Report),
    Resource(Arc<Change<Resource>>),
    Event(Arc<Change<Event>>),
    Manifest(NewManifest),
    Epoch(Scope),
    Forget(&'static Rows, Duration),
    SortOut(Found),
    Thin(Plan),
}

/// A report of an application.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) change: Arc<Change>,
    /// The state as its reporter encoded it, compressed; empty where there is none.
    pub(super) packed: Bytes,
    /// What it has that a state before it had not.
    pub(super) patch: Option<Patch>,
    /// The stamp of the images that it uses; 0 where there are none.
    pub(super) images: i64,
}

/// What makes a state of another one.
#[derive(Debug)]
pub(super) struct Patch {
    /// The digest of the other one.
    pub(super) base: Digest,
    pub(super) content: Bytes,
}

impl Task {
    pub(super) async fn prepare(
        write: Write,
        database: &Database,
        round: &Round,
    ) -> Result<Self, StoreError> {
        Ok(match write {
            Write::Report(change) => Self::Report(Report::prepare(change, None).await?),
            Write::Following(change, base) => {
                Self::Report(Report::prepare(change, Some(base)).await?)
            }
            Write::Resource(change) => Self::Resource(change),
            Write::Event(change) => Self::Event(change),
            Write::Manifest(account, digest, content) => {
                let large = content.len() > COMPRESS_INLINE;
                Self::Manifest(NewManifest {
                    packed: apart(large, move || packed(&content)).await?,
                    account,
                    digest,
                })
            }
            Write::Epoch(scope) => Self::Epoch(scope),
            Write::Forget(Old::Applications, age) => Self::Forget(&Rows::APPLICATIONS, age),
            Write::Forget(Old::Resources, age) => Self::Forget(&Rows::RESOURCES, age),
            Write::Forget(Old::Events, age) => Self::Forget(&Rows::EVENTS, age),
            Write::Forget(Old::Deployments, age) => Self::Forget(&Rows::DEPLOYMENTS, age),
            Write::Forget(Old::Unnamed(after), _) => {
                Self::SortOut(Found::unnamed(database, round, after).await?)
            }
            Write::Forget(Old::Manifests, age) => {
                Self::SortOut(Found::unused(database, round, age).await?)
            }
            Write::Thin(rules, after) => Self::Thin(Plan::make(database, rules, after).await?),
        })
    }

    /// Of whose objects it tells.
    pub(super) fn scope(&self) -> Option<&Arc<Scope>> {
        match self {
            Self::Report(report) => Some(&report.change.scope),
            Self::Resource(change) => Some(&change.scope),
            Self::Event(change) => Some(&change.scope),
            Self::Manifest(_)
            | Self::Epoch(_)
            | Self::Forget(..)
            | Self::SortOut(_)
            | Self::Thin(_) => None,
        }
    }

    /// Whether nobody waits for it: where it fails it is not to take reports with it.
    pub(super) fn is_upkeep(&self) -> bool {
        match self {
            Self::Forget(..) | Self::SortOut(_) | Self::Thin(_) => true,
            Self::Report(_)
            | Self::Resource(_)
            | Self::Event(_)
            | Self::Manifest(_)
            | Self::Epoch(_) => false,
        }
    }
}

impl Report {
    async fn prepare(change: Arc<Change>, base: Option<HeldState>) -> Result<Self, StoreError> {
        let Some(state) = &change.state else {
            return Ok(Self {
                change,
                packed: Bytes::new(),
                patch: None,
                images: 0,
            });
        };
        let images = stamp(&change, state);
        let (state, told) = (state.canonical.clone(), state.patch.clone());
        let is_told = told.as_ref().is_some_and(|told| told.base.is_some());
        let base = base.filter(|_| !is_told);
        let together = state.len() + base.as_ref().map_or(0, |base| base.canonical.len());
        let pack = move || {
            let made = base.map(|base| Patch {
                content: patch::encode(&base.canonical, &state).into(),
                base: base.root_digest,
            });
            match told.map(|told| (told.base, told.content)) {
                Some((Some(base), content)) => (packed(&state), Some(Patch { base, content })),
                Some((None, content)) => (content, made),
                None => (packed(&state), made),
            }
        };
        let (packed, patch) = apart(together > COMPRESS_INLINE, pack).await?;
        Ok(Self {
            change,
            packed,
            patch,
            images,
        })
    }
}

/// What makes it of nothing.
fn packed(content: &[u8]) -> Bytes {
    patch::encode(b"", content).into()
}

/// Does what takes long where nobody waits for it.
async fn apart<T: Send + 'static>(
    long: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StoreError> {
    if !long {
        return Ok(work());
    }
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| StoreError::Failed(error.into()))
}
