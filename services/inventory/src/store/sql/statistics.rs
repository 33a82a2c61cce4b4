//! What a server is told to look at after much was written, such as all applications of a runtime that joined: until it has, it
//! plans lists as if there were few rows, and reads all for a page. It would look by itself, a minute or more later.

use std::{convert::Infallible, future::pending, time::Duration};

use causeway_database::Database;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

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
}

/// When a store that is in use looks.
pub(super) const USUAL: When = When {
    much: 10_000,
    quiet: Duration::from_secs(2),
};

/// Looks whenever much was written.
pub(super) async fn run(
    database: Database,
    mut written: watch::Receiver<u64>,
    when: When,
) -> Infallible {
    let mut looked = 0;
    while database.is_shared() {
        let much = written.wait_for(|now| now - looked >= when.much).await;
        if much.map(drop).is_err() {
            break;
        }
        // Where the writing has no end, in the midst of it.
        let _ = timeout(PAUSE, quiet(&mut written, when.quiet)).await;
        looked = *written.borrow();
        if let Err(error) = database.tidy(TABLES).await {
            tracing::warn!(%error, "the database could not be told to look at its tables; lists may be slow until it does by itself");
        }
        sleep(PAUSE).await;
    }
    pending().await
}

/// Waits until nothing is written for some time.
async fn quiet(written: &mut watch::Receiver<u64>, time: Duration) {
    while let Ok(Ok(())) = timeout(time, written.changed()).await {}
}

#[cfg(test)]
mod tests;
