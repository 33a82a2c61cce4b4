//! What of a history is kept: all of it while it is young, then the last state of each hour and those that say something by
//! themselves, and nothing that was over before the time that is kept began. What stays is what it was, at its own moment.

use bytes::Bytes;

use super::{Corrupt, Entry, Frame, MOST_PATCHES, Replay, Weight};
use crate::{application::Uid, patch};

const HOUR: i64 = 3_600_000;

/// From when on what is kept. Milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// What was over by then is dropped.
    pub from: i64,
    /// All is kept from then on: the beginning of an hour.
    pub full_from: i64,
}

impl Rules {
    /// What is kept at a time, by how long it is.
    #[must_use]
    pub fn at(now: i64, retention: i64, full: i64) -> Self {
        Self {
            from: now.saturating_sub(retention),
            full_from: hour(now.saturating_sub(full)) * HOUR,
        }
    }

    fn drops(&self, entry: &Entry, next: Option<&Entry>) -> bool {
        let gone = entry.frame == Frame::Gone;
        let at = entry.moment.at;
        let Some(next) = next else {
            return gone && at <= self.from;
        };
        let over = next.moment.at <= self.from || (gone && at <= self.from);
        let passing = entry.weight == Weight::Passing && !gone && next.frame != Frame::Gone;
        over || (passing && next.moment.at < self.full_from && hour(at) == hour(next.moment.at))
    }
}

fn hour(at: i64) -> i64 {
    at.div_euclid(HOUR)
}

/// What becomes of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It stays as it is.
    Keep,
    /// It goes.
    Drop,
    /// It stays, and holds its state so from now on.
    Rewrite(Frame),
}

/// What becomes of each of some entries that follow each other, the oldest first, which stands alone. Those that follow the last one
/// can be read as before.
///
/// # Errors
/// One of them is not what was accepted; then none is to be touched.
pub fn thinned(entries: &[Entry], rules: Rules) -> Result<Vec<Verdict>, Corrupt> {
    let mut chain = Chain::default();
    let mut replay = Replay::default();
    let mut verdicts = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        replay.step(entry)?;
        chain.read(entry);
        let next = entries.get(index + 1);
        if rules.drops(entry, next) {
            chain.broken = true;
            verdicts.push(Verdict::Drop);
            continue;
        }
        // What follows the last one has room for as many patches as it had before.
        let most = next.map_or(chain.had, |_| MOST_PATCHES);
        let state = replay.state(entry)?;
        verdicts.push(chain.keep(entry, state, most));
    }
    Ok(verdicts)
}

/// The states that were kept so far.
#[derive(Default)]
struct Chain {
    kept: Option<Bytes>,
    /// Patches since the last whole state, of those that are kept and of all.
    patches: usize,
    had: usize,
    /// Whether something was dropped since the last one.
    broken: bool,
}

impl Chain {
    fn read(&mut self, entry: &Entry) {
        self.had = if entry.frame.stands_alone() {
            0
        } else {
            self.had + 1
        };
    }

    fn keep(&mut self, entry: &Entry, state: Option<(&Uid, &Bytes)>, most: usize) -> Verdict {
        let broken = std::mem::take(&mut self.broken);
        let Some((uid, canonical)) = state.filter(|_| !entry.frame.stands_alone()) else {
            self.kept = state.map(|(_, canonical)| canonical.clone());
            self.patches = 0;
            return Verdict::Keep;
        };
        let before = self.kept.replace(canonical.clone());
        let before = before.filter(|_| self.patches < most);
        self.patches = before.as_ref().map_or(0, |_| self.patches + 1);
        match before {
            Some(_) if !broken => Verdict::Keep,
            Some(before) => {
                let patch = patch::encode(&before, canonical);
                Verdict::Rewrite(Frame::Patch(patch.into()))
            }
            None => {
                let whole = patch::encode(b"", canonical);
                Verdict::Rewrite(Frame::Whole(uid.clone(), whole.into()))
            }
        }
    }
}
