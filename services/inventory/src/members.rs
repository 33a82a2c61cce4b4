//! Who reports right now. Owns the list of the reporters of each scope and the fence: of two streams of one reporter only the
//! later one counts. Never decides which reporter takes which object: they do, by the same list.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;
use uuid::Uuid;

use crate::{application::Scope, order::Continuity};

/// How many reporters may share one scope.
pub const MOST_MEMBERS: usize = 128;

/// More reporters than one scope can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there are {MOST_MEMBERS} reporters of this kind and cluster already")]
pub struct TooManyMembers;

/// The reporters of all scopes.
#[derive(Debug, Default)]
pub struct Members(Mutex<HashMap<Scope, watch::Sender<Roster>>>);

/// The reporters of one scope.
#[derive(Debug, Clone, Default)]
struct Roster {
    version: u64,
    departures: u64,
    seats: BTreeMap<Uuid, Seat>,
}

#[derive(Debug, Clone, Copy)]
struct Seat {
    epoch: u64,
    continuity: Continuity,
}

/// A stream's place among the reporters; it ends when this is dropped.
#[derive(Debug)]
pub struct Membership {
    members: Arc<Members>,
    scope: Scope,
    instance: Uuid,
    epoch: u64,
    roster: watch::Receiver<Roster>,
}

/// Where a stream stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Another stream has taken over, or the store was restored since.
    Fenced,
    /// It counts.
    Seated(Gathering),
}

/// Who is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gathering {
    /// The reporters, sorted.
    pub instances: Vec<Uuid>,
    /// Rises with each change.
    pub version: u64,
    /// How many reporters have left.
    pub departures: u64,
}

impl Members {
    /// Gives a stream its place. The `epoch` tells which of two streams of one reporter is the later one.
    pub fn join(
        self: &Arc<Self>,
        scope: Scope,
        instance: Uuid,
        epoch: u64,
        continuity: Continuity,
    ) -> Result<Membership, TooManyMembers> {
        let mut scopes = self.scopes();
        let sender = scopes.entry(scope.clone()).or_default();
        let full = {
            let roster = sender.borrow();
            roster.seats.len() >= MOST_MEMBERS && !roster.seats.contains_key(&instance)
        };
        if full {
            return Err(TooManyMembers);
        }
        sender.send_modify(|roster| roster.seat(instance, Seat { epoch, continuity }));
        let roster = sender.subscribe();
        drop(scopes);
        Ok(Membership {
            members: self.clone(),
            scope,
            instance,
            epoch,
            roster,
        })
    }

    /// How many streams have a place.
    pub(crate) fn count(&self) -> usize {
        let scopes = self.scopes();
        scopes
            .values()
            .map(|roster| roster.borrow().seats.len())
            .sum()
    }

    fn scopes(&self) -> MutexGuard<'_, HashMap<Scope, watch::Sender<Roster>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Roster {
    fn seat(&mut self, instance: Uuid, seat: Seat) {
        if self
            .seats
            .get(&instance)
            .is_some_and(|held| held.epoch > seat.epoch)
        {
            return;
        }
        if seat.continuity == Continuity::Restored {
            // What these streams still send may be from before the store was put back.
            self.seats
                .retain(|_, held| held.continuity == Continuity::Restored);
        }
        self.seats.insert(instance, seat);
        self.version += 1;
    }

    fn leave(&mut self, instance: Uuid, epoch: u64) -> bool {
        if self
            .seats
            .get(&instance)
            .is_none_or(|seat| seat.epoch != epoch)
        {
            return false;
        }
        self.seats.remove(&instance);
        self.version += 1;
        self.departures += 1;
        true
    }
}

impl Membership {
    /// Waits until something may have changed.
    pub async fn changed(&mut self) {
        if self.roster.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Where the stream stands now.
    pub fn standing(&mut self) -> Standing {
        let roster = self.roster.borrow_and_update();
        let seat = roster.seats.get(&self.instance);
        if seat.is_none_or(|seat| seat.epoch != self.epoch) {
            return Standing::Fenced;
        }
        Standing::Seated(Gathering {
            instances: roster.seats.keys().copied().collect(),
            version: roster.version,
            departures: roster.departures,
        })
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let mut scopes = self.members.scopes();
        let Some(sender) = scopes.get(&self.scope) else {
            return;
        };
        sender.send_if_modified(|roster| roster.leave(self.instance, self.epoch));
        let empty = sender.borrow().seats.is_empty();
        if empty && sender.receiver_count() <= 1 {
            scopes.remove(&self.scope);
        }
    }
}

#[cfg(test)]
mod tests;
