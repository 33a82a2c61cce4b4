//! The judge of fault tests. What happened is one list of events, in the order in which it was seen; the judge says which promise
//! of reporting it breaks. It knows nothing of how Causeway works, so that it cannot share a mistake with it.

mod judge;

use std::{
    collections::BTreeMap,
    io::{self, BufRead},
};

use serde::{Deserialize, Serialize};

pub use judge::{Promise, Violation};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The cluster has this state of an object from now on.
    Applied(Moment),
    /// The cluster does not have the object any more.
    Removed {
        /// Which.
        uid: String,
        /// The resource version at which it went.
        version: u64,
    },
    /// A sync operation of an object ended in the cluster.
    OperationEnded {
        /// Whose.
        uid: String,
        /// What tells it from the others of that object, for example when it began.
        operation: String,
    },
    /// The platform shows this state of an object from now on.
    Shown {
        /// The state.
        moment: Moment,
    },
    /// The platform's history of an object has this state.
    Recorded {
        /// The state.
        moment: Moment,
    },
    /// The platform shows the object no more.
    Gone {
        /// Which.
        uid: String,
    },
    /// The platform keeps the end of a sync operation.
    OperationKept {
        /// Whose.
        uid: String,
        /// As in [`Self::OperationEnded`].
        operation: String,
    },
    /// The reporter was told that a report is durable.
    Acknowledged {
        /// The object.
        uid: String,
        /// The state that it brought; none where it told of a deletion.
        moment: Option<Moment>,
    },
    /// So many keys wait in a reporter's queue.
    Queued(u64),
    /// A part of a shown state, such as a manifest that it names, could not be had.
    PartMissing {
        /// Whose.
        uid: String,
        /// Which.
        part: String,
    },
    /// All faults are over, all changes made, and the time to settle has passed: what is shown now stays.
    Settled,
}

/// A state of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Moment {
    /// Of the object.
    pub uid: String,
    /// Its namespace and name, as `namespace/name`.
    pub name: String,
    /// Its resource version.
    pub version: u64,
    /// What its content is told by, for example a digest or a revision.
    pub content: String,
}

/// What happened, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    events: Vec<Event>,
}

impl Event {
    /// The state that the cluster has from now on, where this says so.
    pub fn applied(&self) -> Option<&Moment> {
        match self {
            Self::Applied(moment) => Some(moment),
            Self::Removed { .. }
            | Self::OperationEnded { .. }
            | Self::Shown { .. }
            | Self::Recorded { .. }
            | Self::Gone { .. }
            | Self::OperationKept { .. }
            | Self::Acknowledged { .. }
            | Self::Queued(_)
            | Self::PartMissing { .. }
            | Self::Settled => None,
        }
    }
}

impl History {
    /// Notes what happened.
    pub fn note(&mut self, event: Event) {
        self.events.push(event);
    }

    /// What the platform shows after all of this, by uid.
    pub fn shown(&self) -> BTreeMap<&str, &Moment> {
        judge::shown(&self.events)
    }

    /// All events.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Reads a history, an event in JSON on each line.
    ///
    /// # Errors
    /// A line that cannot be read, or is no event; the error names its number.
    pub fn read(lines: impl BufRead) -> io::Result<Self> {
        let mut events = Vec::new();
        for (number, line) in lines.lines().enumerate() {
            let event = serde_json::from_str(&line?);
            events.push(
                event.map_err(|error| io::Error::other(format!("line {}: {error}", number + 1)))?,
            );
        }
        Ok(Self { events })
    }

    /// Writes a history as [`Self::read`] reads it.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, mut lines: impl io::Write) -> io::Result<()> {
        for event in &self.events {
            serde_json::to_writer(&mut lines, event)?;
            lines.write_all(b"\n")?;
        }
        lines.flush()
    }

    /// What breaks a promise, each with the number of the event that shows it. `most_queued` is how many keys may wait.
    pub fn judge(&self, most_queued: u64) -> Vec<Violation> {
        judge::judge(&self.events, most_queued)
    }
}

impl FromIterator<Event> for History {
    fn from_iter<T: IntoIterator<Item = Event>>(events: T) -> Self {
        Self {
            events: events.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests;
