//! What a server is told to look at after much was written, such as all applications of a runtime that joined: until it has, it
//! plans lists as if there were few rows, and reads all for a page. It would look by itself, a minute or more later.

use std::{convert::Infallible, future::pending, time::Duration};

use causeway_database::Database;
use tokio::{sync::watch, time::sleep};

/// So many writes are much.
pub(super) const MUCH: u64 = 10_000;
/// The least time between two looks, in which a server looks by itself.
const PAUSE: Duration = Duration::from_secs(300);
const TABLES: &str = "application, application_label, resource, event, image";

/// Looks whenever much was written.
pub(super) async fn run(
    database: Database,
    mut written: watch::Receiver<u64>,
    much: u64,
) -> Infallible {
    let mut looked = 0;
    while database.is_shared() {
        let Ok(now) = written
            .wait_for(|now| now - looked >= much)
            .await
            .map(|now| *now)
        else {
            break;
        };
        looked = now;
        if let Err(error) = database.tidy(TABLES).await {
            tracing::warn!(%error, "the database could not be told to look at its tables; lists may be slow until it does by itself");
        }
        sleep(PAUSE).await;
    }
    pending().await
}

#[cfg(test)]
mod tests;
