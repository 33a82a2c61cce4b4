//! What other replicas commit: heard of by their word, and looked for every second in case that a word is lost. While the database
//! does not answer, this part is not ready.

use std::{sync::Arc, time::Duration};

use causeway_shell::Shell;
use tokio::time::{sleep, timeout};

use crate::store::{Store, StoreError};

const EVERY: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(2);
/// So many failures one after the other make this part not ready.
const FAILURES: u32 = 3;

/// Keeps up until the shell drains.
pub(crate) async fn follow(store: Arc<dyn Store>, shell: Shell) {
    tokio::select! {
        () = look(store, &shell) => {}
        () = shell.shutdown().requested() => {}
    }
}

async fn look(store: Arc<dyn Store>, shell: &Shell) {
    let mut listener = store.reads().listen();
    let (mut failures, mut away) = (0, None);
    loop {
        let looked = timeout(PATIENCE, store.reads().refresh()).await;
        match looked.unwrap_or(Err(StoreError::Unavailable)) {
            Ok(()) => {
                if away.take().is_some() {
                    tracing::info!("the database answers again");
                }
                failures = 0;
            }
            Err(error) => {
                failures += 1;
                if failures == FAILURES {
                    tracing::warn!(%error, "the database does not answer; trying until it does");
                    away = Some(shell.ready_handle("database"));
                }
            }
        }
        tokio::select! {
            () = listener.notified() => {}
            () = sleep(EVERY) => {}
        }
    }
}
