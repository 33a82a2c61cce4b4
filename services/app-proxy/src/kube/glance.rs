//! A look at some of many things that is over soon, wherever they are and however slow that is.

use std::time::Duration;

use futures::{StreamExt as _, stream};
use tokio::time::{Instant, timeout_at};

/// Number of things that are looked at.
pub(super) const MOST: usize = 1_000;
/// In how many places at a time.
const AT_ONCE: usize = 4;
/// How long all of it may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Things of some places, at most [`MOST`], those that can be had in time. A place is asked for so many at most that those which are
/// on their way are no more than that together.
pub(super) async fn glance<P, T>(places: Vec<P>, look: impl AsyncFn(P, u32) -> Vec<T>) -> Vec<T> {
    let until = Instant::now() + PATIENCE;
    let each = MOST / places.len().clamp(1, AT_ONCE);
    let limit = u32::try_from(each).unwrap_or(u32::MAX);
    let looks = stream::iter(places).map(|place| look(place, limit));
    let mut looks = std::pin::pin!(looks.buffer_unordered(AT_ONCE));
    let mut seen = Vec::new();
    while seen.len() < MOST
        && let Ok(Some(some)) = timeout_at(until, looks.next()).await
    {
        seen.extend(some);
    }
    seen.truncate(MOST);
    seen
}

#[cfg(test)]
mod tests;
