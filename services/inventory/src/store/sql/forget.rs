//! What nobody needs any more, forgotten some at a time: reports wait meanwhile, and the next round takes the rest.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use causeway_database::{Error, query};

use super::{
    batch::{Batch, NOTHING, VALUES_AT_ONCE},
    read::rows_up_to,
};
use crate::store::{Keep, Outcome};

const FORGOTTEN_AT_ONCE: usize = 5_000;

impl Batch<'_> {
    pub(super) async fn forget(&mut self, keep: Keep) -> Result<Outcome, Error> {
        let mut objects = self.forget_objects(self.before(keep.gone)).await?;
        let most = rows_up_to(FORGOTTEN_AT_ONCE);
        objects += self.forget_resources(self.before(keep.gone), most).await?;
        objects += self.forget_events(self.before(keep.events)).await?;
        let manifests = self.forget_manifests(self.before(keep.unused)).await?;
        Ok(Outcome::Forgotten { objects, manifests })
    }

    fn before(&self, age: Duration) -> i64 {
        self.now - i64::try_from(age.as_millis()).unwrap_or(i64::MAX)
    }

    async fn forget_objects(&mut self, before: i64) -> Result<u64, Error> {
        query(
            "UPDATE account SET forgotten_change = (
                 SELECT max(change) FROM application
                 WHERE application.account = account.account AND deleted = 1 AND received_at <= $1)
             WHERE forgotten_change < (
                 SELECT coalesce(max(change), 0) FROM application
                 WHERE application.account = account.account AND deleted = 1 AND received_at <= $1)",
        )
        .bind(before)
        .execute(self.transaction)
        .await?;
        // Not all at once, as below: the next round takes the rest, whose cursors have ended by now.
        query(
            "DELETE FROM application WHERE id IN (
                 SELECT id FROM application WHERE deleted = 1 AND received_at <= $1
                 ORDER BY received_at LIMIT $2)",
        )
        .bind(before)
        .bind(rows_up_to(FORGOTTEN_AT_ONCE))
        .execute(self.transaction)
        .await
    }

    async fn forget_manifests(&mut self, before: i64) -> Result<u64, Error> {
        let used = self.used_manifests().await?;
        let rows = query("SELECT id, account, digest FROM manifest WHERE stored_at <= $1")
            .bind(before)
            .fetch_all(&mut *self.transaction)
            .await?;
        let mut unused = Vec::new();
        for row in &rows {
            let (account, digest) = (row.try_get::<&str>(1)?, row.try_get::<&[u8]>(2)?);
            if !used
                .get(account)
                .is_some_and(|named| named.contains(digest))
            {
                unused.push(row.try_get::<i64>(0)?);
            }
        }
        // Not all at once: reports wait meanwhile, and the next round takes the rest.
        unused.truncate(FORGOTTEN_AT_ONCE);
        let mut gone = 0;
        for some in unused.chunks(VALUES_AT_ONCE) {
            let mut query = query("DELETE FROM manifest WHERE id IN ");
            query.push_list(some.iter().copied());
            gone += query.execute(self.transaction).await?;
        }
        self.memory.manifests.clear();
        Ok(gone)
    }

    /// The digests that live objects name, by account.
    async fn used_manifests(&mut self) -> Result<HashMap<String, HashSet<Vec<u8>>>, Error> {
        let rows = query(
            "SELECT account, manifests FROM application WHERE deleted = 0 AND manifests <> $1
             UNION ALL SELECT account, manifest FROM resource WHERE deleted = 0 AND manifest <> $1",
        )
        .bind(NOTHING)
        .fetch_all(&mut *self.transaction)
        .await?;
        let mut used = HashMap::<String, HashSet<Vec<u8>>>::new();
        for row in &rows {
            let digests = row.try_get::<&[u8]>(1)?.chunks(32).map(<[u8]>::to_vec);
            used.entry(row.try_get(0)?).or_default().extend(digests);
        }
        Ok(used)
    }
}
