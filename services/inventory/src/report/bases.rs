//! States that were kept in this stream: a next one may come as a patch of one of them. The last ones are remembered, within a bound
//! of bytes; those that are not are read from the store.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;

use crate::{
    application::{HeldState, Uid},
    digest::Digest,
};

const MOST_BYTES: usize = 16 << 20;

/// States by object.
#[derive(Debug, Default)]
pub(super) struct Bases {
    states: HashMap<Uid, (Digest, Bytes)>,
    /// Each object once, the one first that was remembered first.
    order: VecDeque<Uid>,
    bytes: usize,
}

impl Bases {
    /// The state of an object with this digest.
    pub(super) fn get(&self, uid: &Uid, root: &Digest) -> Option<Bytes> {
        let (held, canonical) = self.states.get(uid)?;
        (held == root).then(|| canonical.clone())
    }

    /// The state of an object that was remembered last.
    pub(super) fn last(&self, uid: &Uid) -> Option<HeldState> {
        let (root_digest, canonical) = self.states.get(uid)?;
        Some(HeldState {
            root_digest: *root_digest,
            canonical: canonical.clone(),
        })
    }

    /// Remembers the state of an object in the place of the one before.
    pub(super) fn keep(&mut self, uid: &Uid, root_digest: Digest, canonical: Bytes) {
        let kept = (root_digest, canonical);
        self.bytes += kept.1.len();
        match self.states.insert(uid.clone(), kept) {
            Some((_, before)) => self.bytes -= before.len(),
            None => self.order.push_back(uid.clone()),
        }
        while self.bytes > MOST_BYTES
            && let Some(first) = self.order.pop_front()
        {
            let gone = self.states.remove(&first);
            self.bytes -= gone.map_or(0, |(_, canonical)| canonical.len());
        }
    }
}
