//! The reporters of one scope, on which all replicas agree. A store loads them, changes them by the rules here and keeps them, all
//! in one transaction, so that every store has the same rules. Times are by the store's own clock, in milliseconds since 1970.

use std::{collections::BTreeMap, time::Duration};

use causeway_proto::ids::RuntimeName;
use uuid::Uuid;

use crate::{application::Scope, order::Continuity};

/// How many reporters may share one scope.
pub const MOST_MEMBERS: usize = 128;

/// More reporters than one scope can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are {MOST_MEMBERS} reporters of this kind and cluster already")]
pub struct TooManyMembers;

/// The reporters of one scope.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roster {
    /// The runtime as people call it; empty if none has ever joined.
    pub runtime_name: String,
    /// Rises with each change; no two changes of one store have the same, of whatever scope.
    pub version: u64,
    /// How many reporters have left.
    pub departures: u64,
    /// Those that are there, by instance.
    pub leases: BTreeMap<Uuid, Lease>,
    /// The last one that came or went.
    pub last_move: Option<Move>,
}

/// Lease of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Which stream it is: no other one of the store ever has this number.
    pub number: u64,
    /// The epoch that the stream began with.
    pub epoch: u64,
    /// Whether its resource versions go on from before.
    pub continuity: Continuity,
    /// The replica that has the stream.
    pub replica: Uuid,
    /// The reporter's version.
    pub reporter_version: String,
    /// When it was taken.
    pub since: i64,
    /// When its replica last said that it hears the reporter.
    pub heard_at: i64,
    /// For how long it may be silent, in milliseconds.
    pub patience: i64,
}

/// A stream that wants a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joining {
    /// What it reports.
    pub scope: Scope,
    /// The runtime as people call it.
    pub runtime_name: RuntimeName,
    /// The reporter's replica.
    pub instance: Uuid,
    /// The reporter's version.
    pub reporter_version: String,
    /// Whether its resource versions go on from before.
    pub continuity: Continuity,
    /// The replica that has the stream.
    pub replica: Uuid,
    /// For how long that replica may say nothing of it.
    pub patience: Duration,
}

/// A stream that got its lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// Which stream it is.
    pub number: u64,
    /// Its epoch.
    pub epoch: u64,
    /// Who is there, itself included.
    pub roster: Roster,
}

/// A stream that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaving {
    /// What it reported.
    pub scope: Scope,
    /// The reporter's replica.
    pub instance: Uuid,
    /// Which stream it was.
    pub number: u64,
}

/// A reporter that came or went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Which one.
    pub instance: Uuid,
    /// What it did.
    pub kind: MoveKind,
    /// When.
    pub at: i64,
}

/// What a reporter did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveKind {
    /// It came.
    Joined,
    /// Its stream ended.
    Left,
    /// Nobody said for too long that it is heard.
    Lost,
}

impl MoveKind {
    const ALL: [Self; 3] = [Self::Joined, Self::Left, Self::Lost];

    /// The number that a store keeps for it; 0 stands for no move.
    pub fn code(self) -> i64 {
        self as i64 + 1
    }

    /// What a number stands for that a store kept.
    pub fn from_code(code: i64) -> Option<Self> {
        let place = usize::try_from(code.checked_sub(1)?).ok()?;
        Self::ALL.get(place).copied()
    }
}

impl Roster {
    /// Seats a stream at the moment `now`, under this version and epoch. An earlier stream of the same reporter loses its lease by
    /// that, and no reporter has left.
    pub fn join(
        &mut self,
        joining: &Joining,
        (version, epoch): (u64, u64),
        now: i64,
    ) -> Result<(), TooManyMembers> {
        let instance = joining.instance;
        if self.leases.len() >= MOST_MEMBERS && !self.leases.contains_key(&instance) {
            return Err(TooManyMembers);
        }
        if joining.continuity == Continuity::Restored {
            // What these streams still send may be from before the store was put back.
            self.leases
                .retain(|_, held| held.continuity == Continuity::Restored);
        }
        let lease = Lease {
            number: version,
            epoch,
            continuity: joining.continuity,
            replica: joining.replica,
            reporter_version: joining.reporter_version.clone(),
            since: now,
            heard_at: now,
            patience: i64::try_from(joining.patience.as_millis()).unwrap_or(i64::MAX),
        };
        self.version = version;
        self.runtime_name = joining.runtime_name.as_str().to_owned();
        if self.leases.insert(instance, lease).is_none() {
            self.record_move(instance, MoveKind::Joined, now);
        }
        Ok(())
    }

    /// When the last reporter left, in milliseconds since 1970; 0 if that is unknown. None while there is a reporter: this is the one
    /// definition of a runtime that is not heard.
    pub fn silent_since(&self) -> Option<i64> {
        let left = self.last_move.filter(|last| last.kind != MoveKind::Joined);
        let since = left.map_or(0, |last| last.at);
        self.leases.is_empty().then_some(since)
    }

    /// Takes the lease of a stream that has ended away; nothing where another one has it by now.
    pub fn leave(&mut self, leaving: &Leaving, version: u64, now: i64) -> bool {
        let lease = self.leases.get(&leaving.instance);
        if lease.is_none_or(|lease| lease.number != leaving.number) {
            return false;
        }
        self.remove(leaving.instance, MoveKind::Left, now);
        self.version = version;
        true
    }

    /// Removes the leases without heartbeats.
    pub fn retire(&mut self, version: u64, now: i64) -> bool {
        let late = self.leases.iter().filter(|(_, lease)| lease.is_late(now));
        let late: Vec<Uuid> = late.map(|(instance, _)| *instance).collect();
        for instance in &late {
            self.remove(*instance, MoveKind::Lost, now);
        }
        if late.is_empty() {
            return false;
        }
        self.version = version;
        true
    }

    fn remove(&mut self, instance: Uuid, kind: MoveKind, now: i64) {
        self.leases.remove(&instance);
        self.departures += 1;
        self.record_move(instance, kind, now);
    }

    fn record_move(&mut self, instance: Uuid, kind: MoveKind, at: i64) {
        self.last_move = Some(Move { instance, kind, at });
    }
}

impl Lease {
    /// True when the last heartbeat is too old. A heartbeat in the future is invalid too: the clock was set back.
    pub(crate) fn is_late(&self, now: i64) -> bool {
        now.abs_diff(self.heard_at) > self.patience.unsigned_abs()
    }
}

/// True if a replica that says whom it hears may also say who is late: only where it said so itself shortly before, by the same
/// clock. After an outage of the store, or where its clock jumped, all are late, and each has to have its turn first.
pub fn can_expire_leases(previous: Option<i64>, now: i64, interval: Duration) -> bool {
    let longest = 3 * interval.as_millis();
    previous.is_some_and(|previous| u128::from(now.abs_diff(previous)) <= longest)
}

#[cfg(test)]
mod tests;
