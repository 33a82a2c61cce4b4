//! Streams the entries of a chain and prefetches the next batch.

use std::sync::Arc;

use futures::stream::{BoxStream, StreamExt as _, try_unfold};
use tokio::task::JoinSet;

use super::{ChainEntry, ChainId};
use crate::{
    platform::ReadAuditError,
    store::{AuditStore, StoreError},
};

/// Number of entries that are read at once.
const BATCH: u32 = 500;

/// Reads one batch ahead.
struct Reading<S: ?Sized> {
    store: Arc<S>,
    chain: ChainId,
    /// The next batch; none at the end.
    ahead: JoinSet<Result<Vec<ChainEntry>, StoreError>>,
    /// Where the next batch begins, once there was one.
    next: Option<u64>,
}

/// The entries of a chain from a sequence number on, up to where it ends by then.
pub(crate) fn entries<S: AuditStore + ?Sized + 'static>(
    store: Arc<S>,
    chain: ChainId,
    from: u64,
) -> BoxStream<'static, Result<Vec<ChainEntry>, ReadAuditError>> {
    let mut reading = Reading {
        store,
        chain,
        ahead: JoinSet::new(),
        next: None,
    };
    reading.read(from);
    try_unfold(reading, Reading::step).boxed()
}

impl<S: AuditStore + ?Sized + 'static> Reading<S> {
    fn read(&mut self, from: u64) {
        let (store, chain) = (Arc::clone(&self.store), self.chain.clone());
        let reading = async move { store.read_audit(&chain, from, BATCH).await };
        self.ahead
            .spawn(causeway_shell::with_current_trace(reading));
    }

    async fn step(mut self) -> Result<Option<(Vec<ChainEntry>, Self)>, ReadAuditError> {
        let Some(read) = self.ahead.join_next().await else {
            return Ok(None);
        };
        let entries = read.map_err(|_| ReadAuditError::Stopped)??;
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            return Ok(None);
        };
        if let Some(from) = self.next.filter(|next| *next < first.sequence) {
            let through = first.sequence - 1;
            return Err(ReadAuditError::Removed { from, through });
        }
        let next = last.sequence.saturating_add(1);
        self.next = Some(next);
        if entries.len() == BATCH as usize {
            self.read(next);
        }
        Ok(Some((entries, self)))
    }
}

#[cfg(test)]
mod tests;
