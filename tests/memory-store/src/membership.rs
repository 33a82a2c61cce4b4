//! The rosters of the memory store. Replicas that share it hear nothing of each other, so they look.

use std::time::Duration;

use causeway_database::Listener;
use causeway_proto::ids::{AccountId, RuntimeId};
use futures::future::BoxFuture;

use super::{MemoryStore, ready, table::Tables};
use causeway_inventory::{
    application::Scope,
    order::Continuity,
    report::membership::{Joined, Joining, Leaving, Roster, TooManyMembers, can_expire_leases},
    reporters::{GroupPlace, place},
    store::{HeartbeatOutcome, MembershipStore, StoreError},
};

const INTERVAL: Duration = Duration::from_secs(1);

impl MembershipStore for MemoryStore {
    fn interval(&self) -> Duration {
        INTERVAL
    }

    fn join<'a>(
        &'a self,
        joining: &'a Joining,
    ) -> BoxFuture<'a, Result<Result<Joined, TooManyMembers>, StoreError>> {
        let now = self.now();
        ready(self.tables().join(joining, now))
    }

    fn leave<'a>(
        &'a self,
        leaving: &'a [Leaving],
    ) -> BoxFuture<'a, Result<Vec<(Scope, Roster)>, StoreError>> {
        let now = self.now();
        let mut tables = self.tables();
        let changed = leaving.iter().filter_map(|leaving| {
            tables.change(&leaving.scope, |roster, version| {
                roster.leave(leaving, version, now)
            })
        });
        ready(changed.collect())
    }

    fn heartbeat<'a>(
        &'a self,
        live_streams: &'a [u64],
        last: Option<i64>,
    ) -> BoxFuture<'a, Result<HeartbeatOutcome, StoreError>> {
        let now = self.now();
        let mut tables = self.tables();
        let memberships = tables.memberships.values_mut();
        let seats = memberships.flat_map(|(_, roster)| roster.leases.values_mut());
        seats
            .filter(|seat| live_streams.contains(&seat.number))
            .for_each(|seat| seat.heard_at = now);
        if !can_expire_leases(last, now, INTERVAL) {
            let lost = Vec::new();
            return ready(HeartbeatOutcome { now, lost });
        }
        let scopes: Vec<Scope> = tables.memberships.keys().cloned().collect();
        let lost = scopes.iter().filter_map(|scope| {
            tables.change(scope, |roster, version| roster.retire(version, now))
        });
        let lost = lost.collect();
        ready(HeartbeatOutcome { now, lost })
    }

    fn changed_since(&self, since: u64) -> BoxFuture<'_, Result<Vec<(Scope, Roster)>, StoreError>> {
        let tables = self.tables();
        let memberships = tables.memberships.iter();
        let changed = memberships.filter(|(_, (_, roster))| roster.version > since);
        ready(changed.map(cloned_membership).collect())
    }

    fn list_by_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        runtime_name: &'a str,
        (behind, limit): (Option<&'a GroupPlace>, usize),
    ) -> BoxFuture<'a, Result<Vec<(Scope, Roster)>, StoreError>> {
        let tables = self.tables();
        let memberships = tables.memberships.iter();
        let named = memberships
            .filter(|(scope, (name, _))| scope.account == *account && name == runtime_name);
        let mut named: Vec<(Scope, Roster)> = named.map(cloned_membership).collect();
        let last = named.iter().max_by_key(|(_, roster)| roster.version);
        let last: Option<RuntimeId> = last.map(|(scope, _)| scope.runtime.clone());
        named.retain(|(scope, _)| {
            let is_behind = behind.is_none_or(|behind| place(scope) > *behind);
            Some(&scope.runtime) == last.as_ref() && is_behind
        });
        named.sort_by_cached_key(|(scope, _)| place(scope));
        named.truncate(limit);
        ready(named)
    }

    fn listen(&self) -> Listener {
        Listener::disabled()
    }
}

fn cloned_membership((scope, (_, roster)): (&Scope, &(String, Roster))) -> (Scope, Roster) {
    (scope.clone(), roster.clone())
}

impl Tables {
    fn join(&mut self, joining: &Joining, now: i64) -> Result<Joined, TooManyMembers> {
        let version = self.roster_version + 1;
        let epoch = self.epochs.get(&joining.scope).copied().unwrap_or(0) + 1;
        let (_, known) = self.memberships.entry(joining.scope.clone()).or_default();
        known.join(joining, (version, epoch), now)?;
        let roster = known.clone();
        self.memberships.insert(
            joining.scope.clone(),
            (joining.runtime_name.to_string(), roster.clone()),
        );
        self.roster_version = version;
        self.epochs.insert(joining.scope.clone(), epoch);
        if joining.continuity == Continuity::Restored {
            self.restored.insert(joining.scope.clone(), epoch);
        }
        Ok(Joined {
            number: version,
            epoch,
            roster,
        })
    }

    fn change(
        &mut self,
        scope: &Scope,
        change: impl FnOnce(&mut Roster, u64) -> bool,
    ) -> Option<(Scope, Roster)> {
        let version = self.roster_version + 1;
        let (_, roster) = self.memberships.get_mut(scope)?;
        if !change(roster, version) {
            return None;
        }
        self.roster_version = version;
        Some((scope.clone(), roster.clone()))
    }
}
