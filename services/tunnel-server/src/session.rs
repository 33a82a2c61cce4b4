//! The table of sessions: who may sit where, who takes over from whom, who gets the next call.
//!
//! Pure values. A session's link to its wire is opaque here. The invariant: at most one choosable
//! session per seat, and it is the one of the highest generation seen there.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use causeway_proto::ids::{AccountId, RuntimeId};

/// Sessions of one runtime, those that are being retired included. Two per client, and clients
/// overlap while one replaces the other.
const SESSIONS_PER_RUNTIME: usize = 32;

/// Calls on a session that make no difference to whether it gets the next one.
const LOAD_STEP: u32 = 64;

/// A runtime and whose it is. Only ever made from a verified credential.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct RuntimeAddress {
    pub(crate) account: AccountId,
    pub(crate) runtime: RuntimeId,
}

impl fmt::Display for RuntimeAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.account, self.runtime)
    }
}

/// One run of a tunnel client: 1 to 63 of `a-z`, `0-9` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ClientInstance(String);

/// Which of its two sessions a client opens: 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Slot(u8);

/// Rises with every dial of a client for the same slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Generation(pub(crate) u64);

/// What a dialling client says of itself is malformed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct SeatError(&'static str);

impl FromStr for ClientInstance {
    type Err = SeatError;

    fn from_str(text: &str) -> Result<Self, SeatError> {
        let grammar = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if (1..=63).contains(&text.len()) && text.bytes().all(grammar) {
            return Ok(Self(text.to_owned()));
        }
        Err(SeatError(
            "the client instance must be 1 to 63 of a-z, 0-9 and '-'",
        ))
    }
}

impl fmt::Display for ClientInstance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for Slot {
    type Err = SeatError;

    fn from_str(text: &str) -> Result<Self, SeatError> {
        match text {
            "0" => Ok(Self(0)),
            "1" => Ok(Self(1)),
            _ => Err(SeatError("the slot must be 0 or 1")),
        }
    }
}

impl From<Slot> for u32 {
    fn from(slot: Slot) -> Self {
        slot.0.into()
    }
}

impl FromStr for Generation {
    type Err = SeatError;

    fn from_str(text: &str) -> Result<Self, SeatError> {
        let number = text
            .parse()
            .map_err(|_invalid| SeatError("the generation must be a number"))?;
        Ok(Self(number))
    }
}

/// Where a session sits: a generation fences only within the same seat.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Seat {
    pub(crate) address: RuntimeAddress,
    pub(crate) client: ClientInstance,
    pub(crate) slot: Slot,
}

/// Names one session for as long as the process lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SessionId(u64);

/// Whether a session may be given calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Open,
    /// Finishes what it has, gets nothing new.
    Retired,
}

/// One session. `L` is its link to the wire.
#[derive(Debug, Clone)]
pub(crate) struct Session<L> {
    pub(crate) id: SessionId,
    pub(crate) seat: Seat,
    pub(crate) generation: Generation,
    pub(crate) standing: Standing,
    pub(crate) link: L,
}

/// Why a session is not admitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AdmitError {
    #[error("generation {} of this client and slot is connected already", .current.0)]
    Stale { current: Generation },
    #[error("the runtime holds {SESSIONS_PER_RUNTIME} sessions already")]
    Full,
}

/// An admitted session, and the one that it took the seat of.
#[derive(Debug)]
pub(crate) struct Admitted<L> {
    pub(crate) id: SessionId,
    pub(crate) superseded: Option<Session<L>>,
}

/// All sessions of this replica.
#[derive(Debug)]
pub(crate) struct Sessions<L> {
    by_runtime: HashMap<RuntimeAddress, Vec<Session<L>>>,
    next: u64,
}

impl<L> Default for Sessions<L> {
    fn default() -> Self {
        Self {
            by_runtime: HashMap::new(),
            next: 0,
        }
    }
}

impl<L: Clone> Sessions<L> {
    /// Whether [`admit`](Self::admit) would succeed now; asked before the upgrade is granted.
    pub(crate) fn check(&self, seat: &Seat, generation: Generation) -> Result<(), AdmitError> {
        let sessions = self.of(&seat.address);
        let holder = sessions
            .iter()
            .filter(|session| session.seat == *seat)
            .map(|session| session.generation)
            .max();
        if let Some(current) = holder.filter(|current| *current >= generation) {
            return Err(AdmitError::Stale { current });
        }
        if sessions.len() >= SESSIONS_PER_RUNTIME {
            return Err(AdmitError::Full);
        }
        Ok(())
    }

    /// Seats a session. The one that sat there before is retired at once, whatever it is doing.
    pub(crate) fn admit(
        &mut self,
        seat: Seat,
        generation: Generation,
        link: L,
    ) -> Result<Admitted<L>, AdmitError> {
        self.check(&seat, generation)?;
        let id = SessionId(self.next);
        self.next += 1;
        let sessions = self.by_runtime.entry(seat.address.clone()).or_default();
        let holder = sessions
            .iter_mut()
            .find(|session| session.seat == seat && session.standing == Standing::Open);
        let superseded = holder.map(|session| {
            session.standing = Standing::Retired;
            session.clone()
        });
        sessions.push(Session {
            id,
            seat,
            generation,
            standing: Standing::Open,
            link,
        });
        Ok(Admitted { id, superseded })
    }

    /// Takes a session away from new calls; it stays listed until it has left.
    pub(crate) fn retire(&mut self, address: &RuntimeAddress, id: SessionId) {
        let sessions = self.by_runtime.get_mut(address);
        if let Some(session) =
            sessions.and_then(|sessions| sessions.iter_mut().find(|session| session.id == id))
        {
            session.standing = Standing::Retired;
        }
    }

    /// Forgets a session that has ended.
    pub(crate) fn leave(&mut self, address: &RuntimeAddress, id: SessionId) {
        if let Some(sessions) = self.by_runtime.get_mut(address) {
            sessions.retain(|session| session.id != id);
            if sessions.is_empty() {
                self.by_runtime.remove(address);
            }
        }
    }

    /// The session for the next call of exactly this runtime: the least loaded open one, the
    /// newest among equals. `load` counts the calls under way on a link, nothing where it has
    /// ended. Loads are compared in steps: calls that travel together share system calls, so a
    /// second session is used only when there is something to share.
    pub(crate) fn choose(
        &self,
        address: &RuntimeAddress,
        load: impl Fn(&L) -> Option<u32>,
    ) -> Option<&Session<L>> {
        let open = self
            .of(address)
            .iter()
            .filter(|session| session.standing == Standing::Open);
        let loaded = open.filter_map(|session| Some((load(&session.link)?, session)));
        loaded
            .min_by_key(|(load, session)| (load / LOAD_STEP, std::cmp::Reverse(session.id)))
            .map(|(_load, session)| session)
    }

    /// Every session of a runtime, retired ones too.
    pub(crate) fn of(&self, address: &RuntimeAddress) -> &[Session<L>] {
        self.by_runtime.get(address).map_or(&[], Vec::as_slice)
    }

    /// Every session.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Session<L>> {
        self.by_runtime.values().flatten()
    }
}

#[cfg(test)]
mod tests;
