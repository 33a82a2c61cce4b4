//! Propagates revocations to replicas and to services that cache credentials.
//!
//! A revocation raises a counter in its own transaction. Replicas read the counter every second and on notification, so a
//! lost notification costs one second. A replica that cannot read the counter ends the streams of its subscribers, which then
//! drop their caches.

use std::{convert::Infallible, sync::Arc, time::Duration};

use causeway_assertion::RevocationSignal;
use causeway_shell::{ReadyHandle, Shell};
use futures::{Stream, stream};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use crate::{platform::Platform, store::StoreError};

/// Interval of repeats: a subscriber that receives nothing for longer has lost the stream.
const EVERY: Duration = Duration::from_secs(1);
/// A database that has not answered by then does not, for now. With [`EVERY`] it is how old a replica's knowledge gets.
const PATIENCE: Duration = Duration::from_secs(1);
/// So many failures one after the other make this part not ready.
const FAILURES: u32 = 3;

/// State of the subscription to revocations of other replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RevocationFeed {
    /// It does, or did a second ago.
    Good,
    /// The database does not answer.
    Lost,
}

/// The number of revocations: at once, at each of them, and every second; ends when it is not known any more.
pub(crate) fn stream_epochs(
    revocations: RevocationSignal,
    hearing: watch::Receiver<RevocationFeed>,
) -> impl Stream<Item = u64> + Send {
    stream::unfold((hearing, None), move |(mut hearing, told)| {
        let revocations = revocations.clone();
        async move {
            if let Some(told) = told {
                let changed = async {
                    tokio::select! {
                        _ = revocations.changed_since(told) => {}
                        _ = hearing.wait_for(|hearing| *hearing == RevocationFeed::Lost) => {}
                    }
                };
                // Whether it has changed or is to be said again.
                let _ = timeout(EVERY, changed).await;
            }
            if *hearing.borrow() == RevocationFeed::Lost {
                return None;
            }
            let count = revocations.count();
            Some((count, (hearing, Some(count))))
        }
    })
}

/// Brings what other replicas revoked to this one, until it is dropped.
pub(crate) async fn follow(platform: Arc<Platform>, shell: Shell) -> Infallible {
    let mut listener = platform.audit.store.listen_to_replicas();
    let mut last = LastPoll::default();
    loop {
        let number = timeout(PATIENCE, platform.audit.store.count_revocations()).await;
        last.take(number.ok(), &platform, &shell);
        tokio::select! {
            () = listener.notified() => {}
            () = sleep(EVERY) => {}
        }
    }
}

/// Result of the last poll of the database.
#[derive(Default)]
struct LastPoll {
    number: Option<u64>,
    failures: u32,
    away: Option<ReadyHandle>,
}

impl LastPoll {
    fn take(
        &mut self,
        answer: Option<Result<u64, StoreError>>,
        platform: &Platform,
        shell: &Shell,
    ) {
        match answer {
            Some(Ok(number)) => {
                if self.number.replace(number) != Some(number) {
                    platform.access.forget_credentials();
                }
                if self.away.take().is_some() {
                    tracing::info!("the database answers again");
                }
                self.failures = 0;
                platform.keys.set_feed(RevocationFeed::Good);
            }
            failed => {
                self.failures += 1;
                self.number = None;
                platform.keys.set_feed(RevocationFeed::Lost);
                platform.access.forget_credentials();
                if self.failures == FAILURES {
                    let error = failed.and_then(Result::err).map(anyhow::Error::from);
                    let error =
                        error.map_or_else(|| "no answer".to_owned(), |error| format!("{error:#}"));
                    tracing::warn!(error, "the database does not answer; trying until it does");
                    self.away = Some(shell.ready_handle("database"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
