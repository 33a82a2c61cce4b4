//! Who reports, on what all replicas on a store agree. The rules are in `members/roster.rs`; the clock is the store's.

use std::time::Duration;

use causeway_database::Listener;
use causeway_proto::ids::AccountId;
use futures::future::BoxFuture;

use super::StoreError;
use crate::{
    application::Scope,
    members::{Joined, Joining, Leaving, Roster, TooManyMembers},
    reporters::GroupPlace,
};

/// What became of a beat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beaten {
    /// When it was, by the clock of the store.
    pub now: i64,
    /// The rosters that lost somebody by it.
    pub lost: Vec<(Scope, Roster)>,
}

/// The rosters of all scopes.
pub trait Rosters: Send + Sync {
    /// How often each replica says whom it hears.
    fn interval(&self) -> Duration;

    /// Gives a stream a seat, and an epoch with it.
    fn join<'a>(
        &'a self,
        joining: &'a Joining,
    ) -> BoxFuture<'a, Result<Result<Joined, TooManyMembers>, StoreError>>;

    /// Takes the seats of streams that have ended away; gives the rosters that changed.
    fn leave<'a>(
        &'a self,
        leaving: &'a [Leaving],
    ) -> BoxFuture<'a, Result<Vec<(Scope, Roster)>, StoreError>>;

    /// Says which streams are heard, by the numbers of their seats, and takes those away that nobody hears any more. `last` is
    /// when this replica did so before.
    fn beat<'a>(
        &'a self,
        heard: &'a [u64],
        last: Option<i64>,
    ) -> BoxFuture<'a, Result<Beaten, StoreError>>;

    /// The rosters that changed after the change of this number.
    fn changed(&self, since: u64) -> BoxFuture<'_, Result<Vec<(Scope, Roster)>, StoreError>>;

    /// The rosters of a runtime by its name, behind a place, by kind and cluster, at most so many. Of several runtimes that had one name, only the one that
    /// reported last counts.
    fn of_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        runtime_name: &'a str,
        asked: (Option<&'a GroupPlace>, usize),
    ) -> BoxFuture<'a, Result<Vec<(Scope, Roster)>, StoreError>>;

    /// Hears when it is worth while to look.
    fn listen(&self) -> Listener;
}
