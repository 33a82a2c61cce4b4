//! The spool's records in memory: which webhooks were seen, and what is to be done. Pure values; time is given in milliseconds.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use crate::{
    delivery::{Delivery, Progress, State, Subscriber},
    route::RouteName,
    spool::Record,
};

/// A delivery id is remembered for so long.
pub(crate) const MEMORY_MS: u64 = 7 * 24 * 60 * 60 * 1000;
/// Deliveries that are remembered. Of more, the oldest finished ones are forgotten.
pub(crate) const MAX_ENTRIES: usize = 200_000;

/// Where a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) segment: u64,
    pub(crate) at: u64,
    pub(crate) length: u64,
}

/// A remembered delivery.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) delivery: Arc<Delivery>,
    /// None if the body was removed.
    pub(crate) body: Option<Place>,
    /// The file with its newest whole record.
    segment: u64,
    pub(crate) redeliveries: u32,
    pub(crate) progress: BTreeMap<Subscriber, Progress>,
}

/// Which deliveries a list wants.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    pub(crate) route: Option<String>,
    pub(crate) state: Option<State>,
    /// Only older ones.
    pub(crate) before: Option<u64>,
}

/// All deliveries of the spool.
#[derive(Debug)]
pub(crate) struct Index {
    subscribers: Vec<Subscriber>,
    entries: BTreeMap<u64, Entry>,
    by_id: HashMap<(RouteName, String), u64>,
    /// Deliveries that no one tries at the moment, by the time when they are due.
    ready: BTreeMap<Subscriber, BTreeSet<(u64, u64)>>,
    next: u64,
}

impl Index {
    pub(crate) fn new(subscribers: Vec<Subscriber>) -> Self {
        Self {
            subscribers,
            entries: BTreeMap::new(),
            by_id: HashMap::new(),
            ready: BTreeMap::new(),
            next: 1,
        }
    }

    /// Takes the next number.
    pub(crate) fn allocate(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    pub(crate) fn seen(&self, route: &RouteName, id: &str) -> Option<u64> {
        let key = (route.clone(), id.to_owned());
        self.by_id.get(&key).copied()
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Entry> {
        self.entries.get(&number)
    }

    /// Takes over a durable record.
    pub(crate) fn apply(&mut self, record: Record, segment: u64, body: Option<Place>) {
        match record {
            Record::Received(delivery) => {
                let pending = Progress::pending(delivery.received_ms);
                let progress = self.subscribers.iter();
                let progress = progress.map(|one| (*one, pending.clone())).collect();
                self.insert(delivery, segment, body, (0, progress));
            }
            Record::Kept {
                delivery,
                redeliveries,
                progress,
            } => self.insert(delivery, segment, None, (redeliveries, progress)),
            Record::Progress {
                number,
                subscriber,
                progress,
            } => self.record(number, subscriber, &progress),
            Record::Redelivered { number } => {
                if let Some(entry) = self.entries.get_mut(&number) {
                    entry.redeliveries += 1;
                }
            }
        }
    }

    fn insert(
        &mut self,
        delivery: Delivery,
        segment: u64,
        body: Option<Place>,
        (redeliveries, progress): (u32, BTreeMap<Subscriber, Progress>),
    ) {
        let number = delivery.number;
        self.forget(number);
        self.next = self.next.max(number + 1);
        let key = (delivery.route.clone(), delivery.id.clone());
        self.by_id.insert(key, number);
        for (subscriber, one) in &progress {
            self.schedule(*subscriber, number, one);
        }
        let entry = Entry {
            delivery: Arc::new(delivery),
            body,
            segment,
            redeliveries,
            progress,
        };
        self.entries.insert(number, entry);
    }

    fn record(&mut self, number: u64, subscriber: Subscriber, progress: &Progress) {
        let Some(entry) = self.entries.get_mut(&number) else {
            return;
        };
        let before = entry.progress.insert(subscriber, progress.clone());
        if let (Some(before), Some(ready)) = (before, self.ready.get_mut(&subscriber)) {
            ready.remove(&(before.due_ms, number));
        }
        self.schedule(subscriber, number, progress);
    }

    fn schedule(&mut self, subscriber: Subscriber, number: u64, progress: &Progress) {
        if progress.state == State::Pending && self.subscribers.contains(&subscriber) {
            let ready = self.ready.entry(subscriber).or_default();
            ready.insert((progress.due_ms, number));
        }
    }

    /// Removes a delivery from memory.
    pub(crate) fn forget(&mut self, number: u64) {
        let Some(entry) = self.entries.remove(&number) else {
            return;
        };
        for (subscriber, progress) in &entry.progress {
            if let Some(ready) = self.ready.get_mut(subscriber) {
                ready.remove(&(progress.due_ms, number));
            }
        }
        let key = (entry.delivery.route.clone(), entry.delivery.id.clone());
        if self.by_id.get(&key) == Some(&number) {
            self.by_id.remove(&key);
        }
    }

    /// Takes due deliveries of a subscriber, oldest first. Each is given out once, until its progress is recorded.
    pub(crate) fn take_ready(
        &mut self,
        subscriber: Subscriber,
        now_ms: u64,
        limit: usize,
    ) -> Vec<(Arc<Delivery>, Progress)> {
        let Some(ready) = self.ready.get_mut(&subscriber) else {
            return Vec::new();
        };
        let due = ready.range(..=(now_ms, u64::MAX)).take(limit);
        let due: Vec<_> = due.copied().collect();
        let mut taken = Vec::with_capacity(due.len());
        for key in due {
            ready.remove(&key);
            if let Some(entry) = self.entries.get(&key.1)
                && let Some(progress) = entry.progress.get(&subscriber)
            {
                taken.push((Arc::clone(&entry.delivery), progress.clone()));
            }
        }
        taken
    }

    /// When the next delivery of a subscriber is due.
    pub(crate) fn next_due(&self, subscriber: Subscriber) -> Option<u64> {
        let first = self.ready.get(&subscriber)?.first()?;
        Some(first.0)
    }

    /// The progress that makes a delivery pending again at these subscribers: all of them, or those where it is dead.
    pub(crate) fn revived(
        &self,
        number: u64,
        which: Revive,
        now_ms: u64,
    ) -> Vec<(Subscriber, Progress)> {
        let Some(entry) = self.entries.get(&number) else {
            return Vec::new();
        };
        let wanted = |subscriber: &&Subscriber| {
            let state = entry.progress.get(*subscriber).map(|one| one.state);
            match which {
                Revive::Dead => state == Some(State::Dead),
                Revive::All => state != Some(State::Pending),
            }
        };
        let subscribers = self.subscribers.iter().filter(wanted);
        subscribers
            .map(|one| (*one, Progress::pending(now_ms)))
            .collect()
    }

    /// Lists the newest first.
    pub(crate) fn list(&self, filter: &Filter, limit: usize) -> Vec<&Entry> {
        let before = filter.before.unwrap_or(u64::MAX);
        let newest = self.entries.range(..before).rev().map(|(_, entry)| entry);
        let wanted = |entry: &&Entry| {
            let route = filter.route.as_ref();
            let state = filter.state;
            route.is_none_or(|route| entry.delivery.route.as_str() == route)
                && state.is_none_or(|state| entry.progress.values().any(|one| one.state == state))
        };
        newest.filter(wanted).take(limit).collect()
    }

    /// Deliveries whose newest record is in a file, and whether one of them is neither finished nor too old.
    pub(crate) fn of_segment(&self, segment: u64, now_ms: u64) -> SegmentContent {
        let mut content = SegmentContent::default();
        for (number, entry) in &self.entries {
            if entry.segment != segment {
                continue;
            }
            let is_old = entry.delivery.received_ms.saturating_add(MEMORY_MS) <= now_ms;
            if is_old {
                content.old.push(*number);
                continue;
            }
            content.is_needed |= !self.is_finished(entry);
            content.remembered.push(*number);
        }
        content
    }

    fn is_finished(&self, entry: &Entry) -> bool {
        let mut own = entry.progress.iter();
        own.all(|(subscriber, one)| {
            one.state != State::Pending || !self.subscribers.contains(subscriber)
        })
    }

    /// The record that stands for a delivery whose file is removed.
    pub(crate) fn kept(&self, number: u64) -> Option<Record> {
        let entry = self.entries.get(&number)?;
        Some(Record::Kept {
            delivery: Delivery::clone(&entry.delivery),
            redeliveries: entry.redeliveries,
            progress: entry.progress.clone(),
        })
    }

    /// Forgets the oldest finished deliveries above the limit.
    pub(crate) fn bound(&mut self, most: usize) {
        let excess = self.entries.len().saturating_sub(most);
        let finished = self.entries.iter().filter(|(_, it)| self.is_finished(it));
        let oldest: Vec<_> = finished.take(excess).map(|(number, _)| *number).collect();
        for number in oldest {
            self.forget(number);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// What is made pending again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Revive {
    Dead,
    All,
}

/// Deliveries of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SegmentContent {
    /// True if one is pending.
    pub(crate) is_needed: bool,
    /// Their ids must stay known.
    pub(crate) remembered: Vec<u64>,
    pub(crate) old: Vec<u64>,
}
