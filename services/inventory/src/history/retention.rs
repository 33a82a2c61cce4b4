//! Retention of histories: every entry while it is young, then the last one of each hour and the milestones, and none that ended
//! before the retention period. Entries that stay keep their state and their moment.

use bytes::Bytes;

use super::{CorruptHistory, Entry, Frame, Importance, MAX_PATCHES, Replay};
use crate::{application::Uid, patch};

const HOUR: i64 = 3_600_000;

/// Retention limits in ms since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionRules {
    /// Entries that were superseded by then are dropped.
    pub from: i64,
    /// Every later entry is kept; the start of an hour.
    pub full_from: i64,
}

impl RetentionRules {
    /// Computes the limits from the retention periods.
    #[must_use]
    pub fn new(now: i64, retention: i64, full: i64) -> Self {
        Self {
            from: now.saturating_sub(retention),
            full_from: hour(now.saturating_sub(full)) * HOUR,
        }
    }

    fn drops(&self, entry: &Entry, next: Option<&Entry>) -> bool {
        let is_tombstone = entry.frame == Frame::Tombstone;
        let at = entry.moment.at;
        let Some(next) = next else {
            return is_tombstone && at <= self.from;
        };
        let is_expired = next.moment.at <= self.from || (is_tombstone && at <= self.from);
        let is_routine = entry.importance == Importance::Routine
            && !is_tombstone
            && next.frame != Frame::Tombstone;
        is_expired
            || (is_routine && next.moment.at < self.full_from && hour(at) == hour(next.moment.at))
    }
}

fn hour(at: i64) -> i64 {
    at.div_euclid(HOUR)
}

/// Action of compaction on an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryAction {
    Keep,
    Drop,
    /// Stores the state in another encoding, because its base was dropped.
    Rewrite(Frame),
}

/// Decides on consecutive entries, oldest first; the first one is standalone. Entries after the last one stay decodable.
///
/// # Errors
/// An entry does not decode to the accepted state; then none may be changed.
pub fn plan_actions(
    entries: &[Entry],
    rules: RetentionRules,
) -> Result<Vec<EntryAction>, CorruptHistory> {
    let mut chain = Chain::default();
    let mut replay = Replay::default();
    let mut actions = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        replay.step(entry)?;
        chain.observe(entry);
        let next = entries.get(index + 1);
        if rules.drops(entry, next) {
            chain.has_gap = true;
            actions.push(EntryAction::Drop);
            continue;
        }
        // The entries after the last one are not rewritten, so its chain must not become longer.
        let most = next.map_or(chain.original_patches, |_| MAX_PATCHES);
        let state = replay.state(entry)?;
        actions.push(chain.keep(entry, state, most));
    }
    Ok(actions)
}

/// Chain of the entries kept so far.
#[derive(Default)]
struct Chain {
    last_kept: Option<Bytes>,
    /// Patches since the last snapshot, among the kept entries and among all.
    patches: usize,
    original_patches: usize,
    /// True if an entry was dropped since the last kept one.
    has_gap: bool,
}

impl Chain {
    fn observe(&mut self, entry: &Entry) {
        self.original_patches = if entry.frame.is_standalone() {
            0
        } else {
            self.original_patches + 1
        };
    }

    fn keep(&mut self, entry: &Entry, state: Option<(&Uid, &Bytes)>, most: usize) -> EntryAction {
        let has_gap = std::mem::take(&mut self.has_gap);
        let Some((uid, canonical)) = state.filter(|_| !entry.frame.is_standalone()) else {
            self.last_kept = state.map(|(_, canonical)| canonical.clone());
            self.patches = 0;
            return EntryAction::Keep;
        };
        let before = self.last_kept.replace(canonical.clone());
        let before = before.filter(|_| self.patches < most);
        self.patches = before.as_ref().map_or(0, |_| self.patches + 1);
        match before {
            Some(_) if !has_gap => EntryAction::Keep,
            Some(before) => {
                let patch = patch::encode(&before, canonical);
                EntryAction::Rewrite(Frame::Patch(patch.into()))
            }
            None => {
                let whole = patch::encode(b"", canonical);
                EntryAction::Rewrite(Frame::Snapshot(uid.clone(), whole.into()))
            }
        }
    }
}
