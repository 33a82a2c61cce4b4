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

/// What has not changed for so long is at rest.
pub(super) const AT_REST: Duration = Duration::from_secs(3);

/// One object.
pub(crate) struct Entry<R: ReportedKind> {
    /// Whether it is there.
    pub presence: Presence<R::Object>,
    /// Since when it is so.
    pub since: Instant,
    /// Whether it had been at rest before that: then it is soon again.
    pub calm: bool,
    /// Whether all that can be packed of it is.
    pub(super) packed: bool,
    /// Of what is known last.
    pub resource_version: u64,
    /// What is known beyond it.
    enrichment: Kept<R::Enrichment>,
    /// Manifests that the receiver may not have.
    pub contents: Arc<[Content]>,
    /// Operations that have ended.
    pub operations: Operations,
    /// The state that the receiver is known to hold.
    pub base: Option<Base>,
    /// What the receiver has.
    pub remote: Option<Remote>,
    /// Failures to enrich it in a row.
    pub failures: u32,
    pub(super) generation: u64,
}

/// Whether an object is there.
pub(crate) enum Presence<O> {
    /// It is.
    Live(Kept<O>),
    /// It is not.
    Gone(Evidence),
}

/// An object that is there, or what is known beyond it.
pub(crate) enum Kept<T> {
    /// As it was read.
    Whole(Arc<T>),
    /// As fewer bytes: it is at rest.
    Packed(Bytes),
}

/// What the receiver has of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Remote {
    /// Of the state.
    pub resource_version: u64,
    /// Of the state.
    pub root: Digest,
    /// Who brought it.
    pub sender: Sender,
}

/// Who brought a state to the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    /// This process.
    Own,
    /// Another one, or this one over another connection.
    Earlier,
}

impl<R: ReportedKind> Default for Entry<R> {
    fn default() -> Self {
        Self {
            presence: Presence::Gone(Evidence::Listed),
            since: Instant::now(),
            calm: true,
            packed: false,
            resource_version: 0,
            enrichment: Kept::default(),
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
    /// Whether it is gone.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.presence, Presence::Gone(_))
    }

    /// Whether it is gone and the receiver is known to hold it still.
    pub(crate) fn is_ghost(&self) -> bool {
        let held = self.remote.map(|remote| remote.resource_version);
        self.is_gone() && held.is_some_and(|held| held <= self.resource_version)
    }

    /// The object, where it is there.
    pub(crate) fn object(&self) -> Option<Arc<R::Object>> {
        match &self.presence {
            Presence::Live(object) => object.whole(R::unpacked),
            Presence::Gone(_) => None,
        }
    }

    /// Whether it has been as it is for so long that it may stay so.
    pub(super) fn rests(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= AT_REST
    }

    /// What is known beyond the object.
    pub(crate) fn enrichment(&self) -> Arc<R::Enrichment> {
        let whole = self.enrichment.whole(R::Enrichment::unpacked);
        whole.unwrap_or_default()
    }

    /// Keeps the object and what is known beyond it as fewer bytes, if they can be.
    pub(crate) fn pack(&mut self) {
        if let Presence::Live(object) = &mut self.presence {
            object.pack(R::packed);
            self.enrichment.pack(R::Enrichment::packed);
        }
        self.packed = true;
    }

    /// More, or something else, is known beyond the object.
    pub(crate) fn enrich(&mut self, enrichment: R::Enrichment) {
        self.enrichment = Kept::Whole(Arc::new(enrichment));
        self.packed = false;
    }

    pub(super) fn go(&mut self, evidence: Evidence, resource_version: u64) {
        self.presence = Presence::Gone(evidence);
        self.since = Instant::now();
        self.resource_version = resource_version.max(1);
        self.enrichment = Kept::default();
    }
}

impl<T: Default> Default for Kept<T> {
    fn default() -> Self {
        Self::Whole(Arc::default())
    }
}

impl<T> Kept<T> {
    fn whole(&self, unpacked: fn(&Bytes) -> Option<T>) -> Option<Arc<T>> {
        match self {
            Self::Whole(whole) => Some(Arc::clone(whole)),
            Self::Packed(packed) => unpacked(packed).map(Arc::new),
        }
    }

    fn pack(&mut self, packed: fn(&T) -> Option<Bytes>) {
        if let Self::Whole(whole) = self
            && let Some(packed) = packed(whole)
        {
            *self = Self::Packed(packed);
        }
    }
}
