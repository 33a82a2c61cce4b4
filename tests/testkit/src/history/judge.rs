//! The promises, each as a rule over the events.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt,
};

use super::{Event, Moment};

/// What is promised of reporting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Promise {
    /// E1: once all is quiet, what is shown is what there is, deletions included.
    FinalState,
    /// E2: what is shown of an object was once so, and never an older state after a newer one.
    Order,
    /// E3: an object that is gone never comes back; its name may, with another uid.
    NoResurrection,
    /// E4: each sync operation that ended is kept exactly once.
    Operations,
    /// E5: no more keys wait than may.
    Bound,
    /// E6: what was acknowledged, or something newer, is there at the end.
    Durable,
    /// E7: a report takes effect at most once: what came of it stands in the history once.
    Once,
    /// E8: a state is shown with all of its parts.
    Whole,
}

/// A broken promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which promise.
    pub promise: Promise,
    /// The number of the event that shows it, from 0.
    pub event: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            promise,
            event,
            what,
        } = self;
        write!(formatter, "{promise:?}, event {event}: {what}")
    }
}

/// What is known after the events so far.
#[derive(Default)]
struct Judge<'a> {
    /// Every state that there ever was: whoever notes them may come later than whoever notes what is shown.
    was: HashSet<&'a Moment>,
    truth: BTreeMap<&'a str, &'a Moment>,
    ended: BTreeSet<(&'a str, &'a str)>,
    shown: BTreeMap<&'a str, &'a Moment>,
    newest: HashMap<&'a str, u64>,
    gone: HashSet<&'a str>,
    kept: BTreeMap<(&'a str, &'a str), u64>,
    recorded: HashSet<&'a Moment>,
    /// The newest state that was acknowledged of each object; none for its deletion.
    acknowledged: BTreeMap<&'a str, Option<&'a Moment>>,
    violations: Vec<Violation>,
    at: usize,
}

pub(super) fn judge(events: &[Event], most_queued: u64) -> Vec<Violation> {
    let mut judge = Judge {
        was: events.iter().filter_map(Event::applied).collect(),
        ..Judge::default()
    };
    for (at, event) in events.iter().enumerate() {
        judge.at = at;
        judge.take(event, most_queued);
    }
    judge.violations
}

/// Shows a state; tells of the object that had its name.
fn put<'a>(shown: &mut BTreeMap<&'a str, &'a Moment>, moment: &'a Moment) -> Option<&'a str> {
    let same_name = |other: &&Moment| other.name == moment.name && other.uid != moment.uid;
    let former = shown.values().copied().find(same_name);
    let former = former.map(|former| &*former.uid);
    if let Some(former) = former {
        shown.remove(former);
    }
    shown.insert(&moment.uid, moment);
    former
}

pub(super) fn shown(events: &[Event]) -> BTreeMap<&str, &Moment> {
    let mut shown = BTreeMap::new();
    for event in events {
        match event {
            Event::Shown { moment } => drop(put(&mut shown, moment)),
            Event::Gone { uid } => drop(shown.remove(&**uid)),
            Event::Applied(_)
            | Event::Removed { .. }
            | Event::OperationEnded { .. }
            | Event::Recorded { .. }
            | Event::OperationKept { .. }
            | Event::Acknowledged { .. }
            | Event::Queued(_)
            | Event::PartMissing { .. }
            | Event::Settled => {}
        }
    }
    shown
}

impl<'a> Judge<'a> {
    fn take(&mut self, event: &'a Event, most_queued: u64) {
        match event {
            Event::Applied(moment) => {
                self.truth.insert(&moment.uid, moment);
            }
            Event::Removed { uid, .. } => {
                self.truth.remove(&**uid);
            }
            Event::OperationEnded { uid, operation } => {
                self.ended.insert((uid, operation));
            }
            Event::Shown { moment } => self.show(moment),
            Event::Recorded { moment } => self.record(moment),
            Event::Gone { uid } => {
                self.shown.remove(&**uid);
                self.gone.insert(uid);
            }
            Event::OperationKept { uid, operation } => self.keep(uid, operation),
            Event::Acknowledged { uid, moment } => self.acknowledge(uid, moment.as_ref()),
            Event::Queued(keys) if *keys > most_queued => {
                let what = format!("{keys} keys wait, and {most_queued} may");
                self.violate(Promise::Bound, what);
            }
            Event::Queued(_) => {}
            Event::PartMissing { uid, part } => {
                self.violate(Promise::Whole, format!("{uid} is shown without {part}"));
            }
            Event::Settled => self.settle(),
        }
    }

    fn show(&mut self, moment: &'a Moment) {
        let uid = &*moment.uid;
        if !self.was.contains(moment) {
            self.violate(Promise::Order, format!("never was: {moment:?}"));
        }
        if self.gone.contains(uid) {
            self.violate(Promise::NoResurrection, format!("came back: {moment:?}"));
        }
        let newest = self.newest.entry(uid).or_default();
        let before = *newest;
        *newest = before.max(moment.version);
        if before > moment.version {
            self.violate(Promise::Order, format!("after {before}: {moment:?}"));
        }
        self.gone.extend(put(&mut self.shown, moment));
    }

    fn record(&mut self, moment: &'a Moment) {
        if !self.was.contains(moment) {
            self.violate(
                Promise::Order,
                format!("recorded, and never was: {moment:?}"),
            );
        }
        if !self.recorded.insert(moment) {
            self.violate(Promise::Once, format!("recorded again: {moment:?}"));
        }
    }

    fn keep(&mut self, uid: &'a str, operation: &'a str) {
        let times = self.kept.entry((uid, operation)).or_default();
        *times += 1;
        if *times > 1 {
            let what = format!("{uid}'s operation {operation} is kept {times} times");
            self.violate(Promise::Operations, what);
        }
        if !self.ended.contains(&(uid, operation)) {
            let what = format!("{uid}'s operation {operation} never ended");
            self.violate(Promise::Operations, what);
        }
    }

    fn acknowledge(&mut self, uid: &'a str, moment: Option<&'a Moment>) {
        let before = self.acknowledged.get(uid).copied().flatten();
        let older = match (moment, before) {
            (Some(moment), Some(before)) => moment.version < before.version,
            _ => false,
        };
        if !older {
            self.acknowledged.insert(uid, moment);
        }
    }

    fn settle(&mut self) {
        let (truth, shown) = (self.truth.clone(), self.shown.clone());
        for (uid, moment) in &truth {
            match shown.get(uid) {
                Some(there) if there == moment => {}
                Some(there) => {
                    let what = format!("{there:?} is shown and {moment:?} is so");
                    self.violate(Promise::FinalState, what);
                }
                None => self.violate(Promise::FinalState, format!("not shown: {moment:?}")),
            }
        }
        for (_, ghost) in shown.iter().filter(|(uid, _)| !truth.contains_key(*uid)) {
            self.violate(Promise::FinalState, format!("a ghost: {ghost:?}"));
        }
        self.settle_operations();
        self.settle_acknowledged(&shown);
    }

    fn settle_operations(&mut self) {
        let kept = &self.kept;
        let lost = self.ended.iter().filter(|ended| !kept.contains_key(*ended));
        let lost: Vec<_> = lost.copied().collect();
        for (uid, operation) in lost {
            let what = format!("{uid}'s operation {operation} is not kept");
            self.violate(Promise::Operations, what);
        }
    }

    fn settle_acknowledged(&mut self, shown: &BTreeMap<&'a str, &'a Moment>) {
        for (uid, moment) in self.acknowledged.clone() {
            let there = shown.get(uid);
            let lost = match moment {
                Some(moment) => {
                    let newer = there.is_some_and(|there| there.version >= moment.version);
                    !newer && !self.gone.contains(uid)
                }
                None => there.is_some(),
            };
            if lost {
                let what = format!("{uid}: {moment:?} was acknowledged and {there:?} is there");
                self.violate(Promise::Durable, what);
            }
        }
    }

    fn violate(&mut self, promise: Promise, what: String) {
        let event = self.at;
        self.violations.push(Violation {
            promise,
            event,
            what,
        });
    }
}
