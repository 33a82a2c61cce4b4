//! The last events of one kind, bounded in count and bytes, each serialised at most once per watch format.

use std::{
    collections::VecDeque,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;

use super::super::object::Stored;

const MOST_EVENTS: usize = 4_096;
const MOST_BYTES: usize = 16 << 20;
pub(crate) const FORMATS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Modified,
    Deleted,
}

/// One change, shared by all watchers.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) revision: u64,
    pub(crate) change: Change,
    /// the state after the change; for a deletion the last state, at the revision of the deletion
    pub(crate) object: Arc<Stored>,
    pub(crate) previous: Option<Arc<Stored>>,
    /// the line of a watch, one per format
    pub(crate) lines: [OnceLock<Bytes>; FORMATS],
}

impl Event {
    pub(super) fn written(previous: Option<Arc<Stored>>, object: Arc<Stored>) -> Self {
        let change = if previous.is_some() {
            Change::Modified
        } else {
            Change::Added
        };
        Self {
            revision: object.revision,
            change,
            object,
            previous,
            lines: Default::default(),
        }
    }

    pub(super) fn deleted(revision: u64, previous: Arc<Stored>, object: Arc<Stored>) -> Self {
        Self {
            revision,
            change: Change::Deleted,
            object,
            previous: Some(previous),
            lines: Default::default(),
        }
    }
}

/// Events above `floor`, oldest first.
pub(crate) struct Window {
    floor: u64,
    events: VecDeque<Arc<Event>>,
    bytes: usize,
}

impl Window {
    pub(super) fn new(floor: u64) -> Self {
        Self {
            floor,
            events: VecDeque::new(),
            bytes: 0,
        }
    }

    pub(super) fn push(&mut self, event: Arc<Event>) {
        self.bytes += event.object.json.len();
        self.events.push_back(event);
        while self.events.len() > MOST_EVENTS || (self.bytes > MOST_BYTES && self.events.len() > 1)
        {
            self.evict();
        }
    }

    fn evict(&mut self) {
        if let Some(old) = self.events.pop_front() {
            self.floor = old.revision;
            self.bytes -= old.object.json.len();
        }
    }

    /// The lowest revision that a watch may begin from.
    pub(crate) fn floor(&self) -> u64 {
        self.floor
    }

    /// At most `limit` events above `revision`, or nothing when some of them are already forgotten.
    pub(crate) fn after(&self, revision: u64, limit: usize) -> Option<Vec<Arc<Event>>> {
        if revision < self.floor {
            return None;
        }
        let start = self
            .events
            .partition_point(|event| event.revision <= revision);
        Some(
            self.events
                .iter()
                .skip(start)
                .take(limit)
                .cloned()
                .collect(),
        )
    }
}
