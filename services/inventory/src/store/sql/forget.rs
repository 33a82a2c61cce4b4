//! What nobody needs any more, forgotten some at a time: reports wait meanwhile, and the next round takes the rest.

use std::time::Duration;

use causeway_database::{Error, query};

use super::{batch::Batch, deployments, read::rows_up_to};
use crate::store::{Keep, Outcome};

const FORGOTTEN_AT_ONCE: usize = 5_000;

impl Batch<'_> {
    pub(super) async fn forget(&mut self, keep: Keep) -> Result<Outcome, Error> {
        let mut objects = self.forget_objects(self.before(keep.gone)).await?;
        let most = rows_up_to(FORGOTTEN_AT_ONCE);
        objects += self.forget_resources(self.before(keep.gone), most).await?;
        objects += self.forget_events(self.before(keep.events)).await?;
        let manifests = self.forget_manifests(self.before(keep.unused)).await?;
        let before = self.before(keep.deployments);
        deployments::forget(self.transaction, before).await?;
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
}
