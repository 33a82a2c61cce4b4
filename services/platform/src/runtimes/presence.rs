//! Tunnel sessions as reported by tunnel servers. The last report of a server expires after 30 seconds; never durable.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use causeway_proto::ids::{AccountId, KeyId, RuntimeId};

/// How long a server's word counts, in milliseconds.
const COUNTS_FOR: i64 = 30_000;

/// Names a runtime.
pub(crate) type RuntimeKey = (AccountId, RuntimeId);

/// One tunnel session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The tunnel server's replica that holds it.
    pub server: String,
    /// The client's instance.
    pub client: String,
    /// Which of the client's sessions it is.
    pub slot: u32,
    /// Rises each time the client redials that slot.
    pub generation: u64,
    /// In milliseconds since 1970.
    pub connected_at: i64,
    /// Where the client comes from.
    pub peer_address: String,
    /// The client's version.
    pub version: String,
}

/// Session that a tunnel server reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportedSession {
    /// Whose it is.
    pub runtime: RuntimeKey,
    /// The runtime's key that let it in, where the server tells.
    pub key: Option<KeyId>,
    /// The session.
    pub session: Session,
}

/// Reported sessions that must end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SessionsToEnd {
    /// Those of runtimes that were put out or never were.
    pub runtimes: Vec<RuntimeKey>,
    /// Those that were let in by keys in whose place there are others.
    pub keys: Vec<KeyId>,
}

/// Time and version of the last contact of a runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LastContact {
    /// In milliseconds since 1970.
    pub at: i64,
    /// Empty if it did not tell.
    pub version: String,
}

#[derive(Debug)]
struct Report {
    at: i64,
    sessions: HashMap<RuntimeKey, Vec<Session>>,
}

#[derive(Debug, Default)]
struct State {
    reports: HashMap<String, Report>,
    seen: HashMap<RuntimeKey, LastContact>,
}

/// The sessions of all servers.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<State>);

impl Sessions {
    /// Takes a server's whole set in the place of its former one.
    pub(crate) fn report(&self, server: String, sessions: Vec<(RuntimeKey, Session)>, now: i64) {
        let mut state = self.lock();
        let mut held: HashMap<RuntimeKey, Vec<Session>> = HashMap::new();
        for (runtime, session) in sessions {
            state.see(&runtime, &session.version, now);
            held.entry(runtime).or_default().push(session);
        }
        state.reports.retain(|_, report| counts(report.at, now));
        let report = Report {
            at: now,
            sessions: held,
        };
        state.reports.insert(server, report);
    }

    /// Notes that a runtime was heard of by another way than its sessions.
    pub(crate) fn record_heartbeat(&self, runtime: &RuntimeKey, version: &str, now: i64) {
        self.lock().see(runtime, version, now);
    }

    /// The sessions of a runtime, the newest first.
    pub(crate) fn of(&self, runtime: &RuntimeKey, now: i64) -> Vec<Session> {
        let state = self.lock();
        let reports = state
            .reports
            .values()
            .filter(|report| counts(report.at, now));
        let held = reports.filter_map(|report| report.sessions.get(runtime));
        let mut sessions: Vec<Session> = held.flatten().cloned().collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.connected_at));
        sessions
    }

    /// When a runtime was last heard of, since this process began.
    pub(crate) fn seen(&self, runtime: &RuntimeKey) -> Option<LastContact> {
        self.lock().seen.get(runtime).cloned()
    }

    /// All that was heard of since a time.
    pub(crate) fn seen_since(&self, since: i64) -> Vec<(RuntimeKey, LastContact)> {
        let state = self.lock();
        let fresh = state.seen.iter().filter(|(_, seen)| seen.at >= since);
        fresh
            .map(|(runtime, seen)| (runtime.clone(), seen.clone()))
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn see(&mut self, runtime: &RuntimeKey, version: &str, now: i64) {
        let seen = self
            .seen
            .entry(runtime.clone())
            .or_insert_with(|| LastContact {
                at: now,
                version: String::new(),
            });
        seen.at = seen.at.max(now);
        if !version.is_empty() {
            version.clone_into(&mut seen.version);
        }
    }
}

fn counts(at: i64, now: i64) -> bool {
    now.saturating_sub(at) < COUNTS_FOR
}

#[cfg(test)]
mod tests;
