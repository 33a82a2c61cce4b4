//! What several reports ask for, asked for once.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use causeway_database::{Error, query};
use causeway_proto::ids::AccountId;

use super::{
    batch::Batch,
    chunks::chunks,
    current::{self, Heads},
    prepared_write::Task,
};
use crate::{
    application::{Change, Scope},
    digest::Digest,
    order,
};

impl Batch<'_> {
    /// Asks for what some writes will ask for, before the first of them.
    pub(super) async fn look_ahead(&mut self, tasks: &[&Task]) -> Result<(), Error> {
        self.look_for_fences(tasks).await?;
        let first = first_ones(tasks);
        let changes: Vec<&Change> = first.iter().map(|(_, change)| *change).collect();
        self.keep_still_of(&changes).await?;
        let heads = current::heads(self.transaction, &changes).await?;
        let mut named: HashMap<&AccountId, HashSet<Digest>> = HashMap::new();
        for (change, heads) in changes.iter().zip(&heads) {
            let named = named.entry(&change.scope.account).or_default();
            named.extend(heads.fresh(change));
        }
        for (account, digests) in named {
            let digests: Vec<Digest> = digests.into_iter().collect();
            // Those that are there are remembered.
            self.missing(account, &digests).await?;
        }
        let places = first.iter().map(|(place, _)| *place);
        let alone = places.zip(heads);
        // Another one of the name may be changed by a report before.
        let alone = alone.filter(|(_, heads)| heads.namesake.is_none());
        self.ahead = alone.collect();
        Ok(())
    }

    /// What one change meets, after all that was written before it.
    pub(super) async fn heads(&mut self, change: &Change) -> Result<Heads, Error> {
        self.keep_still().await?;
        let heads = current::heads(self.transaction, &[change]).await?;
        Ok(heads.into_iter().next().unwrap_or_default())
    }

    async fn look_for_fences(&mut self, tasks: &[&Task]) -> Result<(), Error> {
        let scopes: HashSet<&Arc<Scope>> = tasks.iter().filter_map(|task| task.scope()).collect();
        let unknown = scopes.into_iter();
        let unknown = unknown.filter(|scope| !self.fences.contains_key(*scope));
        let unknown: Vec<Arc<Scope>> = unknown.cloned().collect();
        for some in chunks(&unknown) {
            let mut query =
                query("WITH wanted (place, account, runtime, kind, cluster) AS (VALUES ");
            let mut separator = "(";
            for (place, scope) in (0_i64..).zip(some) {
                query.push(separator).push_bind(place);
                for text in [
                    scope.account.as_str(),
                    scope.runtime.as_str(),
                    scope.kind.as_str(),
                    scope.cluster.as_str(),
                ] {
                    query.push(", ").push_bind(text);
                }
                query.push(")");
                separator = ", (";
            }
            query.push(
                ") SELECT w.place, e.restored FROM wanted w CROSS JOIN epoch e
                 WHERE e.account = w.account AND e.runtime = w.runtime AND e.kind = w.kind AND e.cluster = w.cluster",
            );
            let rows = query.fetch_all(&mut *self.transaction).await?;
            self.fences
                .extend(some.iter().map(|scope| (scope.clone(), 0)));
            for row in rows {
                let place = usize::try_from(row.try_get::<i64>(0)?).ok();
                if let Some(scope) = place.and_then(|place| some.get(place)) {
                    let restored = row.try_get::<i64>(1)?.cast_unsigned();
                    self.fences.insert(scope.clone(), restored);
                }
            }
        }
        Ok(())
    }

    /// Whether a change is from before its cluster was put back.
    pub(super) fn is_fenced<S>(&self, change: &Change<S>) -> bool {
        let restored = self.fences.get(&change.scope).copied().unwrap_or(0);
        order::is_fenced(change.position, change.continuity, restored)
    }
}

/// The reports, with their places, that are the first ones of their objects and names: what they meet is not changed by those before.
fn first_ones<'a>(tasks: &[&'a Task]) -> Vec<(usize, &'a Change)> {
    let mut uids = HashSet::new();
    let mut names = HashSet::new();
    let mut first = Vec::new();
    for (place, task) in tasks.iter().enumerate() {
        let Task::Report(report) = task else {
            continue;
        };
        let change = &*report.change;
        let uid = uids.insert((&change.scope, &change.uid));
        let name = names.insert((&change.scope, &change.object));
        if uid && name {
            first.push((place, change));
        }
    }
    first
}
