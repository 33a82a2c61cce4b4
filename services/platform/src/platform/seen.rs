//! Filters pages of rows by the scope of the caller.

use crate::store::{StoreError, StoreFuture};

/// Number of rows that are read at once where not every one is seen.
const AT_ONCE: u32 = 500;

/// Returns at most `limit` visible rows after a cursor. Reads on until the page is full.
pub(crate) async fn seen<'a, T, K>(
    (mut behind, limit): (Option<K>, u32),
    read: impl Fn(Option<K>, u32) -> StoreFuture<'a, Vec<T>>,
    key: impl Fn(&T) -> K,
    sees: impl Fn(&T) -> bool,
) -> Result<Vec<T>, StoreError> {
    let (mut seen, mut batch) = (Vec::new(), limit);
    loop {
        let found = read(behind, batch).await?;
        let more = found.len() >= batch as usize;
        behind = found.last().map(&key);
        seen.extend(found.into_iter().filter(&sees));
        if !more || seen.len() >= limit as usize {
            seen.truncate(limit as usize);
            return Ok(seen);
        }
        batch = limit.max(AT_ONCE);
    }
}
