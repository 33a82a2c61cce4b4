//! The table itself: counts by address, and idle connections in the order in which they became so.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{ConnectionLimits, Source, known::KnownSources};

/// Addresses that are remembered as authenticated.
const KNOWN: usize = 4096;
/// Share of all places at which operators are warned, and below which they may be warned again, in percent.
const WARN_AT: usize = 80;
const WARN_AGAIN_BELOW: usize = 70;

pub(super) struct State {
    limits: ConnectionLimits,
    /// Number of the next connection, and of the next idle period.
    next: u64,
    connections: HashMap<u64, Connection>,
    groups: HashMap<Source, Group>,
    known: KnownSources,
    /// Idle connections of addresses that have not authenticated, by their idle period.
    idle_unknown: BTreeMap<u64, u64>,
    idle_known: BTreeMap<u64, u64>,
    unknown: usize,
    turned_away: u64,
    is_crowded: bool,
    /// The crossing that has not been logged yet.
    warning: Option<usize>,
}

struct Connection {
    source: Source,
    streams: usize,
    idle: Option<Idle>,
    evicted: CancellationToken,
}

#[derive(Clone, Copy)]
struct Idle {
    period: u64,
    since: Instant,
}

/// Connections of one address.
#[derive(Default)]
struct Group {
    open: usize,
    is_known: bool,
    is_shared: bool,
    /// Idle periods, the oldest first.
    idle: BTreeSet<u64>,
}

impl State {
    pub(super) fn new(limits: ConnectionLimits) -> Self {
        Self {
            limits,
            next: 0,
            connections: HashMap::new(),
            groups: HashMap::new(),
            known: KnownSources::new(KNOWN),
            idle_unknown: BTreeMap::new(),
            idle_known: BTreeMap::new(),
            unknown: 0,
            turned_away: 0,
            is_crowded: false,
            warning: None,
        }
    }

    pub(super) fn open(&self) -> usize {
        self.connections.len()
    }

    pub(super) fn turned_away(&self) -> u64 {
        self.turned_away
    }

    /// Returns the number of connections once after it crossed the threshold.
    pub(super) fn take_warning(&mut self) -> Option<usize> {
        self.warning.take()
    }

    /// Counts a connection and returns its number, if there is room or an idle one can make it.
    pub(super) fn admit(
        &mut self,
        source: Source,
        is_shared: bool,
        evicted: &CancellationToken,
        now: Instant,
    ) -> Option<u64> {
        let group = self.groups.get(&source);
        let is_known =
            is_shared || group.is_some_and(|group| group.is_known) || self.known.contains(source);
        if !self.make_room(source, is_known, is_shared) {
            self.turned_away += 1;
            return None;
        }
        let id = self.number();
        let group = self.groups.entry(source).or_default();
        if group.open == 0 {
            group.is_known = is_known;
            group.is_shared = is_shared;
        }
        group.open += 1;
        self.unknown += usize::from(!group.is_known);
        let connection = Connection {
            source,
            streams: 0,
            idle: None,
            evicted: evicted.clone(),
        };
        self.connections.insert(id, connection);
        self.become_idle(id, now);
        self.check_crowding();
        Some(id)
    }

    /// The first limit that is reached decides which connection makes room.
    fn make_room(&mut self, source: Source, is_known: bool, is_shared: bool) -> bool {
        let limits = self.limits;
        let share = match (is_shared, is_known) {
            (true, _) => limits.total,
            (false, true) => limits.of_known,
            (false, false) => limits.of_unknown,
        };
        let group = self.groups.get(&source);
        if group.is_some_and(|group| group.open >= share) {
            let oldest = group.and_then(|group| group.idle.first().copied());
            return oldest.is_some_and(|period| self.evict(period));
        }
        if !is_known && self.unknown >= limits.of_all_unknown {
            let oldest = self.idle_unknown.keys().next().copied();
            return oldest.is_some_and(|period| self.evict(period));
        }
        if self.open() >= limits.total {
            let unknown = self.idle_unknown.keys().next();
            let oldest = unknown.or_else(|| self.idle_known.keys().next());
            return oldest.copied().is_some_and(|period| self.evict(period));
        }
        true
    }

    /// Closes the connection of an idle period. True if there was one.
    fn evict(&mut self, period: u64) -> bool {
        let unknown = self.idle_unknown.get(&period);
        let id = unknown.or_else(|| self.idle_known.get(&period)).copied();
        let Some(id) = id else { return false };
        if let Some(connection) = self.connections.get(&id) {
            connection.evicted.cancel();
        }
        self.turned_away += 1;
        self.release(id);
        true
    }

    /// Forgets a connection that has ended. One that was evicted is forgotten already.
    pub(super) fn release(&mut self, id: u64) {
        self.become_busy(id);
        let Some(connection) = self.connections.remove(&id) else {
            return;
        };
        if let Some(group) = self.groups.get_mut(&connection.source) {
            group.open -= 1;
            self.unknown -= usize::from(!group.is_known);
            if group.open == 0 {
                self.groups.remove(&connection.source);
            }
        }
        self.check_crowding();
    }

    pub(super) fn begin_stream(&mut self, id: u64) {
        self.become_busy(id);
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.streams += 1;
        }
    }

    pub(super) fn end_stream(&mut self, id: u64, now: Instant) {
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        connection.streams -= 1;
        if connection.streams == 0 {
            self.become_idle(id, now);
        }
    }

    pub(super) fn idle_since(&self, id: u64) -> Option<Instant> {
        Some(self.connections.get(&id)?.idle?.since)
    }

    pub(super) fn is_known(&self, id: u64) -> bool {
        let connection = self.connections.get(&id);
        let group = connection.and_then(|connection| self.groups.get(&connection.source));
        group.is_some_and(|group| group.is_known)
    }

    /// Remembers the address of a connection as authenticated, with all its other connections.
    pub(super) fn know(&mut self, id: u64) {
        let Some(connection) = self.connections.get(&id) else {
            return;
        };
        let Some(group) = self.groups.get_mut(&connection.source) else {
            return;
        };
        if !group.is_shared {
            self.known.insert(connection.source);
        }
        if group.is_known {
            return;
        }
        group.is_known = true;
        self.unknown -= group.open;
        for period in &group.idle {
            if let Some(id) = self.idle_unknown.remove(period) {
                self.idle_known.insert(*period, id);
            }
        }
    }

    fn become_idle(&mut self, id: u64, now: Instant) {
        let period = self.number();
        let Some(connection) = self.connections.get_mut(&id) else {
            return;
        };
        connection.idle = Some(Idle { period, since: now });
        if let Some(group) = self.groups.get_mut(&connection.source) {
            group.idle.insert(period);
            let idle = if group.is_known {
                &mut self.idle_known
            } else {
                &mut self.idle_unknown
            };
            idle.insert(period, id);
        }
    }

    fn become_busy(&mut self, id: u64) {
        let connection = self.connections.get_mut(&id);
        let Some((connection, idle)) =
            connection.and_then(|connection| connection.idle.take().map(|idle| (connection, idle)))
        else {
            return;
        };
        if let Some(group) = self.groups.get_mut(&connection.source) {
            group.idle.remove(&idle.period);
        }
        self.idle_unknown.remove(&idle.period);
        self.idle_known.remove(&idle.period);
    }

    fn check_crowding(&mut self) {
        let share = self.open() * 100 / self.limits.total.max(1);
        if !self.is_crowded && share >= WARN_AT {
            self.is_crowded = true;
            self.warning = Some(self.open());
        } else if self.is_crowded && share < WARN_AGAIN_BELOW {
            self.is_crowded = false;
            self.warning = None;
        }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}
