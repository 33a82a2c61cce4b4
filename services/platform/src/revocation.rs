//! How others hear of revocations.

use std::time::Duration;

use causeway_shell::assertion::Revocations;
use futures::{Stream, stream};
use tokio::time::timeout;

/// Whoever hears nothing for longer knows that nobody tells.
const EVERY: Duration = Duration::from_secs(1);

/// The number of revocations: at once, at each of them, and every second.
pub(crate) fn tell(revocations: Revocations) -> impl Stream<Item = u64> + Send {
    stream::unfold((revocations, None), |(revocations, told)| async move {
        if let Some(told) = told {
            // Whether it has changed or is to be said again.
            let _ = timeout(EVERY, revocations.after(told)).await;
        }
        let count = revocations.count();
        Some((count, (revocations, Some(count))))
    })
}

#[cfg(test)]
mod tests;
