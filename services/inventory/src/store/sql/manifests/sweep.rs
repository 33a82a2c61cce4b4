//! Finds unreferenced manifests beside the writer task: a mark phase, and a sweep phase after the retention.

use std::{
    collections::HashSet,
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::{Duration, SystemTime},
};

use causeway_database::{Database, Error, Row, query};
use causeway_proto::time::to_millis;
use tokio::sync::Mutex;

use crate::store::{
    Garbage,
    sql::{batch::NOTHING, read::rows_up_to},
};

const MAX_SCANNED: usize = 5_000;
/// Manifests per batch.
const MAX_FOUND: usize = if cfg!(test) { 3 } else { 5_000 };
/// A manifest may be referenced while it is being marked, so recent marks are checked again. Shorter than the time that manifests
/// outlive their last reference.
const RECHECK_AGE: Duration = Duration::from_secs(20 * 3600);

/// Changes of one batch.
#[derive(Debug, Default)]
pub(in crate::store::sql) struct ManifestSweep {
    /// Latest `unused_since` of a manifest to delete.
    pub(super) before: i64,
    pub(super) unused: Vec<i64>,
    /// Manifests to mark, because no live object references them.
    pub(super) unreferenced: Vec<i64>,
    /// Manifests to unmark.
    pub(super) referenced_again: Vec<i64>,
    pub(super) next: Option<Garbage>,
}

/// Manifest references of all live objects, cached for one round over all manifests: to collect them is a full scan. References that
/// appear meanwhile are found when the next round rechecks recent marks, or by the report that brings them.
#[derive(Debug, Default)]
pub(in crate::store::sql) struct ReferenceCache(Mutex<Option<Arc<References>>>);

/// Hashes of the referenced manifests. A collision only keeps a manifest longer.
#[derive(Debug)]
struct References {
    hashes: HashSet<u64>,
    hasher: RandomState,
}

impl ManifestSweep {
    /// Mark phase: manifests after this id that no live object references.
    pub(in crate::store::sql) async fn find_unreferenced(
        database: &Database,
        cache: &ReferenceCache,
        after: i64,
    ) -> Result<Self, Error> {
        if after == 0 {
            cache.clear().await;
        }
        let references = cache.load(database).await?;
        let mut sweep = Self::default();
        if after == 0 {
            sweep.recheck_recent(database, &references).await?;
        }
        let mut last = after;
        while sweep.unreferenced.len() < MAX_FOUND {
            let rows = query(
                "SELECT id, account, digest FROM manifest WHERE unused_since IS NULL AND id > $1 ORDER BY id LIMIT $2",
            )
            .bind(last)
            .bind(rows_up_to(MAX_SCANNED))
            .fetch_all(database)
            .await?;
            for row in &rows {
                last = row.try_get(0)?;
                if !references.contains(row)? {
                    sweep.unreferenced.push(last);
                }
                if sweep.unreferenced.len() == MAX_FOUND {
                    sweep.next = Some(Garbage::UnreferencedManifests(last));
                    return Ok(sweep);
                }
            }
            if rows.len() < MAX_SCANNED {
                break;
            }
        }
        Ok(sweep)
    }

    /// Sweep phase: manifests that have been marked for this long.
    pub(in crate::store::sql) async fn find_unused(
        database: &Database,
        cache: &ReferenceCache,
        age: Duration,
    ) -> Result<Self, Error> {
        let mut sweep = Self {
            before: ago(age),
            ..Self::default()
        };
        let rows = query(
            "SELECT id, account, digest FROM manifest WHERE unused_since <= $1 ORDER BY unused_since LIMIT $2",
        )
        .bind(sweep.before)
        .bind(rows_up_to(MAX_FOUND))
        .fetch_all(database)
        .await?;
        if rows.is_empty() {
            cache.clear().await;
            return Ok(sweep);
        }
        let references = cache.load(database).await?;
        for row in &rows {
            let id = row.try_get(0)?;
            if references.contains(row)? {
                sweep.referenced_again.push(id);
            } else {
                sweep.unused.push(id);
            }
        }
        if rows.len() == MAX_FOUND {
            sweep.next = Some(Garbage::UnusedManifests);
        } else {
            cache.clear().await;
        }
        Ok(sweep)
    }

    async fn recheck_recent(
        &mut self,
        database: &Database,
        references: &References,
    ) -> Result<(), Error> {
        let mut position = (ago(RECHECK_AGE), 0_i64);
        loop {
            let rows = query(
                "SELECT id, account, digest, unused_since FROM manifest
                 WHERE unused_since >= $1 AND (unused_since, id) > ($1, $2)
                 ORDER BY unused_since, id LIMIT $3",
            )
            .bind(position.0)
            .bind(position.1)
            .bind(rows_up_to(MAX_SCANNED))
            .fetch_all(database)
            .await?;
            for row in &rows {
                position = (row.try_get(3)?, row.try_get(0)?);
                if references.contains(row)? {
                    self.referenced_again.push(position.1);
                }
            }
            if rows.len() < MAX_SCANNED {
                return Ok(());
            }
        }
    }
}

impl ReferenceCache {
    async fn load(&self, database: &Database) -> Result<Arc<References>, Error> {
        let mut cached = self.0.lock().await;
        if let Some(references) = &*cached {
            return Ok(references.clone());
        }
        let references = Arc::new(References::read(database).await?);
        *cached = Some(references.clone());
        Ok(references)
    }

    /// Frees the references at the end of a round.
    async fn clear(&self) {
        *self.0.lock().await = None;
    }
}

impl References {
    async fn read(database: &Database) -> Result<Self, Error> {
        let mut references = Self {
            hashes: HashSet::new(),
            hasher: RandomState::new(),
        };
        for objects in [
            "SELECT id, account, manifests FROM application
             WHERE deleted = 0 AND id > $1 AND manifests <> $2 ORDER BY id LIMIT $3",
            "SELECT id, account, manifest FROM resource
             WHERE deleted = 0 AND id > $1 AND manifest <> $2 ORDER BY id LIMIT $3",
        ] {
            let mut last = 0_i64;
            while let Some(next) = references.read_chunk(database, objects, last).await? {
                last = next;
            }
        }
        Ok(references)
    }

    /// Reads the next objects after an id. Returns the last id, if there are more.
    async fn read_chunk(
        &mut self,
        database: &Database,
        objects: &'static str,
        after: i64,
    ) -> Result<Option<i64>, Error> {
        let rows = query(objects)
            .bind(after)
            .bind(NOTHING)
            .bind(rows_up_to(MAX_SCANNED))
            .fetch_all(database)
            .await?;
        for row in &rows {
            let account: &str = row.try_get(1)?;
            let digests = row.try_get::<&[u8]>(2)?.chunks(32);
            let hashes = digests.map(|digest| self.hasher.hash_one((account, digest)));
            self.hashes.extend(hashes);
        }
        let more = rows.last().filter(|_| rows.len() == MAX_SCANNED);
        more.map(|row| row.try_get(0)).transpose()
    }

    /// True if the manifest of a row (id, account, digest) is referenced.
    fn contains(&self, row: &Row) -> Result<bool, Error> {
        let references: (&str, &[u8]) = (row.try_get(1)?, row.try_get(2)?);
        Ok(self.hashes.contains(&self.hasher.hash_one(references)))
    }
}

fn ago(age: Duration) -> i64 {
    let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    to_millis(SystemTime::now()).saturating_sub(age)
}
