//! Where states are kept. Owns the promise that a write which was answered survives a crash, and that every account's changes
//! are numbered without a gap that fills later. Rows in SQLite, rows in
//! PostgreSQL and memory pass one suite; the rules are in `order.rs`.

mod membership;
pub mod memory;
mod resource;
pub mod sql;
mod visible;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use causeway_database::Listener;
use causeway_proto::ids::AccountId;
use futures::future::BoxFuture;
use tokio::sync::watch;

use crate::{
    application::{
        Change, Facets, Field, Filter, HeldObject, HeldState, Key, Page, Place, Record, Scope,
        Sort, Uid, View, Visible,
    },
    deployment::{Deployments, Sought},
    digest::Digest,
    event::Event,
    history::{Entry, Moment, Story, retention::Rules},
    inventory::Wanted,
    page_key::PageKey,
    resource::Resource,
};
pub use membership::{Beaten, Rosters};
pub use resource::ResourceReads;

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It does not answer, and may do so later.
    #[error("the database does not answer: try again")]
    Unavailable,
    /// It no longer takes writes.
    #[error("the store has stopped")]
    Stopped,
    /// The disk or the database refused.
    #[error("the store does not work")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// What was read is not what was once written.
    #[error("the store holds a {0} that cannot be read")]
    Corrupt(&'static str),
}

/// Something to be made durable.
#[derive(Debug, Clone)]
pub enum Write {
    /// A report. It is taken whole or not at all.
    Report(Arc<Change>),
    /// The same, and a state that the object had before it: where that is the one which is held, what is told of the report may be
    /// what it has that the one before has not.
    Following(Arc<Change>, HeldState),
    /// The same of an object that is no Application.
    Resource(Arc<Change<Resource>>),
    /// The same of an event.
    Event(Arc<Change<Event>>),
    /// A manifest whose digest has been verified.
    Manifest(AccountId, Digest, Bytes),
    /// A new stream, or one that takes over from another.
    Epoch(Scope),
    /// Some of what nobody has needed for so long is forgotten.
    Forget(Old, Duration),
    /// Some of the histories after the one with this number become thin.
    Thin(Rules, i64),
}

/// What nobody needs any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Old {
    /// Applications that are gone: cursors from before them end when they are forgotten.
    Applications,
    /// The same of other objects.
    Resources,
    /// Events since they were last told of.
    Events,
    /// Operations that have ended.
    Deployments,
    /// Nothing is forgotten yet: manifests after the one with this number that no live object names are unused from now on, whatever
    /// the age, and others that are named again are not.
    Unnamed(i64),
    /// Manifests that have been unused, since what was may name them; they are wanted again where a report names them later.
    Manifests,
}

/// What became of a write; durable when it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The report or manifest is kept.
    Kept,
    /// Something newer is held.
    Superseded,
    /// Nothing was written: these manifests are not there.
    Missing(Vec<Digest>),
    /// The stream's number.
    Epoch(u64),
    /// So much was forgotten.
    Forgotten {
        /// How many.
        count: u64,
        /// With what to go on; there is no more where there is none.
        next: Option<Old>,
    },
    /// Histories are thin, up to the one with this number; there are no more where there is none.
    Thinned {
        /// After which one to go on.
        next: Option<i64>,
    },
}

/// The answer to a write that was taken in.
pub type Receipt = BoxFuture<'static, Result<Outcome, StoreError>>;

/// Where an account's changes stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// The number of the last one.
    pub latest: u64,
    /// The number of the last one that may have been forgotten.
    pub forgotten: u64,
}

/// A store.
pub trait Store: Send + Sync + 'static {
    /// Takes a write in; waits where too many are under way. The receipt resolves after the commit.
    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>>;

    /// What was committed.
    fn reads(&self) -> &dyn Reads;

    /// Who reports.
    fn rosters(&self) -> &dyn Rosters;

    /// How many writes wait for a commit to begin.
    fn queued(&self) -> usize {
        0
    }
}

/// What a store answers of what was committed. Every question names the account first.
pub trait Reads: ResourceReads {
    /// A random number of this store, made when it was.
    fn incarnation(&self) -> u64;

    /// What seals page tokens: the same for all replicas.
    fn page_key(&self) -> &PageKey;

    /// Live objects of a scope after a uid, in the order of uids.
    fn held<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Uid>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<HeldObject>, StoreError>>;

    /// The state with this digest that is held of a live object, as its reporter encoded it: the base of what changed since. Nothing
    /// where another one is held, or where it was kept before these bytes were.
    fn held_state<'a>(
        &'a self,
        scope: &'a Scope,
        uid: &'a Uid,
        root: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>>;

    /// Live applications that match and are visible, after a place, in the filter's order. The work for one page is bounded: one that
    /// ends before it is full says how far was looked.
    fn list<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        after: Option<&'a Place>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>>;

    /// Counts of live applications that match and are visible, of one moment, by each field; of each at most `most` values.
    fn facets<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        fields: &'a [Field],
        most: usize,
    ) -> BoxFuture<'a, Result<Facets, StoreError>>;

    /// Changed applications whose place matches, those that are gone or out of scope too, with their past, in the order of changes
    /// after `after` and up to `to`.
    fn changed<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        span: Span,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>>;

    /// Keys of live applications that are visible, at most `limit`. Of accounts with many more not all are looked at.
    fn keys<'a>(
        &'a self,
        account: &'a AccountId,
        visible: &'a Visible,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Key>, StoreError>>;

    /// The place of the live application whose last change has this number.
    fn place_of<'a>(
        &'a self,
        account: &'a AccountId,
        sort: Sort,
        change: u64,
    ) -> BoxFuture<'a, Result<Option<Place>, StoreError>>;

    /// A manifest's content.
    fn manifest<'a>(
        &'a self,
        account: &'a AccountId,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>>;

    /// Recorded operations that match and are visible, the one that began last first, after the one of a number; nothing where
    /// that is not known any more. The work for one page is bounded.
    fn deployments<'a>(
        &'a self,
        account: &'a AccountId,
        sought: &'a Sought,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Option<Deployments>, StoreError>>;

    /// The histories of a name.
    fn stories<'a>(
        &'a self,
        account: &'a AccountId,
        wanted: &'a Wanted,
    ) -> BoxFuture<'a, Result<Vec<Story>, StoreError>>;

    /// Entries of a history, the newest first, from a moment back: so many, or fewer where they are a full load, and then on to one
    /// that stands alone.
    fn entries<'a>(
        &'a self,
        account: &'a AccountId,
        story: i64,
        until: Moment,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>>;

    /// The first moment that is known of a history.
    fn beginning<'a>(
        &'a self,
        account: &'a AccountId,
        story: i64,
    ) -> BoxFuture<'a, Result<Option<Moment>, StoreError>>;

    /// Where the account's changes stand.
    fn extent<'a>(&'a self, account: &'a AccountId) -> BoxFuture<'a, Result<Extent, StoreError>>;

    /// How many live objects there are in all accounts.
    fn live(&self) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Tells of commits.
    fn commits(&self) -> &Commits;

    /// Looks for commits of other replicas, and tells of them.
    fn refresh(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Hears when it is worth while to look.
    fn listen(&self) -> Listener;
}

/// Change numbers, the first excluded and the last included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// After this one.
    pub after: u64,
    /// Up to this one.
    pub to: u64,
}

/// Tells watchers that there is something new; what it is they read from the store, so nothing is buffered for them.
#[derive(Debug, Default)]
pub struct Commits(Mutex<HashMap<AccountId, watch::Sender<u64>>>);

impl Commits {
    /// The number of the account's last change that was told; it rises.
    pub fn watch(&self, account: &AccountId) -> watch::Receiver<u64> {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        accounts.entry(account.clone()).or_default().subscribe()
    }

    /// How many watch.
    pub(crate) fn watches(&self) -> usize {
        let accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        accounts.values().map(watch::Sender::receiver_count).sum()
    }

    /// Tells of a commit.
    fn tell(&self, account: &AccountId, change: u64) {
        let accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = accounts.get(account) {
            sender.send_if_modified(|last| {
                let newer = change > *last;
                *last = change.max(*last);
                newer
            });
        }
    }
}

#[cfg(test)]
mod tests;
