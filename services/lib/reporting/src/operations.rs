//! Ended operations of one object that are not yet recorded. Each is reported until the inventory acknowledges it.

use std::{
    collections::{VecDeque, hash_map::DefaultHasher},
    hash::{Hash as _, Hasher as _},
};

use causeway_proto::{inventory::v1 as pb, time::timestamp_to_millis};

/// Pending operations per object.
const MAX_PENDING: usize = 32;
/// Pending operations per object of another reporter, which that one may leave unreported when it stops.
const MAX_PENDING_FOREIGN: usize = 4;

/// Hash of the fields that identify an operation in the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OperationId(u64);

/// Completeness of an operation record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knowledge {
    Whole,
    /// Enrichment will add more.
    Partial,
}

/// Ended operations of an object.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    /// Operations of the last observed state.
    seen: Box<[OperationId]>,
    waiting: VecDeque<Unrecorded>,
    /// Operations were dropped because another reporter had the object.
    is_cut: bool,
}

#[derive(Debug)]
struct Unrecorded {
    id: OperationId,
    record: pb::OperationRecord,
    /// Recorded, and waiting for enrichment.
    recorded: bool,
    /// Assignment of the object when the operation ended.
    observer: Observer,
}

/// Reporter that an object is assigned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Observer {
    /// This reporter, which may be the only one that saw the operation.
    Own,
    Other,
}

/// Operations of one report.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingOperations {
    pub(crate) records: Vec<pb::OperationRecord>,
    pub(crate) ids: Vec<(OperationId, Knowledge)>,
}

/// Finds the operations that a rejection refers to: one by its index, as in "operations[2].phase", or all.
pub(crate) fn find_refused<'a>(
    field: &str,
    reported: &'a [(OperationId, Knowledge)],
) -> &'a [(OperationId, Knowledge)] {
    let index = field
        .strip_prefix("operations[")
        .and_then(|rest| rest.split_once(']'))
        .and_then(|(index, _)| index.parse::<usize>().ok());
    let one = index.and_then(|index| reported.get(index..=index));
    one.unwrap_or(reported)
}

impl OperationId {
    fn new(record: &pb::OperationRecord) -> Self {
        let started_at = record.started_at.as_ref().map(timestamp_to_millis);
        let finished_at = record.finished_at.as_ref().map(timestamp_to_millis);
        let mut hasher = DefaultHasher::new();
        (started_at, record.deployment_id).hash(&mut hasher);
        if record.deployment_id.is_none() {
            (finished_at, &record.request_id).hash(&mut hasher);
        }
        Self(hasher.finish())
    }
}

impl Operations {
    /// Takes the ended operations of a state, oldest first. Drops the oldest above the limit and returns how many of them
    /// only this reporter may have seen.
    pub(crate) fn observe(&mut self, ended: Vec<pb::OperationRecord>, observer: Observer) -> usize {
        let ids: Box<[OperationId]> = ended.iter().map(OperationId::new).collect();
        for (id, record) in ids.iter().zip(ended) {
            let known = self.seen.contains(id) || self.waiting.iter().any(|it| it.id == *id);
            if !known {
                self.waiting.push_back(Unrecorded {
                    id: *id,
                    record,
                    recorded: false,
                    observer,
                });
            }
        }
        self.seen = ids;
        if observer == Observer::Other {
            self.cut_others();
        }
        let surplus = self.waiting.len().saturating_sub(MAX_PENDING);
        let cut = self.waiting.drain(..surplus);
        cut.filter(|it| !it.recorded && it.observer == Observer::Own)
            .count()
    }

    fn cut_others(&mut self) {
        let others = self
            .waiting
            .iter()
            .filter(|it| it.observer == Observer::Other);
        let mut surplus = others.count().saturating_sub(MAX_PENDING_FOREIGN);
        self.is_cut |= surplus > 0;
        self.waiting.retain(|it| {
            let cut = it.observer == Observer::Other && surplus > 0;
            surplus -= usize::from(cut);
            !cut
        });
    }

    /// Queues all operations again, after the inventory was restored from a backup.
    pub(crate) fn requeue(&mut self, ended: Vec<pb::OperationRecord>, observer: Observer) -> usize {
        self.seen = Box::default();
        self.is_cut = false;
        for waiting in &mut self.waiting {
            waiting.recorded = false;
        }
        self.observe(ended, observer)
    }

    /// True when operations were dropped that only the object itself still lists.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// True with a pending operation that only this reporter may have seen.
    pub(crate) fn has_own(&self) -> bool {
        let mut waiting = self.waiting.iter();
        waiting.any(|it| it.observer == Observer::Own && !it.recorded)
    }

    /// Drops the operations of the last state, which the inventory holds together with that state.
    pub(crate) fn drop_held(&mut self) {
        let seen = &self.seen;
        self.waiting.retain(|it| !seen.contains(&it.id));
    }

    /// Operations to report: unrecorded ones, and recorded ones that enrichment has completed since.
    pub(crate) fn pending(
        &self,
        complete: impl Fn(&mut pb::OperationRecord) -> Knowledge,
    ) -> PendingOperations {
        let mut reported = PendingOperations::default();
        for waiting in &self.waiting {
            let mut record = waiting.record.clone();
            let knowledge = complete(&mut record);
            if !waiting.recorded || record != waiting.record {
                reported.records.push(record);
                reported.ids.push((waiting.id, knowledge));
            }
        }
        reported
    }

    /// Marks reported operations as recorded and drops the complete ones.
    pub(crate) fn mark_recorded(&mut self, reported: &[(OperationId, Knowledge)]) {
        self.waiting.retain_mut(|it| {
            let Some((_, knowledge)) = reported.iter().find(|(id, _)| *id == it.id) else {
                return true;
            };
            it.recorded = true;
            *knowledge == Knowledge::Partial
        });
    }

    /// Drops rejected operations and returns their number.
    pub(crate) fn drop_refused(&mut self, refused: &[(OperationId, Knowledge)]) -> usize {
        let before = self.waiting.len();
        let is_refused = |waiting: &Unrecorded| refused.iter().any(|(id, _)| *id == waiting.id);
        self.waiting.retain(|waiting| !is_refused(waiting));
        before - self.waiting.len()
    }
}

#[cfg(test)]
mod tests;
