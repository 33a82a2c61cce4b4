//! Follows commits of other replicas by LISTEN/NOTIFY, and polls every second because notifications can be lost. The inventory is not
//! ready while the database is unreachable.

use std::{sync::Arc, time::Duration};

use causeway_shell::Shell;
use tokio::time::{sleep, timeout};

use crate::store::{Store, StoreError};

const POLL_INTERVAL: Duration = Duration::from_secs(1);
const POLL_TIMEOUT: Duration = Duration::from_secs(2);
/// Consecutive failures that make the inventory not ready.
const MAX_FAILURES: u32 = 3;

/// Follows until the shell drains.
pub(crate) async fn follow(store: Arc<dyn Store>, shell: Shell) {
    tokio::select! {
        () = poll(store, &shell) => {}
        () = shell.shutdown().requested() => {}
    }
}

async fn poll(store: Arc<dyn Store>, shell: &Shell) {
    let mut listener = store.reads().listen();
    let (mut failures, mut unready) = (0, None);
    loop {
        let polled = timeout(POLL_TIMEOUT, store.reads().poll_commits()).await;
        match polled.unwrap_or(Err(StoreError::Unavailable)) {
            Ok(()) => {
                if unready.take().is_some() {
                    tracing::info!("the database is reachable again");
                }
                failures = 0;
            }
            Err(error) => {
                failures += 1;
                if failures == MAX_FAILURES {
                    tracing::warn!(%error, "the database is unreachable; not ready until it answers");
                    unready = Some(shell.ready_handle("database"));
                }
            }
        }
        tokio::select! {
            () = listener.notified() => {}
            () = sleep(POLL_INTERVAL) => {}
        }
    }
}
