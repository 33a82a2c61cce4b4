//! One view of a stream: where it is and what it has told.

use std::time::Duration;

use tokio::time::Instant;

use crate::{
    application::{FacetQuery, Facets, Filter, View},
    watch::{Cursor, Event},
};

/// Between two responses for one view.
const INTERVAL: Duration = Duration::from_millis(250);
/// Between responses for a view without changes.
const BOOKMARK_EVERY: Duration = Duration::from_secs(15);

/// What a client shows.
#[derive(Debug, Clone)]
pub struct WatchedView {
    /// Its name in the stream.
    pub id: String,
    /// Which applications.
    pub filter: Filter,
    /// How much of each.
    pub view: View,
    /// Where to go on; nothing to begin now.
    pub cursor: Option<Cursor>,
    /// What is counted.
    pub query: FacetQuery,
}

/// One response for a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewStep {
    /// The view.
    pub id: String,
    /// How much is shown of each application.
    pub view: View,
    /// The changes.
    pub events: Vec<Event>,
    /// How many match.
    pub total: u64,
    /// The counts, if they have changed.
    pub facets: Option<Facets>,
    /// Where to go on after it.
    pub cursor: Cursor,
}

/// A view while it is watched.
#[derive(Debug)]
pub(super) struct Progress {
    pub(super) watched: WatchedView,
    pub(super) at: Cursor,
    counted: Option<Facets>,
    looked: Option<Instant>,
    sent: Option<Instant>,
}

impl Progress {
    pub(super) fn new(watched: WatchedView, at: Cursor) -> Self {
        Self {
            watched,
            at,
            counted: None,
            looked: None,
            sent: None,
        }
    }

    pub(super) fn has_counted(&self) -> bool {
        self.counted.is_some()
    }

    /// True if the time since the last look has passed.
    pub(super) fn may_look(&self, now: Instant) -> bool {
        self.looked.is_none_or(|looked| looked + INTERVAL <= now)
    }

    fn owes_bookmark(&self, now: Instant) -> bool {
        self.sent.is_none_or(|sent| sent + BOOKMARK_EVERY <= now)
    }

    /// True if there may be something to tell of changes up to this one.
    pub(super) fn is_due(&self, latest: u64, now: Instant) -> bool {
        let is_behind = self.at.change < latest;
        (is_behind && self.may_look(now)) || self.owes_bookmark(now)
    }

    /// When to look again, given the last change that is known, and whether there are later ones.
    pub(super) fn next_look(&self, latest: u64, stirred: bool) -> Instant {
        let after = |time: Option<Instant>, wait| time.map_or_else(Instant::now, |at| at + wait);
        if stirred || self.at.change < latest {
            after(self.looked, INTERVAL)
        } else {
            after(self.sent, BOOKMARK_EVERY)
        }
    }

    /// The next response; nothing if it would say nothing. Without counts they are as they were.
    pub(super) fn step(&mut self, events: Vec<Event>, counts: Option<Facets>) -> Option<ViewStep> {
        let now = Instant::now();
        self.looked = Some(now);
        let counts = counts.filter(|counts| self.counted.as_ref() != Some(counts));
        if events.is_empty() && counts.is_none() && !self.owes_bookmark(now) {
            return None;
        }
        self.sent = Some(now);
        if let Some(counts) = &counts {
            self.counted = Some(counts.clone());
        }
        let has_fields = !self.watched.query.fields.is_empty();
        Some(ViewStep {
            id: self.watched.id.clone(),
            view: self.watched.view,
            events,
            total: self.counted.as_ref().map_or(0, |counted| counted.total),
            facets: counts.filter(|_| has_fields),
            cursor: self.at,
        })
    }
}
