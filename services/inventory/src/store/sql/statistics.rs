//! What a server is told to look at after much was written, such as all applications of a runtime that joined: until it has, it
//! plans lists as if there were few rows, and reads all for a page. It would look by itself, a minute or more later.

use std::{convert::Infallible, future::pending, time::Duration};

use causeway_database::{Database, query};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use super::read::signed;

/// The least time between two looks, in which a server looks by itself; also the longest that one waits for an end of the writing.
const PAUSE: Duration = Duration::from_secs(60);
const TABLES: &str = "application, application_label, resource, event, image";

/// When it is time.
#[derive(Debug, Clone, Copy)]
pub(super) struct When {
    /// After so many writes,
    pub(super) much: u64,
    /// and once none came for so long.
    pub(super) quiet: Duration,
    /// While there are fewer rows than that, after so many writes and whenever they have doubled since.
    pub(super) first: u64,
}

/// When a store that is in use looks.
pub(super) const USUAL: When = When {
    much: 10_000,
    quiet: Duration::from_secs(2),
    first: 500,
};

/// Looks whenever much was written.
pub(super) async fn run(
    database: Database,
    mut written: watch::Receiver<u64>,
    when: When,
) -> Infallible {
    let (mut looked, mut grows) = (0, has_little(&database, when.much).await);
    while database.is_shared() {
        let some = if grows {
            looked.max(when.first)
        } else {
            when.much
        };
        let much = written.wait_for(|now| now - looked >= some).await;
        if much.map(drop).is_err() {
            break;
        }
        if !grows {
            // Where the writing has no end, in the midst of it.
            let _ = timeout(PAUSE, quiet(&mut written, when.quiet)).await;
        }
        looked = *written.borrow();
        if let Err(error) = database.analyze(TABLES).await {
            tracing::warn!(%error, "the database could not be told to look at its tables; lists may be slow until it does by itself");
            sleep(PAUSE).await;
        }
        if !grows {
            sleep(PAUSE).await;
        }
        grows &= looked < when.much;
    }
    pending().await
}

/// Whether there are so few rows that what comes soon is most of what there is.
async fn has_little(database: &Database, much: u64) -> bool {
    let counted = query(
        "SELECT count(*) FROM (SELECT 1 AS one FROM application UNION ALL SELECT 1 AS one FROM resource LIMIT $1) AS counted",
    )
    .bind(signed(much))
    .fetch_one(database)
    .await;
    let count = counted.and_then(|row| row.try_get::<i64>(0));
    count.is_ok_and(|count| count < signed(much))
}

/// Waits until nothing is written for some time.
async fn quiet(written: &mut watch::Receiver<u64>, time: Duration) {
    while let Ok(Ok(())) = timeout(time, written.changed()).await {}
}

#[cfg(test)]
mod tests;
