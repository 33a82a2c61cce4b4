//! Manifests: existence checks, inserts and garbage collection.

mod sweep;

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use causeway_database::{Error, query};
use causeway_proto::ids::{AccountId, RuntimeId};
use futures::{FutureExt as _, future::BoxFuture};

pub(super) use sweep::{ManifestSweep, ReferenceCache};

use super::{
    SqlStore,
    batch::Batch,
    chunks::{chunks, padded},
    read::decompress,
};
use crate::{
    digest::Digest,
    store::{ManifestReads, Outcome, StoreError},
};

const MAX_KNOWN_MANIFESTS: usize = if cfg!(test) { 100 } else { 200_000 };
pub(super) const MAX_VALUES: usize = 500;

/// Manifests known to be stored and in use, by account.
#[derive(Default)]
pub(super) struct KnownManifests(HashMap<AccountId, HashSet<Digest>>);

/// Manifest to insert.
#[derive(Debug, Clone)]
pub(super) struct NewManifest {
    pub(super) account: AccountId,
    /// The runtime that sent it.
    pub(super) runtime: RuntimeId,
    pub(super) digest: Digest,
    /// Compressed content.
    pub(super) packed: Bytes,
}

impl NewManifest {
    fn key(&self) -> (&AccountId, &[u8; 32]) {
        (&self.account, self.digest.as_bytes())
    }
}

impl KnownManifests {
    fn contains(&self, account: &AccountId, digest: &Digest) -> bool {
        let known = self.0.get(account);
        known.is_some_and(|known| known.contains(digest))
    }

    fn insert(&mut self, account: &AccountId, digests: impl Iterator<Item = Digest>) {
        let known = self.0.entry(account.clone()).or_default();
        if known.len() > MAX_KNOWN_MANIFESTS {
            known.clear();
        }
        known.extend(digests);
    }
}

impl Batch<'_> {
    /// Returns those digests that are not stored. The stored ones count as used from now on: a history entry keeps its reference even
    /// if the next report drops it before the next sweep.
    pub(super) async fn missing_manifests(
        &mut self,
        account: &AccountId,
        digests: &[Digest],
    ) -> Result<Vec<Digest>, Error> {
        let known = self.cache.manifests.0.entry(account.clone()).or_default();
        let mut unknown: Vec<Digest> = digests
            .iter()
            .filter(|digest| !known.contains(*digest))
            .copied()
            .collect();
        if unknown.is_empty() {
            return Ok(unknown);
        }
        self.flush_manifests().await?;
        // Collected here, since the cache may be cleared by a later chunk.
        let mut found = HashSet::new();
        for chunk in padded(&unknown) {
            let mut query = query(
                "SELECT digest, id, unused_since FROM manifest WHERE account = $1 AND digest IN ",
            );
            query = query.bind(account.as_str());
            query.push_list(chunk.iter().map(|digest| &digest.as_bytes()[..]));
            let rows = query.fetch_all(&mut *self.transaction).await?;
            let mut referenced_again = Vec::new();
            for row in &rows {
                if row.try_get::<Option<i64>>(2)?.is_some() {
                    referenced_again.push(row.try_get(1)?);
                }
            }
            self.set_unused_since(&referenced_again, None).await?;
            let digests = rows.iter().filter_map(|row| row.try_get::<&[u8]>(0).ok());
            found.extend(digests.filter_map(|digest| Digest::try_from(digest).ok()));
        }
        unknown.retain(|digest| !found.contains(digest));
        self.cache.manifests.insert(account, found.into_iter());
        Ok(unknown)
    }

    /// Queues a manifest for the end of the batch.
    pub(super) fn defer_manifest(&mut self, manifest: &NewManifest) -> Outcome {
        let known = &mut self.cache.manifests;
        if !known.contains(&manifest.account, &manifest.digest) {
            known.insert(&manifest.account, [manifest.digest].into_iter());
            self.manifests.push(manifest.clone());
        }
        Outcome::Stored
    }

    /// Inserts the queued manifests. Sorted, so that two replicas lock rows in the same order.
    pub(super) async fn flush_manifests(&mut self) -> Result<(), Error> {
        let mut manifests = std::mem::take(&mut self.manifests);
        manifests.sort_unstable_by(|one, other| one.key().cmp(&other.key()));
        manifests.dedup_by(|one, other| one.key() == other.key());
        for chunk in chunks(&manifests) {
            let mut query = query(
                "INSERT INTO manifest (account, runtime, digest, stored_at, content) VALUES ",
            );
            let mut separator = "(";
            for manifest in chunk {
                query.push(separator).push_bind(manifest.account.as_str());
                query.push(", ").push_bind(manifest.runtime.as_str());
                query.push(", ").push_bind(&manifest.digest.as_bytes()[..]);
                query.push(", ").push_bind(self.now);
                query.push(", ").push_bind(&manifest.packed[..]).push(")");
                separator = ", (";
            }
            query.push(
                " ON CONFLICT (account, digest) DO UPDATE SET unused_since = NULL WHERE manifest.unused_since IS NOT NULL",
            );
            query.execute(self.transaction).await?;
        }
        Ok(())
    }

    /// Applies a sweep.
    pub(super) async fn apply_sweep(&mut self, sweep: &ManifestSweep) -> Result<Outcome, Error> {
        self.set_unused_since(&sweep.unreferenced, Some(self.now))
            .await?;
        self.set_unused_since(&sweep.referenced_again, None).await?;
        let count = self.delete_manifests(sweep).await?;
        if !sweep.unreferenced.is_empty() || count > 0 {
            // The cache holds manifests that are stored and in use.
            self.cache.manifests.0.clear();
        }
        let next = sweep.next;
        Ok(Outcome::Collected { count, next })
    }

    async fn set_unused_since(
        &mut self,
        manifests: &[i64],
        unused_since: Option<i64>,
    ) -> Result<(), Error> {
        for chunk in manifests.chunks(MAX_VALUES) {
            let mut query = query("UPDATE manifest SET unused_since = $1 WHERE id IN ");
            query = query.bind(unused_since);
            query.push_list(chunk.iter().copied());
            query.execute(self.transaction).await?;
        }
        Ok(())
    }

    async fn delete_manifests(&mut self, sweep: &ManifestSweep) -> Result<u64, Error> {
        let mut deleted = 0;
        for chunk in sweep.unused.chunks(MAX_VALUES) {
            // A report may have used one again since the sweep was planned.
            let mut query = query("DELETE FROM manifest WHERE unused_since <= ");
            query.push_bind(sweep.before).push(" AND id IN ");
            query.push_list(chunk.iter().copied());
            deleted += query.execute(self.transaction).await?;
        }
        Ok(deleted)
    }
}

impl ManifestReads for SqlStore {
    fn manifest<'a>(
        &'a self,
        account: &'a AccountId,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>> {
        async move {
            let database = &self.database;
            let row = query("SELECT content FROM manifest WHERE account = $1 AND digest = $2")
                .bind(account.as_str())
                .bind(&digest.as_bytes()[..])
                .fetch_optional(database)
                .await?;
            let Some(row) = row else { return Ok(None) };
            let content = decompress(row.try_get(0)?);
            content.ok_or(StoreError::Corrupt("manifest")).map(Some)
        }
        .boxed()
    }
}
