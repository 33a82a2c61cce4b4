//! Reads and exports the audit log.

use std::{sync::Arc, time::Duration};

use causeway_assertion::SigningKeyError;
use futures::stream::BoxStream;

use crate::{
    audit::{AuditLog, ChainEntry, ChainId, Head, RefusalCounter, Seal, entries},
    keys::ring::KeyRing,
    store::{PruneProgress, Store, StoreError},
};

/// Why the audit cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadAuditError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The key failed.
    #[error("cannot sign")]
    Signing(#[from] SigningKeyError),
    /// Entries were removed while they were read.
    #[error(
        "entries {from} to {through} were removed by retention while the audit was exported: export it again from {next}",
        next = through + 1
    )]
    Removed {
        /// The first of those that were not told.
        from: u64,
        /// The last of them.
        through: u64,
    },
    /// The task that reads is gone.
    #[error("the audit export was stopped")]
    Stopped,
}

/// Audit log of all accounts.
#[derive(Clone)]
pub(crate) struct AuditService {
    pub store: Arc<dyn Store>,
    pub log: AuditLog,
    pub ring: Arc<KeyRing>,
    pub refusals: Arc<RefusalCounter>,
    pub retention: Option<Duration>,
}

impl AuditService {
    /// Writes what is left of refusals of a minute that is over.
    pub(crate) async fn flush_refusals(&self, now: i64) {
        for entry in self.refusals.left(now) {
            if let Err(error) = self.log.write(entry).await {
                tracing::error!(%error, "failed to record refusals in the audit");
            }
        }
    }

    /// Removes entries that are older than they are kept.
    pub(crate) async fn cut_audit(&self, now: i64) -> Result<(), StoreError> {
        let Some(retention) = self.retention else {
            return Ok(());
        };
        let kept = i64::try_from(retention.as_millis()).unwrap_or(i64::MAX);
        while self.store.cut_audit(now.saturating_sub(kept), now).await? == PruneProgress::More {}
        Ok(())
    }

    /// Where a chain ends, signed now; none where it has no entries.
    pub(crate) async fn sealed_audit_head(
        &self,
        chain: &ChainId,
        now: i64,
    ) -> Result<Option<(Head, Seal, i64)>, ReadAuditError> {
        let Some(head) = self.store.audit_head(chain).await? else {
            return Ok(None);
        };
        let at = now.max(head.at);
        let seal = Seal::sign(&head, at, &self.ring)?;
        Ok(Some((head, seal, at)))
    }

    /// The entries of a chain from a sequence number and a time on, up to where it ends by then.
    pub(crate) async fn audit_entries(
        &self,
        chain: ChainId,
        from: u64,
        since: Option<i64>,
    ) -> Result<BoxStream<'static, Result<Vec<ChainEntry>, ReadAuditError>>, StoreError> {
        let store = Arc::clone(&self.store);
        let from = match since {
            Some(at) => from.max(store.audit_since(&chain, at).await?),
            None => from,
        };
        Ok(entries(store, chain, from))
    }
}
