//! What nobody needs any more, forgotten some at a time: reports wait meanwhile.

use std::{collections::HashMap, time::Duration};

use causeway_database::{Error, Row, query};

use super::{batch::Batch, read::rows_up_to};
use crate::store::{Old, Outcome};

/// How many one write is about.
const FORGOTTEN_AT_ONCE: usize = if cfg!(test) { 3 } else { 5_000 };

/// The oldest rows of a table that nobody needs.
#[derive(Debug)]
pub(super) struct Rows {
    old: Old,
    delete: &'static str,
    changes: Changes,
}

#[derive(Debug, PartialEq, Eq)]
enum Changes {
    /// It has none.
    None,
    /// Cursors from before the change of a row end with it.
    Theirs,
}

impl Rows {
    pub(super) const APPLICATIONS: Self = Self {
        old: Old::Applications,
        delete: "DELETE FROM application WHERE id IN (
                 SELECT id FROM application WHERE deleted = 1 AND received_at <= $1
                 ORDER BY received_at LIMIT $2) RETURNING account, change",
        changes: Changes::Theirs,
    };
    pub(super) const RESOURCES: Self = Self {
        old: Old::Resources,
        delete: "DELETE FROM resource WHERE id IN (
                 SELECT id FROM resource WHERE deleted = 1 AND received_at <= $1
                 ORDER BY received_at LIMIT $2) RETURNING account, change",
        changes: Changes::Theirs,
    };
    pub(super) const EVENTS: Self = Self {
        old: Old::Events,
        delete: "DELETE FROM event WHERE id IN (
                 SELECT id FROM event WHERE received_at <= $1 ORDER BY received_at LIMIT $2) RETURNING account",
        changes: Changes::None,
    };
    pub(super) const DEPLOYMENTS: Self = Self {
        old: Old::Deployments,
        delete: "DELETE FROM deployment WHERE id IN (
                 SELECT id FROM deployment WHERE recorded_at <= $1 ORDER BY recorded_at LIMIT $2) RETURNING account",
        changes: Changes::None,
    };
}

impl Batch<'_> {
    pub(super) async fn forget(&mut self, rows: &Rows, age: Duration) -> Result<Outcome, Error> {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let gone = query(rows.delete)
            .bind(self.now.saturating_sub(age))
            .bind(rows_up_to(FORGOTTEN_AT_ONCE))
            .fetch_all(&mut *self.transaction)
            .await?;
        if rows.changes == Changes::Theirs {
            self.end_cursors(&gone).await?;
        }
        let more = gone.len() == FORGOTTEN_AT_ONCE;
        Ok(Outcome::Forgotten {
            count: gone.len() as u64,
            next: more.then_some(rows.old),
        })
    }

    async fn end_cursors(&mut self, gone: &[Row]) -> Result<(), Error> {
        let mut last: HashMap<&str, i64> = HashMap::new();
        for row in gone {
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
