//! Garbage collection in small batches, because reports wait meanwhile.

use std::{collections::HashMap, time::Duration};

use causeway_database::{Error, Row, query};

use super::{batch::Batch, read::rows_up_to};
use crate::store::{Garbage, Outcome};

/// Rows per batch.
const MAX_COLLECTED: usize = if cfg!(test) { 3 } else { 5_000 };

/// Statement that deletes the oldest garbage of a table.
#[derive(Debug)]
pub(super) struct GcQuery {
    kind: Garbage,
    delete: &'static str,
    /// True if the rows are tombstones with change numbers, so that older watch cursors expire with them.
    expires_cursors: bool,
}

impl GcQuery {
    pub(super) const APPLICATIONS: Self = Self {
        kind: Garbage::Applications,
        delete: "DELETE FROM application WHERE id IN (
                 SELECT id FROM application WHERE deleted = 1 AND received_at <= $1
                 ORDER BY received_at LIMIT $2) RETURNING account, change",
        expires_cursors: true,
    };
    pub(super) const RESOURCES: Self = Self {
        kind: Garbage::Resources,
        delete: "DELETE FROM resource WHERE id IN (
                 SELECT id FROM resource WHERE deleted = 1 AND received_at <= $1
                 ORDER BY received_at LIMIT $2) RETURNING account, change",
        expires_cursors: true,
    };
    pub(super) const EVENTS: Self = Self {
        kind: Garbage::Events,
        delete: "DELETE FROM event WHERE id IN (
                 SELECT id FROM event WHERE received_at <= $1 ORDER BY received_at LIMIT $2) RETURNING account",
        expires_cursors: false,
    };
    pub(super) const DEPLOYMENTS: Self = Self {
        kind: Garbage::Deployments,
        delete: "DELETE FROM deployment WHERE id IN (
                 SELECT id FROM deployment WHERE recorded_at <= $1 ORDER BY recorded_at LIMIT $2) RETURNING account",
        expires_cursors: false,
    };
}

impl Batch<'_> {
    pub(super) async fn collect_rows(
        &mut self,
        collection: &GcQuery,
        age: Duration,
    ) -> Result<Outcome, Error> {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let rows = query(collection.delete)
            .bind(self.now.saturating_sub(age))
            .bind(rows_up_to(MAX_COLLECTED))
            .fetch_all(&mut *self.transaction)
            .await?;
        if collection.expires_cursors {
            self.expire_cursors(&rows).await?;
        }
        let more = rows.len() == MAX_COLLECTED;
        Ok(Outcome::Collected {
            count: rows.len() as u64,
            next: more.then_some(collection.kind),
        })
    }

    async fn expire_cursors(&mut self, rows: &[Row]) -> Result<(), Error> {
        let mut last: HashMap<&str, i64> = HashMap::new();
        for row in rows {
            let change: Option<i64> = row.try_get(1)?;
            let last = last.entry(row.try_get(0)?).or_default();
            *last = change.unwrap_or(0).max(*last);
        }
        for (account, change) in last {
            query("UPDATE account SET forgotten_change = $2 WHERE account = $1 AND forgotten_change < $2")
                .bind(account)
                .bind(change)
                .execute(self.transaction)
                .await?;
        }
        Ok(())
    }
}
