//! What is known of an object beyond the object: asked for elsewhere, and told when it is there.

use std::{convert::Infallible, fmt, sync::Arc};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::manifest::Content;

/// How much of an enrichment there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Quality {
    /// It was never asked for.
    #[default]
    Blank,
    /// Something failed that may work later.
    Lacking,
    /// There is nothing more to be had.
    Whole,
}

/// Which answers will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Any for the same state of the object.
    Cached,
    /// Those of now: the object is the same, and what it owns has changed perhaps.
    Settled,
}

/// Data about an `O` from other sources. The default is the state before the first request.
pub trait Enrichment<O>: Clone + Default + fmt::Debug + Send + Sync + 'static {
    /// Client of the source.
    type Source: Clone + Send + 'static;
    /// Responses of the source.
    type Answers: Send + 'static;

    /// Requests again after a delay, because owned objects change after the object itself.
    const SETTLES: bool;

    /// Requests again at each complete list, because the data can change while the object does not.
    const REVISITS: bool;

    /// Enrichment of a reporter without a source.
    fn without_source() -> Self;

    /// Completeness of the data.
    fn quality(&self) -> Quality;

    /// True when the inventory may hold more from an earlier run. A negative answer of the source counts as complete.
    fn is_incomplete(&self) -> bool {
        self.quality() != Quality::Whole
    }

    /// True when the data belongs to the current state of the object.
    fn is_current(&self, object: &O) -> bool;

    /// Requests all data of an object.
    fn fetch(
        source: Self::Source,
        object: Arc<O>,
        freshness: Freshness,
    ) -> impl Future<Output = Self::Answers> + Send;

    /// Merges responses; failed parts keep their last value. Also returns the manifests that the inventory may request.
    fn merge(&self, answers: Self::Answers) -> (Self, Vec<Content>);

    /// Drops the digests of manifests whose bytes were released.
    fn without_manifests(&self) -> Self;

    /// Compresses the data without loss; `None` keeps it as it is.
    fn compress(&self) -> Option<Bytes> {
        None
    }

    /// Reverses [`Self::compress`].
    fn decompress(_packed: &Bytes) -> Option<Self> {
        None
    }
}

/// For kinds without enrichment.
impl<O: Send + Sync + 'static> Enrichment<O> for () {
    type Source = Infallible;
    type Answers = Infallible;

    const SETTLES: bool = false;
    const REVISITS: bool = false;

    fn without_source() -> Self {}

    fn quality(&self) -> Quality {
        Quality::Whole
    }

    fn is_current(&self, _object: &O) -> bool {
        true
    }

    async fn fetch(source: Infallible, _object: Arc<O>, _freshness: Freshness) -> Infallible {
        match source {}
    }

    fn merge(&self, answers: Infallible) -> (Self, Vec<Content>) {
        match answers {}
    }

    fn without_manifests(&self) -> Self {}
}
