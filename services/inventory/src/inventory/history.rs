//! The inventory as it was: states of a time, and the states that followed each other.

use bytes::Bytes;
use causeway_proto::{ids::AccountId, time::millis_to_timestamp};

use super::{ApplicationRequest, GetError, Inventory};
use crate::{
    application::{Key, ScopeTraits, Uid, Visible},
    digest::Digest,
    history::{CorruptHistory, Entry, History, Moment, ReadBudget, Replay, latest_state},
    order::ObjectLife,
    store::StoreError,
};

/// Why there is nothing of a time.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// Nothing of it is known, or seen, at any time.
    #[error(transparent)]
    Get(#[from] GetError),
    /// Nothing of it is known at that time.
    #[error("nothing is known of it at that time: what is known begins at {}", text(*.oldest))]
    Before {
        /// Since when something is, milliseconds since 1970.
        oldest: i64,
    },
    /// It was not there.
    #[error("it was not there at that time: it had been gone since {}", text(*.since))]
    Gone {
        /// Since when, milliseconds since 1970.
        since: i64,
    },
    /// What is kept is not what was accepted.
    #[error(
        "its history cannot be read at that time, since what is kept is not what was accepted: ask for another time"
    )]
    Corrupt,
    /// The store does not work.
    #[error("the history cannot be read now: try again")]
    Store(#[from] StoreError),
}

fn text(millis: i64) -> String {
    millis_to_timestamp(millis).to_string()
}

impl From<CorruptHistory> for HistoryError {
    fn from(CorruptHistory: CorruptHistory) -> Self {
        tracing::error!("the store holds a history that cannot be read");
        Self::Corrupt
    }
}

/// A state of a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Whose.
    pub key: Key,
    /// The uid that the object had.
    pub uid: Uid,
    /// The resource version of the state.
    pub resource_version: u64,
    /// When it was accepted, milliseconds since 1970.
    pub received_at: i64,
    /// The state as its reporter encoded it.
    pub canonical: Bytes,
}

/// Decoded parts of an encoded state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedState {
    /// What a scope is about.
    pub traits: ScopeTraits,
    /// The manifests that it names.
    pub manifests: Vec<Digest>,
}

/// Reads an encoded state; nothing where it cannot be read.
pub type ReadState = fn(&Bytes) -> Option<DecodedState>;

impl Inventory {
    /// The state that an application had at a time, milliseconds since 1970, if the caller may see the application now and could
    /// have seen that state then.
    pub async fn as_of(
        &self,
        account: &AccountId,
        visible: &Visible,
        wanted: &ApplicationRequest,
        at: i64,
        read: ReadState,
    ) -> Result<Snapshot, HistoryError> {
        let story = self.story(account, visible, wanted).await?;
        let reads = self.store().reads();
        let until = Moment::last_at(at);
        let entries = reads.history_entries(account, story.id, until, 1).await?;
        let (entries, state) = apart(entries, latest_state).await?;
        let Some(entry) = entries.first() else {
            return Err(self.before(account, visible, wanted, &story).await?);
        };
        let since = entry.moment.at;
        let Some((uid, canonical)) = state? else {
            return Err(HistoryError::Gone { since });
        };
        if !seen(visible, &story.key, || read(&canonical)) {
            let unknown = self.unknown(account, visible, wanted.clone()).await?;
            return Err(unknown.into());
        }
        Ok(Snapshot {
            key: story.key,
            uid,
            resource_version: entry.resource_version,
            received_at: since,
            canonical,
        })
    }

    /// Those of some digests that a state of that time names, for a caller who may see it.
    pub async fn manifests_then(
        &self,
        account: &AccountId,
        visible: &Visible,
        mut digests: Vec<Digest>,
        (wanted, at): (&ApplicationRequest, i64),
        read: ReadState,
    ) -> Result<Vec<Digest>, HistoryError> {
        let found = self.as_of(account, visible, wanted, at, read).await?;
        let named = read(&found.canonical).map(|state| state.manifests);
        let named = named.unwrap_or_default();
        digests.retain(|digest| named.contains(digest));
        Ok(digests)
    }

    /// What was accepted of an application, the newest first, from a moment back, as far as the caller could have seen it then; and
    /// where to go on. May be fewer than `limit` and not be the last.
    pub async fn states(
        &self,
        account: &AccountId,
        visible: &Visible,
        wanted: &ApplicationRequest,
        (from, limit): (Option<Moment>, usize),
        read: ReadState,
    ) -> Result<(Vec<Entry>, Option<Moment>), HistoryError> {
        let story = self.story(account, visible, wanted).await?;
        let from = from.unwrap_or(Moment::last_at(i64::MAX));
        let reads = self.store().reads();
        let mut entries = reads
            .history_entries(account, story.id, from, limit + 1)
            .await?;
        let next = next_of(&entries, limit);
        if !visible.is_everything() {
            let (visible, key) = (visible.clone(), story.key);
            let look = move |entries: &[Entry]| seen_of(entries, &visible, &key, read);
            let (looked_at, seen) = apart(entries, look).await?;
            let mut seen = seen?.into_iter();
            entries = looked_at;
            entries.truncate(limit);
            entries.retain(|_| seen.next().unwrap_or(false));
        }
        entries.truncate(limit);
        Ok((entries, next))
    }

    /// The history that is meant: that of an application which is there, rather than that of one which is gone.
    async fn story(
        &self,
        account: &AccountId,
        visible: &Visible,
        wanted: &ApplicationRequest,
    ) -> Result<History, HistoryError> {
        let reads = self.store().reads();
        let mut stories = reads.find_histories(account, wanted).await?;
        stories.retain(|story| visible.holds(&story.key, &story.traits));
        if stories.iter().any(|story| story.life == ObjectLife::Live) {
            stories.retain(|story| story.life == ObjectLife::Live);
        }
        let mut clusters: Vec<&str> = stories.iter().map(|story| &*story.key.cluster).collect();
        clusters.sort_unstable();
        clusters.dedup();
        if clusters.len() > 1 {
            return Err(GetError::Ambiguous(clusters.join(", ")).into());
        }
        match stories.into_iter().max_by_key(|story| story.id) {
            Some(story) => Ok(story),
            None => {
                let unknown = self.unknown(account, visible, wanted.clone()).await?;
                Err(unknown.into())
            }
        }
    }

    async fn before(
        &self,
        account: &AccountId,
        visible: &Visible,
        wanted: &ApplicationRequest,
        story: &History,
    ) -> Result<HistoryError, StoreError> {
        let beginning = self
            .store()
            .reads()
            .history_start(account, story.id)
            .await?;
        Ok(match beginning {
            Some(Moment { at: oldest, .. }) => HistoryError::Before { oldest },
            None => self.unknown(account, visible, wanted.clone()).await?.into(),
        })
    }
}

/// Works on entries, on the blocking pool if their states are large.
async fn apart<T: Send + 'static>(
    entries: Vec<Entry>,
    work: impl FnOnce(&[Entry]) -> T + Send + 'static,
) -> Result<(Vec<Entry>, T), StoreError> {
    let is_light = ReadBudget::from_entries(&entries).is_small();
    let all = move || {
        let done = work(&entries);
        (entries, done)
    };
    if is_light {
        return Ok(all());
    }
    let done = tokio::task::spawn_blocking(all).await;
    done.map_err(|error| StoreError::Failed(error.into()))
}

/// Where the entries after the first so many begin, if there may be any.
fn next_of(entries: &[Entry], limit: usize) -> Option<Moment> {
    let is_full = ReadBudget::from_entries(entries).is_exhausted();
    let cut = entries.last().filter(|_| is_full);
    let next = entries.get(limit).map(|entry| entry.moment);
    next.or_else(|| cut.map(|last| last.moment.previous()))
}

fn seen(visible: &Visible, key: &Key, state: impl FnOnce() -> Option<DecodedState>) -> bool {
    visible.is_everything() || state().is_some_and(|state| visible.holds(key, &state.traits))
}

/// Selects the visible entries of a page, newest first. Deletions are visible to all who can see the history.
fn seen_of(
    entries: &[Entry],
    visible: &Visible,
    key: &Key,
    read: ReadState,
) -> Result<Vec<bool>, CorruptHistory> {
    let mut replay = Replay::default();
    let mut all = Vec::with_capacity(entries.len());
    for entry in entries.iter().rev() {
        replay.step(entry)?;
        let state = replay.state(entry)?;
        let could = state.is_none_or(|(_, state)| seen(visible, key, || read(state)));
        all.push(could);
    }
    all.reverse();
    Ok(all)
}
