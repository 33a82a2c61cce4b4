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

/// What is known of an `O` beyond it. The default is what is known before anybody was asked.
pub trait Enrichment<O>: Clone + Default + fmt::Debug + Send + Sync + 'static {
    /// Who is asked.
    type Source: Clone + Send + 'static;
    /// What was answered.
    type Answers: Send + 'static;

    /// Whether what an object owns goes on changing for a while after the object, so that it is asked about once more.
    const SETTLES: bool;

    /// Whether it may change though the object does not, so that it is asked about again at each complete list.
    const REVISITS: bool;

    /// What is known where there is nobody to ask.
    fn without_source() -> Self;

    /// Whether all of it could be had.
    fn quality(&self) -> Quality;

    /// Whether the receiver may know more from an earlier run: what could not be had is none, an answer that says no is one.
    fn lacks(&self) -> bool {
        self.quality() != Quality::Whole
    }

    /// Whether it is what was answered for the object as it is now.
    fn is_of(&self, object: &O) -> bool;

    /// Asks for all of it at once.
    fn ask(
        source: Self::Source,
        object: Arc<O>,
        freshness: Freshness,
    ) -> impl Future<Output = Self::Answers> + Send;

    /// Takes up what was answered; what failed stays as it was known last. With it come manifests that may be wanted.
    fn renewed(&self, answers: Self::Answers) -> (Self, Vec<Content>);

    /// Without manifests: their bytes are no longer here.
    fn without_manifests(&self) -> Self;

    /// The same as fewer bytes, of which it can be made again as it was; nothing where it is kept as it is.
    fn packed(&self) -> Option<Bytes> {
        None
    }

    /// What these bytes are of.
    fn unpacked(_packed: &Bytes) -> Option<Self> {
        None
    }
}

/// Nothing is known beyond the object, and nobody is asked.
impl<O: Send + Sync + 'static> Enrichment<O> for () {
    type Source = Infallible;
    type Answers = Infallible;

    const SETTLES: bool = false;
    const REVISITS: bool = false;

    fn without_source() -> Self {}

    fn quality(&self) -> Quality {
        Quality::Whole
    }

    fn is_of(&self, _object: &O) -> bool {
        true
    }

    async fn ask(source: Infallible, _object: Arc<O>, _freshness: Freshness) -> Infallible {
        match source {}
    }

    fn renewed(&self, answers: Infallible) -> (Self, Vec<Content>) {
        match answers {}
    }

    fn without_manifests(&self) -> Self {}
}
