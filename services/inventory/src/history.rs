//! History of applications. A state that is read back is, byte for byte, the one that was accepted: if its digest differs, the
//! history is reported as corrupt.
//!
//! A history belongs to a name (runtime, cluster, namespace, name), whatever uids the application had. Each entry is a snapshot, a
//! patch against the previous state with at most [`MAX_PATCHES`] in a row, or a tombstone. Moments of one history never go back,
//! even if the clocks of replicas differ.
//!
//! A caller who may see the application now, or its last state if it is deleted, may see those entries that were visible to them
//! then.

pub(crate) mod convert;
pub mod retention;
mod summary;

use bytes::Bytes;

use crate::{
    application::{Key, ScopeTraits, State, Uid},
    digest::Digest,
    order::ObjectLife,
    patch,
};
pub use summary::{EntrySummary, Importance, Phase, StatusKey};

/// Maximum number of patches after a snapshot.
pub const MAX_PATCHES: usize = 63;
/// Limit of a decoded state, above that of reports.
const MAX_STATE_BYTES: usize = 4 << 20;
/// Limits of one read: stored bytes, and bytes after decompression.
const MAX_STORED: usize = if cfg!(test) { 64 << 10 } else { 8 << 20 };
const MAX_DECODED: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
/// Entries up to this size are decoded on the caller's thread.
const SMALL_DECODED: u64 = 256 << 10;

/// Time and change number at which a state was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Milliseconds since 1970.
    pub at: i64,
    /// The number of the change in its account.
    pub change: u64,
}

impl Moment {
    /// Earliest moment.
    pub const MIN: Self = Self { at: 0, change: 0 };

    /// Last moment of a millisecond.
    #[must_use]
    pub fn last_at(at: i64) -> Self {
        let change = u64::MAX;
        Self { at, change }
    }

    /// Moment directly before.
    #[must_use]
    pub fn previous(self) -> Self {
        let change = self.change.saturating_sub(1);
        Self { change, ..self }
    }
}

/// Entry of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub moment: Moment,
    pub resource_version: u64,
    pub summary: EntrySummary,
    pub importance: Importance,
    /// SHA-256 of the state; none for a tombstone.
    pub root_digest: Option<Digest>,
    pub frame: Frame,
}

/// Encoding of an entry's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// Compressed state with the uid of the object.
    Snapshot(Uid, Bytes),
    /// Delta against the previous state.
    Patch(Bytes),
    /// Deletion of the application.
    Tombstone,
}

impl Frame {
    fn content(&self) -> &[u8] {
        match self {
            Self::Snapshot(_, content) | Self::Patch(content) => content,
            Self::Tombstone => &[],
        }
    }

    /// True if it can be decoded without the entries before it.
    #[must_use]
    pub fn is_standalone(&self) -> bool {
        !matches!(self, Self::Patch(_))
    }
}

/// Size of the entries read so far: few stored bytes may decompress to many.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadBudget {
    stored: usize,
    decoded: u64,
}

impl ReadBudget {
    /// Sums up entries.
    #[must_use]
    pub fn from_entries<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Self {
        let mut budget = Self::default();
        entries
            .into_iter()
            .for_each(|entry| budget.add(&entry.frame));
        budget
    }

    /// Adds an entry.
    pub fn add(&mut self, frame: &Frame) {
        self.stored += frame.content().len();
        self.decoded += patch::decoded_size(frame.content());
    }

    /// Adds the entries of another read.
    pub fn merge(&mut self, other: Self) {
        self.stored += other.stored;
        self.decoded += other.decoded;
    }

    /// True if the entries can be decoded without a blocking thread.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.decoded <= SMALL_DECODED
    }

    /// True if one response cannot take more.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.stored > MAX_STORED || self.decoded > MAX_DECODED
    }
}

/// State before the next entry.
#[derive(Debug, Clone)]
pub struct BaseState {
    /// State as its reporter encoded it.
    pub canonical: Bytes,
    /// Number of patches since the last snapshot.
    pub patches: usize,
}

/// Encodes the next state, of which `packed` is the compressed form. Returns the number of patches since a snapshot with it.
#[must_use]
pub fn next_frame(
    before: Option<&BaseState>,
    uid: &Uid,
    state: &State,
    packed: &Bytes,
) -> (Frame, usize) {
    let before = before.filter(|before| before.patches < MAX_PATCHES);
    let patch = before.map(|before| {
        let patch = patch::encode(&before.canonical, &state.canonical);
        (patch.into(), before.patches)
    });
    choose_frame(patch, uid, packed)
}

/// Chooses between a patch, given with the number of patches before it, and a snapshot: the shorter one, up to the maximum of
/// patches.
#[must_use]
pub fn choose_frame(patch: Option<(Bytes, usize)>, uid: &Uid, packed: &Bytes) -> (Frame, usize) {
    match patch {
        Some((patch, before)) if before < MAX_PATCHES && patch.len() < packed.len() => {
            (Frame::Patch(patch), before + 1)
        }
        Some(_) | None => (Frame::Snapshot(uid.clone(), packed.clone()), 0),
    }
}

/// Error of a history that does not decode to the accepted states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the history does not hold what was accepted then")]
pub struct CorruptHistory;

/// Decodes entries in their order, beginning with a snapshot or a tombstone.
#[derive(Debug, Default)]
pub struct Replay {
    state: Option<(Uid, Bytes)>,
}

impl Replay {
    /// Applies the next entry.
    ///
    /// # Errors
    /// It does not apply to the previous state.
    pub fn step(&mut self, entry: &Entry) -> Result<(), CorruptHistory> {
        self.state = match (&entry.frame, self.state.take()) {
            (Frame::Snapshot(uid, packed), _) => Some((uid.clone(), applied(b"", packed)?)),
            (Frame::Patch(patch), Some((uid, base))) => Some((uid, applied(&base, patch)?)),
            (Frame::Patch(_), None) => return Err(CorruptHistory),
            (Frame::Tombstone, _) => None,
        };
        Ok(())
    }

    /// Uid and state after the last entry; verifies its digest.
    ///
    /// # Errors
    /// The digest differs.
    pub fn state(&self, entry: &Entry) -> Result<Option<(&Uid, &Bytes)>, CorruptHistory> {
        let state = self.state.as_ref();
        let digest = state.map(|(_, canonical)| Digest::of(canonical));
        if digest != entry.root_digest {
            return Err(CorruptHistory);
        }
        Ok(state.map(|(uid, canonical)| (uid, canonical)))
    }
}

fn applied(base: &[u8], patch: &[u8]) -> Result<Bytes, CorruptHistory> {
    patch::apply(base, patch, MAX_STATE_BYTES).map_err(|_| CorruptHistory)
}

/// Decodes the newest of entries that are given newest first, back to a standalone one.
///
/// # Errors
/// No entry is standalone, or the digest differs.
pub fn latest_state(entries: &[Entry]) -> Result<Option<(Uid, Bytes)>, CorruptHistory> {
    let Some(entry) = entries.first() else {
        return Ok(None);
    };
    let alone = |entry: &Entry| entry.frame.is_standalone();
    let first = entries.iter().position(alone).ok_or(CorruptHistory)?;
    let mut replay = Replay::default();
    for entry in entries[..=first].iter().rev() {
        replay.step(entry)?;
    }
    let state = replay.state(entry)?;
    Ok(state.map(|(uid, canonical)| (uid.clone(), canonical.clone())))
}

/// History of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// Id in the store.
    pub id: i64,
    pub key: Key,
    /// Whether an application has the name now.
    pub life: ObjectLife,
    /// Current traits of the application, or its last ones.
    pub traits: ScopeTraits,
}

#[cfg(test)]
mod tests;
