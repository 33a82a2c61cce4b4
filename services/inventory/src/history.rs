//! What an application was. Owns the promise that what is told of a moment is, byte for byte, what had been accepted by then: a
//! state whose digest is another one is told as corrupt, never shown.
//!
//! The history of an application is that of its place (runtime, cluster, namespace, name), whatever uids it had there. An entry is a
//! whole state, or a patch of the state before it, with at most [`MOST_PATCHES`] of them after a whole one, or the end of the
//! application. Moments of one history never go back, whatever the clocks of replicas say.
//!
//! Whoever may see an application now, or as it was last where it is gone, may see its history, but of that only the states
//! that they could have seen then.

mod outline;
pub mod retention;

use bytes::Bytes;

use crate::{
    application::{Key, State, Traits, Uid},
    digest::Digest,
    order::Life,
    patch,
};
pub use outline::{Bearing, Outline, Phase, Weight};

/// How many patches come after a whole state at most.
pub const MOST_PATCHES: usize = 63;
/// More than any state that is taken.
const STATE_BYTES: usize = 4 << 20;
/// How much is read at once: bytes as they are kept, and those of the states that they make.
const LOAD_BYTES: usize = if cfg!(test) { 64 << 10 } else { 8 << 20 };
const LOAD_MADE: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
const LIGHT_MADE: u64 = 256 << 10;

/// When something was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Milliseconds since 1970.
    pub at: i64,
    /// The number of the change in its account.
    pub change: u64,
}

impl Moment {
    /// Before all others.
    pub const BEGINNING: Self = Self { at: 0, change: 0 };

    /// The last one of a millisecond.
    #[must_use]
    pub fn end_of(at: i64) -> Self {
        let change = u64::MAX;
        Self { at, change }
    }

    /// The last one before it.
    #[must_use]
    pub fn before(self) -> Self {
        let change = self.change.saturating_sub(1);
        Self { change, ..self }
    }
}

/// What was accepted at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub moment: Moment,
    /// The resource version of the object.
    pub resource_version: u64,
    /// The state in short.
    pub outline: Outline,
    /// How long it is kept.
    pub weight: Weight,
    /// SHA-256 of the state; nothing where the application is gone.
    pub root_digest: Option<Digest>,
    /// The state.
    pub frame: Frame,
}

/// How an entry holds its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// Whole, compressed, with the uid of the object.
    Whole(Uid, Bytes),
    /// As a patch of the one before.
    Patch(Bytes),
    /// There is none: the application is gone.
    Gone,
}

impl Frame {
    fn content(&self) -> &[u8] {
        match self {
            Self::Whole(_, content) | Self::Patch(content) => content,
            Self::Gone => &[],
        }
    }

    /// Whether it is read without the ones before it.
    #[must_use]
    pub fn stands_alone(&self) -> bool {
        !matches!(self, Self::Patch(_))
    }
}

/// How much of a history was read: few bytes may make many.
#[derive(Debug, Clone, Copy, Default)]
pub struct Load {
    kept: usize,
    made: u64,
}

impl Load {
    /// The load of some entries.
    #[must_use]
    pub fn of<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Self {
        let mut load = Self::default();
        entries.into_iter().for_each(|entry| load.add(&entry.frame));
        load
    }

    /// One more was read.
    pub fn add(&mut self, frame: &Frame) {
        self.kept += frame.content().len();
        self.made += patch::decoded_size(frame.content());
    }

    /// As much more was read.
    pub fn join(&mut self, other: Self) {
        self.kept += other.kept;
        self.made += other.made;
    }

    /// Whether its states are made in no time.
    #[must_use]
    pub fn is_light(&self) -> bool {
        self.made <= LIGHT_MADE
    }

    /// Whether it is enough for one answer.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.kept > LOAD_BYTES || self.made > LOAD_MADE
    }
}

/// The state that an application has while the next one comes.
#[derive(Debug, Clone)]
pub struct Before {
    /// The state as its reporter encoded it.
    pub canonical: Bytes,
    /// How many patches there are since the last whole one.
    pub patches: usize,
}

/// The frame of the next state, which `packed` is the compressed encoding of, and how many patches there are with it.
#[must_use]
pub fn next_frame(
    before: Option<&Before>,
    uid: &Uid,
    state: &State,
    packed: &Bytes,
) -> (Frame, usize) {
    let before = before.filter(|before| before.patches < MOST_PATCHES);
    let patch = before.map(|before| {
        let patch = patch::encode(&before.canonical, &state.canonical);
        (patch.into(), before.patches)
    });
    framed(patch, uid, packed)
}

/// The same where the patch is made, if there is one: what the state has that the one before it has not, with how many patches there
/// were.
#[must_use]
pub fn framed(patch: Option<(Bytes, usize)>, uid: &Uid, packed: &Bytes) -> (Frame, usize) {
    match patch {
        Some((patch, before)) if before < MOST_PATCHES && patch.len() < packed.len() => {
            (Frame::Patch(patch), before + 1)
        }
        Some(_) | None => (Frame::Whole(uid.clone(), packed.clone()), 0),
    }
}

/// A history that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the history does not hold what was accepted then")]
pub struct Corrupt;

/// Goes through entries in their order, from one that stands alone on.
#[derive(Debug, Default)]
pub struct Replay {
    state: Option<(Uid, Bytes)>,
}

impl Replay {
    /// Goes on by an entry.
    ///
    /// # Errors
    /// Its state cannot be had of the one before.
    pub fn step(&mut self, entry: &Entry) -> Result<(), Corrupt> {
        self.state = match (&entry.frame, self.state.take()) {
            (Frame::Whole(uid, packed), _) => Some((uid.clone(), applied(b"", packed)?)),
            (Frame::Patch(patch), Some((uid, base))) => Some((uid, applied(&base, patch)?)),
            (Frame::Patch(_), None) => return Err(Corrupt),
            (Frame::Gone, _) => None,
        };
        Ok(())
    }

    /// The uid and the state that the last entry left, if it is the one that was accepted.
    ///
    /// # Errors
    /// It is another one.
    pub fn state(&self, entry: &Entry) -> Result<Option<(&Uid, &Bytes)>, Corrupt> {
        let state = self.state.as_ref();
        let digest = state.map(|(_, canonical)| Digest::of(canonical));
        if digest != entry.root_digest {
            return Err(Corrupt);
        }
        Ok(state.map(|(uid, canonical)| (uid, canonical)))
    }
}

fn applied(base: &[u8], patch: &[u8]) -> Result<Bytes, Corrupt> {
    patch::apply(base, patch, STATE_BYTES).map_err(|_| Corrupt)
}

/// What the newest of some entries, which come first and go back to one that stands alone, left.
///
/// # Errors
/// They do not go back to one, or make something else than was accepted.
pub fn newest(entries: &[Entry]) -> Result<Option<(Uid, Bytes)>, Corrupt> {
    let Some(entry) = entries.first() else {
        return Ok(None);
    };
    let alone = |entry: &Entry| entry.frame.stands_alone();
    let first = entries.iter().position(alone).ok_or(Corrupt)?;
    let mut replay = Replay::default();
    for entry in entries[..=first].iter().rev() {
        replay.step(entry)?;
    }
    let state = replay.state(entry)?;
    Ok(state.map(|(uid, canonical)| (uid.clone(), canonical.clone())))
}

/// The history of a place, as its callers are told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    /// Its number in the store.
    pub id: i64,
    /// The place.
    pub key: Key,
    /// Whether there is an application now.
    pub life: Life,
    /// What the application is now, or was last.
    pub traits: Traits,
}

#[cfg(test)]
mod tests;
