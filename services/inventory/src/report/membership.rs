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

use tokio::{
    sync::{Notify, watch},
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use super::roster::may_judge;
pub use super::roster::{
    Joined, Joining, Leaving, MOST_MEMBERS, Move, MoveKind, Roster, Seat, TooManyMembers,
};

use crate::{
    application::Scope,
    store::{MembershipStore, Store, StoreError},
};

/// The streams of this replica, and the reporters of their scopes.
pub struct Members {
    store: Arc<dyn Store>,
    replica: Uuid,
    here: Mutex<Here>,
    /// There is somebody whose seat is to be given up.
    leaving: Notify,
}

/// What this replica has.
#[derive(Default)]
struct Here {
    scopes: HashMap<Scope, watch::Sender<Roster>>,
    /// By the number of the seat.
    streams: HashMap<u64, Arc<Heard>>,
    leaving: Vec<Leaving>,
    /// The last change of rosters that was read.
    seen: u64,
}

/// A stream's place among the reporters; it ends when this is dropped.
pub struct Membership {
    members: Arc<Members>,
    seat: Leaving,
    epoch: u64,
    heard: Arc<Heard>,
    roster: watch::Receiver<Roster>,
}

/// Whether a stream's reporter is there.
#[derive(Default)]
struct Heard {
    /// It was heard since the last beat.
    said: AtomicBool,
    /// This replica keeps it waiting, and so does not hear it.
    busy: AtomicBool,
}

/// While there is one, this replica keeps the reporter waiting: that it is not heard does not count.
pub struct Busy(Arc<Heard>);

/// Where a stream stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Another stream has taken over, it was not heard of for too long, or the cluster's store was restored since.
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

/// Why a stream has no seat.
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
            here: Mutex::default(),
            leaving: Notify::new(),
        }
    }

    /// Which replica this is.
    pub fn replica(&self) -> Uuid {
        self.replica
    }

    /// Gives a stream its place and its epoch. It may be silent for as long as its reporter may, and for two beats more.
    pub async fn join(self: &Arc<Self>, mut joining: Joining) -> Result<Membership, JoinError> {
        joining.patience += 2 * self.memberships().interval();
        // Before the seat is taken: what others change right after it must not be missed.
        let roster = self.here().scope(&joining.scope);
        let joined = self.memberships().join(&joining).await??;
        let heard = Arc::new(Heard::default());
        heard.say();
        let mut here = self.here();
        here.streams.insert(joined.number, heard.clone());
        here.learn(&joining.scope, joined.roster);
        drop(here);
        Ok(Membership {
            members: self.clone(),
            seat: Leaving {
                scope: joining.scope,
                instance: joining.instance,
                number: joined.number,
            },
            epoch: joined.epoch,
            heard,
            roster,
        })
    }

    /// How many streams have a place here.
    pub(crate) fn count(&self) -> usize {
        self.here().streams.len()
    }

    /// Tells the other replicas who comes and goes here and hears it of them, until `stop` and until all streams have ended
    /// after it.
    pub(crate) async fn keep(self: Arc<Self>, stop: CancellationToken) {
        let mut listener = self.memberships().listen();
        let mut beats = interval(self.memberships().interval());
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last = None;
        while !(stop.is_cancelled() && self.is_deserted()) {
            let done = tokio::select! {
                () = self.leaving.notified() => self.let_go().await,
                () = listener.notified() => self.look().await,
                _ = beats.tick() => self.beat(&mut last).await,
                () = stop.cancelled(), if !stop.is_cancelled() => Ok(()),
            };
            if let Err(error) = done {
                tracing::debug!(%error, "who reports cannot be told now");
            }
        }
    }

    /// Gives up the seats of the streams that have ended.
    async fn let_go(&self) -> Result<(), StoreError> {
        let leaving = mem::take(&mut self.here().leaving);
        match self.memberships().leave(&leaving).await {
            Ok(rosters) => self.learn(rosters),
            Err(error) => {
                // Once more with the next beat; seats that nobody speaks for end by themselves.
                self.here().leaving.extend(leaving);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Says who was heard here since the last time.
    async fn beat(&self, last: &mut Option<i64>) -> Result<(), StoreError> {
        if !self.here().leaving.is_empty() {
            self.let_go().await?;
        }
        let heard = self.here().heard();
        let beaten = self.memberships().heartbeat(&heard, *last).await;
        let beaten = beaten.inspect_err(|_| *last = None)?;
        *last = Some(beaten.now);
        self.learn(beaten.lost);
        self.look().await
    }

    /// Reads what changed.
    async fn look(&self) -> Result<(), StoreError> {
        let seen = self.here().seen;
        let changed = self.memberships().changed_since(seen).await?;
        let newest = changed.iter().map(|(_, roster)| roster.version).max();
        self.here().seen = newest.unwrap_or(seen);
        self.learn(changed);
        Ok(())
    }

    fn learn(&self, rosters: Vec<(Scope, Roster)>) {
        let here = self.here();
        for (scope, roster) in rosters {
            here.learn(&scope, roster);
        }
    }

    fn is_deserted(&self) -> bool {
        let here = self.here();
        here.streams.is_empty() && here.leaving.is_empty()
    }

    fn memberships(&self) -> &dyn MembershipStore {
        self.store.memberships()
    }

    fn here(&self) -> MutexGuard<'_, Here> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Here {
    fn scope(&mut self, scope: &Scope) -> watch::Receiver<Roster> {
        let sender = self.scopes.entry(scope.clone()).or_default();
        sender.subscribe()
    }

    /// Word of a change may come by several ways, and not in order.
    fn learn(&self, scope: &Scope, roster: Roster) {
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
    fn heard(&mut self) -> Vec<u64> {
        self.scopes.retain(|_, sender| sender.receiver_count() > 0);
        let streams = self.streams.iter();
        let heard = streams.filter(|(_, heard)| heard.take());
        heard.map(|(number, _)| *number).collect()
    }
}

impl Heard {
    fn say(&self) {
        self.said.store(true, Ordering::Relaxed);
    }

    /// Whether it was heard since this was asked last.
    fn take(&self) -> bool {
        let said = self.said.swap(false, Ordering::Relaxed);
        said || self.busy.load(Ordering::Relaxed)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        // It could not say anything until now.
        self.0.say();
        self.0.busy.store(false, Ordering::Relaxed);
    }
}

impl Membership {
    /// The epoch that the stream begins with.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The reporter is heard.
    pub fn heard(&self) {
        self.heard.say();
    }

    /// The reporter is kept waiting until this is dropped.
    #[must_use]
    pub fn busy(&self) -> Busy {
        self.heard.busy.store(true, Ordering::Relaxed);
        Busy(self.heard.clone())
    }

    /// Waits until something may have changed.
    pub async fn changed(&mut self) {
        if self.roster.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Where the stream stands now.
    pub fn standing(&mut self) -> Standing {
        let roster = self.roster.borrow_and_update();
        let seat = roster.seats.get(&self.seat.instance);
        if seat.is_none_or(|seat| seat.number != self.seat.number) {
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
        let mut here = self.members.here();
        here.streams.remove(&self.seat.number);
        here.leaving.push(self.seat.clone());
        drop(here);
        self.members.leaving.notify_one();
    }
}

#[cfg(test)]
mod tests;
