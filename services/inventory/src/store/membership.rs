//! Store of reporter memberships, shared by all replicas. The rules are in `members/roster.rs`; the clock is the store's.

use std::time::Duration;

use causeway_database::Listener;
use causeway_proto::ids::AccountId;
use futures::future::BoxFuture;

use super::StoreError;
use crate::{
    application::Scope,
    report::membership::{Joined, Joining, Leaving, Roster, TooManyMembers},
    reporters::GroupPlace,
};

/// Result of a heartbeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeartbeatOutcome {
    /// Time of the heartbeat by the clock of the store.
    pub now: i64,
    /// Memberships that lost a reporter.
    pub lost: Vec<(Scope, Roster)>,
}

/// Memberships of all scopes.
pub trait MembershipStore: Send + Sync {
    /// Interval between two heartbeats of a replica.
    fn interval(&self) -> Duration;

    /// Adds a stream to its membership and assigns an epoch.
    fn join<'a>(
        &'a self,
        joining: &'a Joining,
    ) -> BoxFuture<'a, Result<Result<Joined, TooManyMembers>, StoreError>>;

    /// Removes ended streams; returns the memberships that changed.
    fn leave<'a>(
        &'a self,
        leaving: &'a [Leaving],
    ) -> BoxFuture<'a, Result<Vec<(Scope, Roster)>, StoreError>>;

    /// Extends the leases of the live streams, by their numbers, and removes expired ones. `last` is the time of this replica's
    /// previous heartbeat.
    fn heartbeat<'a>(
        &'a self,
        live_streams: &'a [u64],
        last: Option<i64>,
    ) -> BoxFuture<'a, Result<HeartbeatOutcome, StoreError>>;

    /// Memberships that changed after the change with this number.
    fn changed_since(&self, since: u64) -> BoxFuture<'_, Result<Vec<(Scope, Roster)>, StoreError>>;

    /// Page of a runtime's memberships, ordered by kind and cluster. If several runtimes had this name, only the one that reported
    /// last counts.
    fn list_by_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        runtime_name: &'a str,
        asked: (Option<&'a GroupPlace>, usize),
    ) -> BoxFuture<'a, Result<Vec<(Scope, Roster)>, StoreError>>;

    /// Subscribes to change notifications from other replicas.
    fn listen(&self) -> Listener;
}
