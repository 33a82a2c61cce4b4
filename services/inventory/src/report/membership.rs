//! Who reports right now. Owns this replica's view of who has a seat and the fence: of two streams of one reporter only the later
//! one counts, whichever replicas have them. What is true stands in the store; this is what was last read of it, and who of the
//! streams here is heard. Never decides which reporter takes which object: they do, by the same list.

use std::{
    collections::HashMap,
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use causeway_proto::ids::AccountId;
use tokio::{
    sync::{Notify, watch},
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use super::roster::can_expire_leases;
pub use super::roster::{
    Joined, Joining, Lease, Leaving, MOST_MEMBERS, Move, MoveKind, Roster, TooManyMembers,
};

use super::silence::{ScopeNames, Silences};
use crate::{
    application::{Key, Scope},
    store::{MembershipStore, Store, StoreError},
};

/// The streams of this replica, and the reporters of their scopes.
pub struct Members {
    store: Arc<dyn Store>,
    replica: Uuid,
    local: Mutex<LocalStreams>,
    /// Wakes the task that releases leases.
    leaving: Notify,
}

/// What this replica has.
#[derive(Default)]
struct LocalStreams {
    scopes: HashMap<Scope, watch::Sender<Roster>>,
    silences: Silences,
    /// By the number of the lease.
    streams: HashMap<u64, Arc<Liveness>>,
    leaving: Vec<Leaving>,
    /// The last change of rosters that was read.
    seen: u64,
}

/// A stream's place among the reporters; it ends when this is dropped.
pub struct StreamLease {
    members: Arc<Members>,
    lease: Leaving,
    epoch: u64,
    liveness: Arc<Liveness>,
    roster: watch::Receiver<Roster>,
}

/// Whether a stream's reporter is there.
#[derive(Default)]
struct Liveness {
    /// It was heard since the last beat.
    touched: AtomicBool,
    /// This replica keeps it waiting, and so does not hear it.
    paused: AtomicBool,
}

/// While there is one, this replica keeps the reporter waiting: that it is not heard does not count.
pub struct PauseLiveness(Arc<Liveness>);

/// Where a stream stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseState {
    /// Another stream has taken over, it was not heard of for too long, or the cluster's store was restored since.
    Fenced,
    /// It counts.
    Held(Membership),
}

/// Who is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The reporters, sorted.
    pub instances: Vec<Uuid>,
    /// Rises with each change.
    pub version: u64,
    /// How many reporters have left.
    pub departures: u64,
}

/// Why a stream has no lease.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// Too many reporters.
    #[error(transparent)]
    TooMany(#[from] TooManyMembers),
    /// The store does not work.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Members {
    /// Nobody yet. `replica` tells this one from others on the same store.
    pub fn new(store: Arc<dyn Store>, replica: Uuid) -> Self {
        Self {
            store,
            replica,
            local: Mutex::default(),
            leaving: Notify::new(),
        }
    }

    /// Which replica this is.
    pub fn replica(&self) -> Uuid {
        self.replica
    }

    /// Gives a stream its place and its epoch. It may be silent for as long as its reporter may, and for two beats more.
    pub async fn join(self: &Arc<Self>, mut joining: Joining) -> Result<StreamLease, JoinError> {
        joining.patience += 2 * self.memberships().interval();
        // Before the seat is taken: what others change right after it must not be missed.
        let roster = self.local().scope(&joining.scope);
        let joined = self.memberships().join(&joining).await??;
        let liveness = Arc::new(Liveness::default());
        liveness.touch();
        let mut local = self.local();
        local.streams.insert(joined.number, liveness.clone());
        local.update(&joining.scope, joined.roster);
        drop(local);
        Ok(StreamLease {
            members: self.clone(),
            lease: Leaving {
                scope: joining.scope,
                instance: joining.instance,
                number: joined.number,
            },
            epoch: joined.epoch,
            liveness,
            roster,
        })
    }

    /// Number of streams with a lease on this replica.
    pub(crate) fn count(&self) -> usize {
        self.local().streams.len()
    }

    /// Time of the last report from this application's scope, in milliseconds since 1970; none while it reports.
    pub(crate) fn silent_since(&self, account: &AccountId, key: &Key) -> Option<i64> {
        let scope = (key.runtime.as_str(), key.cluster.as_str());
        self.local().silences.since(account, scope)
    }

    /// The scopes of an account whose applications are reported now.
    pub(crate) fn reporting(&self, account: &AccountId) -> ScopeNames {
        self.local().silences.reporting(account)
    }

    /// All scopes of an account whose applications were ever reported.
    pub(crate) fn scopes(&self, account: &AccountId) -> ScopeNames {
        self.local().silences.all(account)
    }

    /// Changes when a scope falls silent or is heard again.
    pub(crate) fn silence_changes(&self) -> watch::Receiver<u64> {
        self.local().silences.changes()
    }

    /// Tells the other replicas who comes and goes here and hears it of them, until `stop` and until all streams have ended
    /// after it.
    pub(crate) async fn keep(self: Arc<Self>, stop: CancellationToken) {
        let mut listener = self.memberships().listen();
        let mut beats = interval(self.memberships().interval());
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last = None;
        while !(stop.is_cancelled() && self.is_idle()) {
            let done = tokio::select! {
                () = self.leaving.notified() => self.release_leases().await,
                () = listener.notified() => self.read_changes().await,
                _ = beats.tick() => self.heartbeat(&mut last).await,
                () = stop.cancelled(), if !stop.is_cancelled() => Ok(()),
            };
            if let Err(error) = done {
                tracing::debug!(%error, "who reports cannot be told now");
            }
        }
    }

    /// Gives up the seats of the streams that have ended.
    async fn release_leases(&self) -> Result<(), StoreError> {
        let leaving = mem::take(&mut self.local().leaving);
        match self.memberships().leave(&leaving).await {
            Ok(rosters) => self.update(rosters),
            Err(error) => {
                // Retried with the next heartbeat; leases without heartbeats expire anyway.
                self.local().leaving.extend(leaving);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Says who was heard here since the last time.
    async fn heartbeat(&self, last: &mut Option<i64>) -> Result<(), StoreError> {
        if !self.local().leaving.is_empty() {
            self.release_leases().await?;
        }
        let heard = self.local().take_live();
        let beaten = self.memberships().heartbeat(&heard, *last).await;
        let beaten = beaten.inspect_err(|_| *last = None)?;
        *last = Some(beaten.now);
        self.update(beaten.lost);
        self.read_changes().await
    }

    /// Reads what changed.
    async fn read_changes(&self) -> Result<(), StoreError> {
        let seen = self.local().seen;
        let changed = self.memberships().changed_since(seen).await?;
        let newest = changed.iter().map(|(_, roster)| roster.version).max();
        self.local().seen = newest.unwrap_or(seen);
        self.update(changed);
        Ok(())
    }

    fn update(&self, rosters: Vec<(Scope, Roster)>) {
        let mut local = self.local();
        for (scope, roster) in rosters {
            local.update(&scope, roster);
        }
    }

    fn is_idle(&self) -> bool {
        let local = self.local();
        local.streams.is_empty() && local.leaving.is_empty()
    }

    fn memberships(&self) -> &dyn MembershipStore {
        self.store.memberships()
    }

    fn local(&self) -> MutexGuard<'_, LocalStreams> {
        self.local.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LocalStreams {
    fn scope(&mut self, scope: &Scope) -> watch::Receiver<Roster> {
        let sender = self.scopes.entry(scope.clone()).or_default();
        sender.subscribe()
    }

    /// Word of a change may come by several ways, and not in order.
    fn update(&mut self, scope: &Scope, roster: Roster) {
        self.silences.update(scope, &roster);
        let Some(sender) = self.scopes.get(scope) else {
            return;
        };
        sender.send_if_modified(|known| {
            let newer = roster.version > known.version;
            if newer {
                *known = roster;
            }
            newer
        });
    }

    /// Who was heard since the last time that this was asked.
    fn take_live(&mut self) -> Vec<u64> {
        self.scopes.retain(|_, sender| sender.receiver_count() > 0);
        let streams = self.streams.iter();
        let heard = streams.filter(|(_, liveness)| liveness.take());
        heard.map(|(number, _)| *number).collect()
    }
}

impl Liveness {
    fn touch(&self) {
        self.touched.store(true, Ordering::Relaxed);
    }

    /// True if it was heard since this was asked last.
    fn take(&self) -> bool {
        let touched = self.touched.swap(false, Ordering::Relaxed);
        touched || self.paused.load(Ordering::Relaxed)
    }
}

impl Drop for PauseLiveness {
    fn drop(&mut self) {
        // It could not say anything until now.
        self.0.touch();
        self.0.paused.store(false, Ordering::Relaxed);
    }
}

impl StreamLease {
    /// The epoch that the stream begins with.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The reporter is heard.
    pub fn touch(&self) {
        self.liveness.touch();
    }

    /// The reporter is kept waiting until this is dropped.
    #[must_use]
    pub fn pause_liveness(&self) -> PauseLiveness {
        self.liveness.paused.store(true, Ordering::Relaxed);
        PauseLiveness(self.liveness.clone())
    }

    /// Waits until something may have changed.
    pub async fn changed(&mut self) {
        if self.roster.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Where the stream stands now.
    pub fn lease_state(&mut self) -> LeaseState {
        let roster = self.roster.borrow_and_update();
        let lease = roster.leases.get(&self.lease.instance);
        if lease.is_none_or(|lease| lease.number != self.lease.number) {
            return LeaseState::Fenced;
        }
        LeaseState::Held(Membership {
            instances: roster.leases.keys().copied().collect(),
            version: roster.version,
            departures: roster.departures,
        })
    }
}

impl Drop for StreamLease {
    fn drop(&mut self) {
        let mut local = self.members.local();
        local.streams.remove(&self.lease.number);
        local.leaving.push(self.lease.clone());
        drop(local);
        self.members.leaving.notify_one();
    }
}

#[cfg(test)]
mod tests;
