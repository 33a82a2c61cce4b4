//! Manifests: which are there, which are wanted, and which nobody needs any more.

mod found;

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use causeway_database::{Error, query};
use causeway_proto::ids::AccountId;

pub(super) use found::{Found, Round};

use super::{
    batch::Batch,
    chunks::{chunks, padded},
};
use crate::{digest::Digest, store::Outcome};

const KNOWN_MANIFESTS: usize = if cfg!(test) { 100 } else { 200_000 };
pub(super) const VALUES_AT_ONCE: usize = 500;

/// The manifests that the database is known to hold, by account.
#[derive(Default)]
pub(super) struct KnownManifests(HashMap<AccountId, HashSet<Digest>>);

/// A manifest that came.
#[derive(Debug, Clone)]
pub(super) struct NewManifest {
    pub(super) account: AccountId,
    pub(super) digest: Digest,
    /// Its content, compressed.
    pub(super) packed: Bytes,
}

impl NewManifest {
    fn key(&self) -> (&AccountId, &[u8; 32]) {
        (&self.account, self.digest.as_bytes())
    }
}

impl KnownManifests {
    fn holds(&self, account: &AccountId, digest: &Digest) -> bool {
        let known = self.0.get(account);
        known.is_some_and(|known| known.contains(digest))
    }

    fn learn(&mut self, account: &AccountId, digests: impl Iterator<Item = Digest>) {
        let known = self.0.entry(account.clone()).or_default();
        if known.len() > KNOWN_MANIFESTS {
            known.clear();
        }
        known.extend(digests);
    }
}

impl Batch<'_> {
    /// Those of some manifests that are not there. What is there counts as used from now on: it may be named no more before
    /// anybody looks, and what was then keeps naming it.
    pub(super) async fn missing(
        &mut self,
        account: &AccountId,
        named: &[Digest],
    ) -> Result<Vec<Digest>, Error> {
        let known = self.memory.manifests.0.entry(account.clone()).or_default();
        let mut doubtful: Vec<Digest> = named
            .iter()
            .filter(|digest| !known.contains(*digest))
            .copied()
            .collect();
        if doubtful.is_empty() {
            return Ok(doubtful);
        }
        self.keep_manifests().await?;
        // Not what is remembered: that may be too much in the middle of this, and forgotten.
        let mut found = HashSet::new();
        for some in padded(&doubtful) {
            let mut query = query(
                "SELECT digest, id, unused_since FROM manifest WHERE account = $1 AND digest IN ",
            );
            query = query.bind(account.as_str());
            query.push_list(some.iter().map(|digest| &digest.as_bytes()[..]));
            let rows = query.fetch_all(&mut *self.transaction).await?;
            let mut taken_up = Vec::new();
            for row in &rows {
                if row.try_get::<Option<i64>>(2)?.is_some() {
                    taken_up.push(row.try_get(1)?);
                }
            }
            self.mark(&taken_up, None).await?;
            let digests = rows.iter().filter_map(|row| row.try_get::<&[u8]>(0).ok());
            found.extend(digests.filter_map(|digest| Digest::try_from(digest).ok()));
        }
        doubtful.retain(|digest| !found.contains(digest));
        self.memory.manifests.learn(account, found.into_iter());
        Ok(doubtful)
    }

    /// Keeps one with others, later.
    pub(super) fn keep_manifest(&mut self, manifest: &NewManifest) -> Outcome {
        let known = &mut self.memory.manifests;
        if !known.holds(&manifest.account, &manifest.digest) {
            known.learn(&manifest.account, [manifest.digest].into_iter());
            self.manifests.push(manifest.clone());
        }
        Outcome::Kept
    }

    /// Writes what was put off.
    pub(super) async fn keep_manifests(&mut self) -> Result<(), Error> {
        let mut manifests = std::mem::take(&mut self.manifests);
        manifests.sort_unstable_by(|one, other| one.key().cmp(&other.key()));
        manifests.dedup_by(|one, other| one.key() == other.key());
        for some in chunks(&manifests) {
            let mut query =
                query("INSERT INTO manifest (account, digest, stored_at, content) VALUES ");
            let mut separator = "(";
            for manifest in some {
                query.push(separator).push_bind(manifest.account.as_str());
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

    /// Does as was found.
    pub(super) async fn sort_out(&mut self, found: &Found) -> Result<Outcome, Error> {
        self.mark(&found.left, Some(self.now)).await?;
        self.mark(&found.taken_up, None).await?;
        let count = self.delete_manifests(found).await?;
        if !found.left.is_empty() || count > 0 {
            // What is remembered is there and in use.
            self.memory.manifests.0.clear();
        }
        let next = found.next;
        Ok(Outcome::Forgotten { count, next })
    }

    async fn mark(&mut self, manifests: &[i64], unused_since: Option<i64>) -> Result<(), Error> {
        for some in manifests.chunks(VALUES_AT_ONCE) {
            let mut query = query("UPDATE manifest SET unused_since = $1 WHERE id IN ");
            query = query.bind(unused_since);
            query.push_list(some.iter().copied());
            query.execute(self.transaction).await?;
        }
        Ok(())
    }

    async fn delete_manifests(&mut self, found: &Found) -> Result<u64, Error> {
        let mut gone = 0;
        for some in found.unused.chunks(VALUES_AT_ONCE) {
            // One may be in use again by now.
            let mut query = query("DELETE FROM manifest WHERE unused_since <= ");
            query.push_bind(found.before).push(" AND id IN ");
            query.push_list(some.iter().copied());
            gone += query.execute(self.transaction).await?;
        }
        Ok(gone)
    }
}
