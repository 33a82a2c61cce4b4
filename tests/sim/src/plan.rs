//! What happens when, drawn from a seed: changes of the cluster, and outages that all end.

use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use crate::network::{PLATFORM, RUNTIME};

/// Outages are over by then.
const OUTAGES_END: u64 = 40_000;
/// Changes are over by then.
const CHANGES_END: u64 = 45_000;
const CHANGES: usize = 300;

/// Something that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// The cluster changes.
    Change,
    /// Nothing goes through any more.
    Partition,
    /// Nothing goes through from the first to the second.
    PartitionOneWay(&'static str, &'static str),
    /// All of it does again; what was sent is lost.
    Repair,
    /// Everything is delayed.
    Hold,
    /// What was delayed arrives.
    Release,
    /// A host loses its power.
    Crash(&'static str),
    /// A host starts again.
    Bounce(&'static str),
    /// The watch of the cluster loses what happens.
    Mute,
    /// The cluster is listed.
    Relist,
}

/// The whole of one simulation.
#[derive(Debug)]
pub(crate) struct Plan {
    /// In the order of times.
    pub(crate) actions: Vec<(Duration, Action)>,
    /// The longest that a message takes.
    pub(crate) latency: Duration,
    /// When nothing happens any more.
    pub(crate) end: Duration,
}

impl Plan {
    /// Changes and outages.
    pub(crate) fn stormy(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let mut actions = changes(&mut random);
        actions.extend(outages(&mut random, 500..6_000, 100..9_000, broken_network));
        actions.extend(outages(&mut random, 3_000..15_000, 50..5_000, crash));
        actions.extend(outages(&mut random, 2_000..12_000, 50..3_000, |_| {
            (Action::Mute, Action::Relist)
        }));
        Self::of(actions, &mut random)
    }

    /// Changes only.
    pub(crate) fn calm(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let actions = changes(&mut random);
        Self::of(actions, &mut random)
    }

    fn of(mut actions: Vec<(u64, Action)>, random: &mut StdRng) -> Self {
        actions.sort_by_key(|(at, _)| *at);
        let timed = actions.into_iter();
        Self {
            actions: timed
                .map(|(at, action)| (Duration::from_millis(at), action))
                .collect(),
            latency: Duration::from_millis(random.random_range(5..300)),
            end: Duration::from_millis(CHANGES_END),
        }
    }
}

fn changes(random: &mut StdRng) -> Vec<(u64, Action)> {
    let mut at = || random.random_range(0..CHANGES_END);
    (0..CHANGES).map(|_| (at(), Action::Change)).collect()
}

/// Outages of one kind, one after the other.
fn outages(
    random: &mut StdRng,
    pauses: std::ops::Range<u64>,
    lengths: std::ops::Range<u64>,
    kind: impl Fn(&mut StdRng) -> (Action, Action),
) -> Vec<(u64, Action)> {
    let mut actions = Vec::new();
    let mut at = random.random_range(pauses.clone());
    while at < OUTAGES_END {
        let (breaks, heals) = kind(random);
        actions.push((at, breaks));
        at = (at + random.random_range(lengths.clone())).min(OUTAGES_END);
        actions.push((at, heals));
        at += random.random_range(pauses.clone());
    }
    actions
}

fn broken_network(random: &mut StdRng) -> (Action, Action) {
    match random.random_range(0..5) {
        0 => (Action::Hold, Action::Release),
        1 => (Action::PartitionOneWay(RUNTIME, PLATFORM), Action::Repair),
        2 => (Action::PartitionOneWay(PLATFORM, RUNTIME), Action::Repair),
        _ => (Action::Partition, Action::Repair),
    }
}

fn crash(random: &mut StdRng) -> (Action, Action) {
    let host = if random.random() { PLATFORM } else { RUNTIME };
    (Action::Crash(host), Action::Bounce(host))
}
