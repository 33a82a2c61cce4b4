//! A watch that runs in its own task, so that a stalled reader is detected.
//!
//! A stalled watcher buffers only a few steps: then it is cut, and resumes from the last step that it took.

use std::time::Duration;

use futures::{Stream, StreamExt as _};
use tokio::{
    sync::mpsc::{self, error::SendTimeoutError},
    task::JoinSet,
};

use super::WatchError;

/// How long a step waits to be taken.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Number of steps that wait.
const AHEAD: usize = 4;

/// The same steps, until one of them has waited for so long.
pub fn handed<S: Send + 'static>(
    steps: impl Stream<Item = Result<S, WatchError>> + Send + 'static,
    patience: Duration,
) -> impl Stream<Item = Result<S, WatchError>> + Send + 'static {
    async_stream::try_stream! {
        let (onward, mut waiting) = mpsc::channel(AHEAD);
        let mut watching = JoinSet::new();
        watching.spawn(hand(steps, onward, patience));
        while let Some(step) = waiting.recv().await {
            yield step;
        }
        match watching.join_next().await {
            Some(Ok(ended)) => ended?,
            // It panicked. An end without an error would be taken for that of the watch.
            Some(Err(_)) => Err(WatchError::Broken)?,
            None => {}
        }
    }
}

async fn hand<S>(
    steps: impl Stream<Item = Result<S, WatchError>>,
    onward: mpsc::Sender<S>,
    patience: Duration,
) -> Result<(), WatchError> {
    tokio::pin!(steps);
    while let Some(step) = steps.next().await {
        match onward.send_timeout(step?, patience).await {
            Ok(()) => {}
            Err(SendTimeoutError::Closed(_)) => return Ok(()),
            Err(SendTimeoutError::Timeout(_)) => return Err(WatchError::Slow(patience)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
