//! Manifests: which are there, which are wanted, and which nobody needs any more.

use std::collections::{HashMap, HashSet};

use causeway_database::{Error, Row, query};
use causeway_proto::ids::AccountId;

use super::{
    batch::{Batch, NOTHING},
    read::rows_up_to,
};
use crate::{digest::Digest, store::Outcome};

const KNOWN_MANIFESTS: usize = 200_000;
const LOOKED_AT_ONCE: usize = 10_000;
const FORGOTTEN_AT_ONCE: usize = 5_000;
pub(super) const VALUES_AT_ONCE: usize = 500;

/// The manifests that the database is known to hold, by account.
#[derive(Default)]
pub(super) struct KnownManifests(HashMap<AccountId, HashSet<Digest>>);

impl KnownManifests {
    fn learn(&mut self, account: &AccountId, digests: impl Iterator<Item = Digest>) {
        let known = self.0.entry(account.clone()).or_default();
        if known.len() > KNOWN_MANIFESTS {
            known.clear();
        }
        known.extend(digests);
    }
}

/// The digests that live objects name, by account.
type Named = HashMap<String, HashSet<Digest>>;

/// What is to be done with manifests that were looked at.
#[derive(Default)]
struct Found {
    /// Nobody has named them for long enough.
    unused: Vec<i64>,
    /// Nobody names them any more.
    left: Vec<i64>,
    /// They are named again.
    taken_up: Vec<i64>,
}

impl Found {
    fn look(&mut self, row: &Row, named: &Named, before: i64, now: i64) -> Result<(), Error> {
        let (id, account): (i64, &str) = (row.try_get(0)?, row.try_get(1)?);
        let digest = Digest::try_from(row.try_get::<&[u8]>(2)?).ok();
        let since: Option<i64> = row.try_get(3)?;
        let named = named.get(account).zip(digest);
        match (
            named.is_some_and(|(named, digest)| named.contains(&digest)),
            since,
        ) {
            (true, Some(_)) => self.taken_up.push(id),
            (true, None) => {}
            (false, since) if since.unwrap_or(now) <= before => self.unused.push(id),
            (false, None) => self.left.push(id),
            (false, Some(_)) => {}
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.unused.len() + self.left.len() + self.taken_up.len()
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
        for some in doubtful.chunks(VALUES_AT_ONCE) {
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
            let digests = digests.filter_map(|digest| Digest::try_from(digest).ok());
            self.memory.manifests.learn(account, digests);
        }
        let known = self.memory.manifests.0.get(account);
        doubtful.retain(|digest| !known.is_some_and(|known| known.contains(digest)));
        Ok(doubtful)
    }

    pub(super) async fn keep_manifest(
        &mut self,
        account: &AccountId,
        digest: &Digest,
        packed: &[u8],
    ) -> Result<Outcome, Error> {
        query(
            "INSERT INTO manifest (account, digest, stored_at, content) VALUES ($1, $2, $3, $4)
             ON CONFLICT (account, digest) DO NOTHING",
        )
        .bind(account.as_str())
        .bind(&digest.as_bytes()[..])
        .bind(self.now)
        .bind(packed)
        .execute(self.transaction)
        .await?;
        let memory = &mut self.memory.manifests;
        memory.learn(account, [*digest].into_iter());
        Ok(Outcome::Kept)
    }

    /// Forgets manifests that no live object has named since a time, and notes which are named no more or again.
    pub(super) async fn forget_manifests(&mut self, before: i64) -> Result<u64, Error> {
        let named = self.named_manifests().await?;
        let mut found = Found::default();
        let mut last = 0_i64;
        // Not all at once: reports wait meanwhile, and the next round takes the rest.
        while found.len() < FORGOTTEN_AT_ONCE {
            let rows = query(
                "SELECT id, account, digest, unused_since FROM manifest WHERE id > $1 ORDER BY id LIMIT $2",
            )
            .bind(last)
            .bind(rows_up_to(LOOKED_AT_ONCE))
            .fetch_all(&mut *self.transaction)
            .await?;
            for row in &rows {
                found.look(row, &named, before, self.now)?;
                last = row.try_get(0)?;
            }
            if rows.len() < LOOKED_AT_ONCE {
                break;
            }
        }
        self.mark(&found.left, Some(self.now)).await?;
        self.mark(&found.taken_up, None).await?;
        self.delete_manifests(&found.unused).await
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

    async fn delete_manifests(&mut self, manifests: &[i64]) -> Result<u64, Error> {
        let mut gone = 0;
        for some in manifests.chunks(VALUES_AT_ONCE) {
            let mut query = query("DELETE FROM manifest WHERE id IN ");
            query.push_list(some.iter().copied());
            gone += query.execute(self.transaction).await?;
        }
        self.memory.manifests.0.clear();
        Ok(gone)
    }

    async fn named_manifests(&mut self) -> Result<Named, Error> {
        let rows = query(
            "SELECT account, manifests FROM application WHERE deleted = 0 AND manifests <> $1
             UNION ALL SELECT account, manifest FROM resource WHERE deleted = 0 AND manifest <> $1",
        )
        .bind(NOTHING)
        .fetch_all(&mut *self.transaction)
        .await?;
        let mut named = Named::new();
        for row in &rows {
            let digests = row.try_get::<&[u8]>(1)?.chunks(32);
            let digests = digests.filter_map(|digest| Digest::try_from(digest).ok());
            named.entry(row.try_get(0)?).or_default().extend(digests);
        }
        Ok(named)
    }
}
