//! Waiting for state instead of time.

use std::{future::Future, time::Duration};

use tokio::time::Instant;

const POLL: Duration = Duration::from_millis(20);

/// Polls until the result is some; fails with `what` and the last error after `most`.
///
/// # Panics
/// `most` has passed.
pub async fn wait_until<T, F>(what: &str, most: Duration, mut look: impl FnMut() -> F) -> T
where
    F: Future<Output = Result<T, String>>,
{
    let end = Instant::now() + most;
    loop {
        match look().await {
            Ok(found) => return found,
            Err(last) => assert!(
                Instant::now() < end,
                "{what}: not within {most:?}; last: {last}"
            ),
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Same for tests without an async runtime.
///
/// # Panics
/// `most` has passed.
pub fn wait_until_blocking<T>(
    what: &str,
    most: Duration,
    mut look: impl FnMut() -> Result<T, String>,
) -> T {
    let end = Instant::now() + most;
    loop {
        match look() {
            Ok(found) => return found,
            Err(last) => assert!(
                Instant::now() < end,
                "{what}: not within {most:?}; last: {last}"
            ),
        }
        std::thread::sleep(POLL);
    }
}
