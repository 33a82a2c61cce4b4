//! Reads ahead what a chunk of reports needs, one statement for all of them.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use causeway_database::{Error, query};
use causeway_proto::ids::AccountId;

use super::{
    batch::Batch,
    chunks::chunks,
    current::{self, Current},
    prepared_write::PreparedWrite,
};
use crate::{
    application::{Change, Scope},
    digest::Digest,
    order,
};

impl Batch<'_> {
    /// Reads fences, current rows and manifests of the writes, before the first one is applied.
    pub(super) async fn prefetch(&mut self, writes: &[&PreparedWrite]) -> Result<(), Error> {
        self.prefetch_fences(writes).await?;
        let first = first_reports(writes);
        let changes: Vec<&Change> = first.iter().map(|(_, change)| *change).collect();
        self.flush_state_updates_of(&changes).await?;
        let current = current::load(self.transaction, &changes).await?;
        let mut referenced: HashMap<&AccountId, HashSet<Digest>> = HashMap::new();
        for (change, current) in changes.iter().zip(&current) {
            let referenced = referenced.entry(&change.scope.account).or_default();
            referenced.extend(current.new_manifests(change));
        }
        for (account, digests) in referenced {
            let digests: Vec<Digest> = digests.into_iter().collect();
            // Only to fill the cache.
            self.missing_manifests(account, &digests).await?;
        }
        let places = first.iter().map(|(place, _)| *place);
        let unaffected = places.zip(current);
        // An earlier report of the chunk may change the namesake, so its row is read later.
        let unaffected = unaffected.filter(|(_, current)| current.namesake.is_none());
        self.prefetched = unaffected.collect();
        Ok(())
    }

    /// Reads the current rows of one report, after the writes before it.
    pub(super) async fn load_current(&mut self, change: &Change) -> Result<Current, Error> {
        self.flush_state_updates().await?;
        let current = current::load(self.transaction, &[change]).await?;
        Ok(current.into_iter().next().unwrap_or_default())
    }

    async fn prefetch_fences(&mut self, writes: &[&PreparedWrite]) -> Result<(), Error> {
        let scopes: HashSet<&Arc<Scope>> =
            writes.iter().filter_map(|write| write.scope()).collect();
        let unknown = scopes.into_iter();
        let unknown = unknown.filter(|scope| !self.fences.contains_key(*scope));
        let unknown: Vec<Arc<Scope>> = unknown.cloned().collect();
        for chunk in chunks(&unknown) {
            let mut query =
                query("WITH wanted (place, account, runtime, kind, cluster) AS (VALUES ");
            let mut separator = "(";
            for (place, scope) in (0_i64..).zip(chunk) {
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
                .extend(chunk.iter().map(|scope| (scope.clone(), 0)));
            for row in rows {
                let place = usize::try_from(row.try_get::<i64>(0)?).ok();
                if let Some(scope) = place.and_then(|place| chunk.get(place)) {
                    let restored = row.try_get::<i64>(1)?.cast_unsigned();
                    self.fences.insert(scope.clone(), restored);
                }
            }
        }
        Ok(())
    }

    /// True if a change is older than the restore of its cluster.
    pub(super) fn is_fenced<S>(&self, change: &Change<S>) -> bool {
        let restored = self.fences.get(&change.scope).copied().unwrap_or(0);
        order::is_fenced(change.position, change.continuity, restored)
    }
}

/// Reports, with their indexes, that are the first of the chunk for both their uid and their name: no earlier write of the chunk
/// changes their rows.
fn first_reports<'a>(writes: &[&'a PreparedWrite]) -> Vec<(usize, &'a Change)> {
    let mut uids = HashSet::new();
    let mut names = HashSet::new();
    let mut first = Vec::new();
    for (place, write) in writes.iter().enumerate() {
        let PreparedWrite::Report(report) = write else {
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
