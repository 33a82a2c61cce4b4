//! Runs ANALYZE on PostgreSQL after many writes, for instance when a runtime joins with all its applications. Until then the planner
//! assumes few rows and scans tables for each page; autovacuum would run a minute or more later.

use std::{convert::Infallible, future::pending, time::Duration};

use causeway_database::{Database, query};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use super::read::signed;

/// Minimum time between two runs, since autovacuum works too; also the maximum wait for an idle moment.
const MIN_INTERVAL: Duration = Duration::from_secs(60);
const TABLES: &str = "application, application_label, resource, event, image";

/// When to run ANALYZE.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnalyzePolicy {
    /// Number of writes since the last run.
    pub(super) writes: u64,
    /// Idle time before a run.
    pub(super) idle: Duration,
    /// First threshold of a small database; it doubles with each run until the database is not small any more.
    pub(super) first_writes: u64,
}

/// Policy in production.
pub(super) const DEFAULT_POLICY: AnalyzePolicy = AnalyzePolicy {
    writes: 10_000,
    idle: Duration::from_secs(2),
    first_writes: 500,
};

/// Runs ANALYZE by the policy, for ever.
pub(super) async fn run(
    database: Database,
    mut written: watch::Receiver<u64>,
    policy: AnalyzePolicy,
) -> Infallible {
    let (mut analyzed_at, mut is_growing) = (0, is_small(&database, policy.writes).await);
    while database.is_shared() {
        let threshold = if is_growing {
            analyzed_at.max(policy.first_writes)
        } else {
            policy.writes
        };
        let writes = written.wait_for(|now| now - analyzed_at >= threshold).await;
        if writes.map(drop).is_err() {
            break;
        }
        if !is_growing {
            // Continuous writes must not put the run off for ever.
            let _ = timeout(MIN_INTERVAL, wait_until_idle(&mut written, policy.idle)).await;
        }
        analyzed_at = *written.borrow();
        if let Err(error) = database.analyze(TABLES).await {
            tracing::warn!(%error, "ANALYZE failed; lists may be slow until autovacuum runs");
            sleep(MIN_INTERVAL).await;
        }
        if !is_growing {
            sleep(MIN_INTERVAL).await;
        }
        is_growing &= analyzed_at < policy.writes;
    }
    pending().await
}

/// True if the next writes may multiply the number of rows.
async fn is_small(database: &Database, writes: u64) -> bool {
    let counted = query(
        "SELECT count(*) FROM (SELECT 1 AS one FROM application UNION ALL SELECT 1 AS one FROM resource LIMIT $1) AS counted",
    )
    .bind(signed(writes))
    .fetch_one(database)
    .await;
    let count = counted.and_then(|row| row.try_get::<i64>(0));
    count.is_ok_and(|count| count < signed(writes))
}

/// Waits until nothing has been written for a time.
async fn wait_until_idle(written: &mut watch::Receiver<u64>, time: Duration) {
    while let Ok(Ok(())) = timeout(time, written.changed()).await {}
}

#[cfg(test)]
mod tests;
