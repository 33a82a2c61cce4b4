//! Cache entry of one object: presence, enrichment, and the state that the inventory holds. Compresses idle objects.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::time::Instant;

use crate::{
    delta_base::Base,
    enrichment::Enrichment as _,
    manifest::{Content, Digest},
    object::Evidence,
    operations::Operations,
    reported_kind::ReportedKind,
};

/// An object without changes for this long is idle.
pub(super) const IDLE_AFTER: Duration = Duration::from_secs(3);

/// Cached object with what the inventory holds of it.
pub(crate) struct Entry<R: ReportedKind> {
    pub presence: Presence<R::Object>,
    /// Time of the last change.
    pub since: Instant,
    /// The object was idle before its last change, so it is compressed again once that is acknowledged.
    pub calm: bool,
    pub(super) compressed: bool,
    pub resource_version: u64,
    enrichment: CachedValue<R::Enrichment>,
    /// Manifests that the receiver may not have.
    pub contents: Arc<[Content]>,
    pub operations: Operations,
    /// The state that the receiver is known to hold.
    pub base: Option<Base>,
    /// The state that the inventory listed or acknowledged.
    pub remote: Option<Remote>,
    /// Consecutive failures to enrich the object.
    pub failures: u32,
    pub(super) generation: u64,
}

/// Presence of an object in the cluster.
pub(crate) enum Presence<O> {
    Live(CachedValue<O>),
    Gone(Evidence),
}

/// Value in memory, compressed while its object is idle.
pub(crate) enum CachedValue<T> {
    Whole(Arc<T>),
    Compressed(Bytes),
}

/// State of an object at the inventory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Remote {
    pub resource_version: u64,
    pub root: Digest,
    pub sender: Sender,
}

/// Process that reported a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    /// This process.
    Own,
    /// Another process, or this one on an earlier stream.
    Earlier,
}

impl<R: ReportedKind> Default for Entry<R> {
    fn default() -> Self {
        Self {
            presence: Presence::Gone(Evidence::Listed),
            since: Instant::now(),
            calm: true,
            compressed: false,
            resource_version: 0,
            enrichment: CachedValue::default(),
            contents: Arc::default(),
            operations: Operations::default(),
            base: None,
            remote: None,
            failures: 0,
            generation: 0,
        }
    }
}

impl<R: ReportedKind> Entry<R> {
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.presence, Presence::Gone(_))
    }

    /// True for a deleted object that the inventory still holds.
    pub(crate) fn is_ghost(&self) -> bool {
        let held = self.remote.map(|remote| remote.resource_version);
        self.is_gone() && held.is_some_and(|held| held <= self.resource_version)
    }

    /// Returns the object, decompressed where necessary.
    pub(crate) fn object(&self) -> Option<Arc<R::Object>> {
        match &self.presence {
            Presence::Live(object) => object.get(R::decompress),
            Presence::Gone(_) => None,
        }
    }

    pub(super) fn is_idle(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= IDLE_AFTER
    }

    /// Returns the enrichment, decompressed where necessary.
    pub(crate) fn enrichment(&self) -> Arc<R::Enrichment> {
        let enrichment = self.enrichment.get(R::Enrichment::decompress);
        enrichment.unwrap_or_default()
    }

    /// Compresses the object and its enrichment where their kind supports it.
    pub(crate) fn compress(&mut self) {
        if let Presence::Live(object) = &mut self.presence {
            object.compress(R::compress);
            self.enrichment.compress(R::Enrichment::compress);
        }
        self.compressed = true;
    }

    pub(crate) fn enrich(&mut self, enrichment: R::Enrichment) {
        self.enrichment = CachedValue::Whole(Arc::new(enrichment));
        self.compressed = false;
    }

    pub(super) fn mark_gone(&mut self, evidence: Evidence, resource_version: u64) {
        self.presence = Presence::Gone(evidence);
        self.since = Instant::now();
        // Version 0 stands for an entry that was never observed.
        self.resource_version = resource_version.max(1);
        self.enrichment = CachedValue::default();
    }
}

impl<T: Default> Default for CachedValue<T> {
    fn default() -> Self {
        Self::Whole(Arc::default())
    }
}

impl<T> CachedValue<T> {
    fn get(&self, decompress: fn(&Bytes) -> Option<T>) -> Option<Arc<T>> {
        match self {
            Self::Whole(whole) => Some(Arc::clone(whole)),
            Self::Compressed(bytes) => decompress(bytes).map(Arc::new),
        }
    }

    fn compress(&mut self, compress: fn(&T) -> Option<Bytes>) {
        if let Self::Whole(whole) = self
            && let Some(bytes) = compress(whole)
        {
            *self = Self::Compressed(bytes);
        }
    }
}
