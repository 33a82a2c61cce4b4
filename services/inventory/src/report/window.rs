//! The reports of one stream that are not answered yet, within bounds.

use std::collections::{BTreeMap, BTreeSet};

use super::ordered::OrderedChange;
use crate::{application::Uid, digest::Digest};

/// Reports that were taken and not answered.
#[derive(Debug, Default)]
pub(super) struct Window {
    reports: BTreeMap<u64, Waiting>,
    bytes: usize,
}

#[derive(Debug)]
struct Waiting {
    change: OrderedChange,
    /// Empty while the report is being committed.
    missing: BTreeSet<Digest>,
}

impl Window {
    pub(super) fn len(&self) -> usize {
        self.reports.len()
    }

    /// About how many bytes are held, manifests that are being committed included.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn contains(&self, sequence: u64) -> bool {
        self.reports.contains_key(&sequence)
    }

    pub(super) fn insert(&mut self, change: OrderedChange) {
        self.bytes += change.size();
        let sequence = change.sequence();
        let missing = BTreeSet::new();
        self.reports.insert(sequence, Waiting { change, missing });
    }

    pub(super) fn remove(&mut self, sequence: u64) -> Option<OrderedChange> {
        let waiting = self.reports.remove(&sequence)?;
        self.bytes = self.bytes.saturating_sub(waiting.change.size());
        Some(waiting.change)
    }

    /// Lets a report wait for manifests.
    pub(super) fn wait(&mut self, sequence: u64, digests: &[Digest]) {
        if let Some(waiting) = self.reports.get_mut(&sequence) {
            waiting.missing.extend(digests);
        }
    }

    /// The reports that wait for a manifest.
    pub(super) fn waiting_for(&self, digest: &Digest) -> Vec<u64> {
        let waits = |(_, waiting): &(&u64, &Waiting)| waiting.missing.contains(digest);
        let found = self.reports.iter().filter(waits);
        found.map(|(sequence, _)| *sequence).collect()
    }

    pub(super) fn manifest_taken(&mut self, size: usize) {
        self.bytes += size;
    }

    /// A manifest is there: the reports that now wait for nothing, to be committed.
    pub(super) fn manifest_kept(&mut self, digest: &Digest, size: usize) -> Vec<OrderedChange> {
        self.bytes = self.bytes.saturating_sub(size);
        let mut complete = Vec::new();
        for waiting in self.reports.values_mut() {
            if waiting.missing.remove(digest) && waiting.missing.is_empty() {
                complete.push(waiting.change.clone());
            }
        }
        complete
    }

    /// Reports of an object that wait for manifests although a newer one was kept: they are to be tried again, to be superseded.
    pub(super) fn release(&mut self, kept: &Uid) -> Vec<OrderedChange> {
        let same = |waiting: &&mut Waiting| waiting.change.uid() == kept;
        let stuck = |waiting: &&mut Waiting| !waiting.missing.is_empty();
        let found = self.reports.values_mut().filter(same).filter(stuck);
        found
            .map(|waiting| {
                waiting.missing.clear();
                waiting.change.clone()
            })
            .collect()
    }
}
