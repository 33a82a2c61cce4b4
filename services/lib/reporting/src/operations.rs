//! Ended operations of one object that are not yet recorded. Each is reported until the inventory acknowledges it.

use std::{
    collections::{VecDeque, hash_map::DefaultHasher},
    hash::{Hash as _, Hasher as _},
};

use causeway_proto::{inventory::v1 as pb, time::timestamp_to_millis};

/// How many of one object wait to be recorded.
const MOST: usize = 32;
/// How many wait of an object that another reporter tells of: as many as that one may leave behind untold.
const MOST_FOREIGN: usize = 4;

/// What an operation is known by, as the contract has it, in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OperationId(u64);

/// How much of an operation there is to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knowledge {
    /// There is nothing more.
    Whole,
    /// More will be known later.
    Partial,
}

/// Ended operations of an object.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    /// Of the object as it was seen last.
    seen: Box<[OperationId]>,
    waiting: VecDeque<Waiting>,
    /// Operations were dropped because another reporter had the object.
    is_cut: bool,
}

#[derive(Debug)]
struct Waiting {
    id: OperationId,
    record: pb::OperationRecord,
    /// It is recorded, and waits for what was not known of it.
    recorded: bool,
    /// Who told of the object when it was seen to end.
    observer: Observer,
}

/// Who tells of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Observer {
    /// This reporter: nobody else may have seen what it saw.
    Own,
    /// Another one.
    Other,
}

/// Operations that a report tells.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingOperations {
    pub(crate) records: Vec<pb::OperationRecord>,
    pub(crate) ids: Vec<(OperationId, Knowledge)>,
}

/// Those of a report that a refusal names: one by its place, as "operations[2].phase", or all.
pub(crate) fn named<'a>(
    field: &str,
    told: &'a [(OperationId, Knowledge)],
) -> &'a [(OperationId, Knowledge)] {
    let place = field
        .strip_prefix("operations[")
        .and_then(|rest| rest.split_once(']'))
        .and_then(|(place, _)| place.parse::<usize>().ok());
    let one = place.and_then(|place| told.get(place..=place));
    one.unwrap_or(told)
}

impl OperationId {
    fn of(record: &pb::OperationRecord) -> Self {
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
    /// The object has these now, the oldest first. Of those that wait the newest are kept; gives how many were cut that nobody
    /// else tells.
    pub(crate) fn observe(&mut self, ended: Vec<pb::OperationRecord>, observer: Observer) -> usize {
        let ids: Box<[OperationId]> = ended.iter().map(OperationId::of).collect();
        for (id, record) in ids.iter().zip(ended) {
            let known = self.seen.contains(id) || self.waiting.iter().any(|it| it.id == *id);
            if !known {
                self.waiting.push_back(Waiting {
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
        let surplus = self.waiting.len().saturating_sub(MOST);
        let cut = self.waiting.drain(..surplus);
        cut.filter(|it| !it.recorded && it.observer == Observer::Own)
            .count()
    }

    fn cut_others(&mut self) {
        let others = self
            .waiting
            .iter()
            .filter(|it| it.observer == Observer::Other);
        let mut surplus = others.count().saturating_sub(MOST_FOREIGN);
        self.is_cut |= surplus > 0;
        self.waiting.retain(|it| {
            let cut = it.observer == Observer::Other && surplus > 0;
            surplus -= usize::from(cut);
            !cut
        });
    }

    /// The receiver is not what it was: what it had recorded may be gone, and all that the object still tells is told again.
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

    /// Whether something waits that this reporter alone may have seen.
    pub(crate) fn has_own(&self) -> bool {
        let mut waiting = self.waiting.iter();
        waiting.any(|it| it.observer == Observer::Own && !it.recorded)
    }

    /// The receiver holds the object as it was seen last, and so has recorded what came with that.
    pub(crate) fn drop_held(&mut self) {
        let seen = &self.seen;
        self.waiting.retain(|it| !seen.contains(&it.id));
    }

    /// What there is to tell: what is not recorded, and what is known by now of the rest.
    pub(crate) fn pending(
        &self,
        complete: impl Fn(&mut pb::OperationRecord) -> Knowledge,
    ) -> PendingOperations {
        let mut told = PendingOperations::default();
        for waiting in &self.waiting {
            let mut record = waiting.record.clone();
            let knowledge = complete(&mut record);
            if !waiting.recorded || record != waiting.record {
                told.records.push(record);
                told.ids.push((waiting.id, knowledge));
            }
        }
        told
    }

    /// What was told is recorded.
    pub(crate) fn mark_recorded(&mut self, told: &[(OperationId, Knowledge)]) {
        self.waiting.retain_mut(|it| {
            let Some((_, knowledge)) = told.iter().find(|(id, _)| *id == it.id) else {
                return true;
            };
            it.recorded = true;
            *knowledge == Knowledge::Partial
        });
    }

    /// These will never be taken; gives how many are lost.
    pub(crate) fn drop_refused(&mut self, refused: &[(OperationId, Knowledge)]) -> usize {
        let before = self.waiting.len();
        let is_refused = |waiting: &Waiting| refused.iter().any(|(id, _)| *id == waiting.id);
        self.waiting.retain(|waiting| !is_refused(waiting));
        before - self.waiting.len()
    }
}

#[cfg(test)]
mod tests;
