//! What Kubernetes says that happened to objects. Kept for a day after it was last told of, whether or not its cluster still has it,
//! and of one object and of one account no more than so much. Who may see it is decided as for resources.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use causeway_assertion::UnownedObject;

use crate::{
    application::{ANSWER_BYTES, Change, Visible},
    digest::Digest,
    resource::{ApplicationName, OwnerApplication, holds},
};

/// Retention of an event after its last report.
pub const KEPT_FOR: Duration = Duration::from_secs(24 * 3600);
/// Time for which an event is listed as held to reporters. A cluster deletes events after an hour, so older ones would only
/// cost memory.
pub const HELD_FOR: Duration = Duration::from_secs(2 * 3600);
/// How many events of one object are kept: the newest.
pub const MOST_OF_OBJECT: usize = if cfg!(test) { 3 } else { 100 };
/// How many events of one account are kept: the newest. It may be exceeded by a few hundred for a while.
pub const MOST_OF_ACCOUNT: usize = if cfg!(test) { 8 } else { 200_000 };

/// An event, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The application that the object says it belongs to.
    pub application: Option<ApplicationName>,
    /// The object that it happened to.
    pub regarding: Regarding,
    /// When it happened last, milliseconds since 1970.
    pub last_seen: i64,
    /// The reporter's digest of the whole state.
    pub root_digest: Digest,
    /// All of it, encoded.
    pub content: Bytes,
}

/// The object that something happened to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regarding {
    /// Its kind.
    pub kind: Arc<str>,
    /// Its namespace; empty for what is cluster-wide.
    pub namespace: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
}

impl Change<Event> {
    /// About how many bytes it holds.
    pub fn size(&self) -> usize {
        let state = self.state.as_ref();
        1024 + state.map_or(0, |state| state.content.len())
    }
}

/// A stored event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRecord {
    /// Its number in the store, rising.
    pub number: u64,
    /// Its runtime as people call it.
    pub runtime_name: String,
    /// The cluster that it happened in.
    pub cluster: String,
    /// The namespace of the object that it happened to.
    pub namespace: String,
    /// The application that it belongs to, where one is held.
    pub belongs: Option<OwnerApplication>,
    /// When it happened last, milliseconds since 1970.
    pub last_seen: i64,
    /// All of it, encoded.
    pub content: Bytes,
}

/// Where an event stands among others: the newest one has the greatest place.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(deny_unknown_fields)]
pub struct EventPlace {
    /// When it happened last, milliseconds since 1970.
    pub last_seen: i64,
    /// Its number in the store.
    pub number: u64,
}

/// A page of events, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventPage {
    /// The events.
    pub items: Vec<EventRecord>,
    /// Last scanned event, visible or not; nothing where there are no more.
    pub looked: Option<EventPlace>,
    bytes: usize,
}

/// Where a list of events goes on. Its caller holds it sealed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventToken {
    /// The last event that was told of.
    pub place: Option<EventPlace>,
    /// The number of one behind it that was looked at.
    pub looked: Option<u64>,
    /// Which account and scope it was made for.
    pub stamp: u64,
}

impl EventPage {
    /// Looks at one more; `false` where there is no room for it, and so it was not looked at.
    pub fn look(&mut self, event: EventRecord, visible: &Visible, limit: usize) -> bool {
        let place = event.place();
        if event.is_visible(visible) {
            let size = 512 + event.content.len();
            let fits = self.items.is_empty() || self.bytes + size <= ANSWER_BYTES;
            if self.items.len() >= limit || !fits {
                return false;
            }
            self.bytes += size;
            self.items.push(event);
        }
        self.looked = Some(place);
        true
    }

    /// Where the next page begins, when this one began at `from`; nothing where this is the last.
    #[must_use]
    pub fn next(&self, from: Option<&EventToken>, stamp: u64) -> Option<EventToken> {
        let looked = self.looked?;
        let last = self.items.last().map(EventRecord::place);
        let place = last.or_else(|| from.and_then(|from| from.place));
        Some(EventToken {
            place,
            looked: (place != Some(looked)).then_some(looked.number),
            stamp,
        })
    }
}

impl EventRecord {
    /// Where it stands among others.
    #[must_use]
    pub fn place(&self) -> EventPlace {
        EventPlace {
            last_seen: self.last_seen,
            number: self.number,
        }
    }

    /// True if it is in scope.
    #[must_use]
    pub fn is_visible(&self, visible: &Visible) -> bool {
        let ground = UnownedObject {
            runtime: &self.runtime_name,
            cluster: &self.cluster,
            namespace: &self.namespace,
        };
        holds(visible, &ground, self.belongs.as_ref())
    }
}

/// Which events. By default none, as nothing is visible.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// What the caller may see at all.
    pub visible: Visible,
    /// Of this runtime, by name; empty for all.
    pub runtime: String,
    /// Of this cluster; empty for all.
    pub cluster: String,
    /// What they are of.
    pub of: EventsOf,
}

/// What events are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventsOf {
    /// Of what belongs to an application.
    Application {
        /// The namespace of the application's object; empty for any.
        namespace: String,
        /// The name of the application's object.
        name: String,
    },
    /// Of everything.
    All {
        /// The kind of the objects; empty for any.
        kind: String,
        /// Their namespace; empty for any, and for what is cluster-wide too.
        namespace: String,
    },
    /// Of one object.
    Object {
        /// Its kind; empty for any.
        kind: String,
        /// Its namespace; empty for what is cluster-wide.
        namespace: String,
        /// Its name.
        name: String,
    },
}

impl Default for EventsOf {
    fn default() -> Self {
        Self::Application {
            namespace: String::new(),
            name: String::new(),
        }
    }
}
