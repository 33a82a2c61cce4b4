//! What happens when, drawn from a seed: changes of the cluster, and outages that all end.

use std::{ops::Range, time::Duration};

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use crate::network::{OTHER_PLATFORM, OTHER_RUNTIME, PLATFORM, RUNTIME};

/// Outages are over at some time between these, in milliseconds.
const OUTAGES_END: Range<u64> = 4_000..20_000;
/// Changes go on for so long after that.
const AFTERWARDS: u64 = 2_000;
/// One change in so many milliseconds.
const CHANGE_EVERY: u64 = 200;
/// How many keys wait to be sent at most: all sizes but the last are too small for some plans.
const QUEUES: [usize; 4] = [2, 8, 32, 1_000];
/// How finely time goes.
const TICKS: [u64; 3] = [10, 50, 100];

/// Something that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// The cluster changes.
    Change,
    /// Nothing goes through any more between two hosts.
    Partition(Pair),
    /// Nothing goes through from the first to the second.
    PartitionOneWay(Pair),
    /// All of it does again; what was sent is lost.
    Repair(Pair),
    /// Everything is delayed.
    Hold(Pair),
    /// What was delayed arrives.
    Release(Pair),
    /// A host loses its power.
    Crash(&'static str),
    /// A host starts again.
    Bounce(&'static str),
    /// A host's watch of the cluster loses what happens.
    Mute(&'static str),
    /// The cluster is listed by a host.
    Relist(&'static str),
}

/// Two hosts.
pub(crate) type Pair = (&'static str, &'static str);

/// Who reports, and to which replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cast {
    /// One reporter to one inventory.
    One,
    /// Two reporters, each to a replica of its own.
    Two,
}

impl Cast {
    /// Reporters with the hosts that they report to.
    pub(crate) fn pairs(self) -> &'static [Pair] {
        match self {
            Self::One => &[(RUNTIME, PLATFORM)],
            Self::Two => &[(RUNTIME, PLATFORM), (OTHER_RUNTIME, OTHER_PLATFORM)],
        }
    }
}

/// The whole of one simulation.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) cast: Cast,
    /// In the order of times.
    pub(crate) actions: Vec<(Duration, Action)>,
    /// The longest that a message takes.
    pub(crate) latency: Duration,
    /// How finely time goes.
    pub(crate) tick: Duration,
    /// How many keys wait to be sent.
    pub(crate) queue: usize,
    /// When nothing happens any more.
    pub(crate) end: Duration,
}

impl Plan {
    /// Changes and outages.
    pub(crate) fn stormy(seed: u64) -> Self {
        Self::with_outages(seed, Cast::One)
    }

    /// The same with two reporters that come and go, each with outages of its own.
    pub(crate) fn crowded(seed: u64) -> Self {
        Self::with_outages(seed, Cast::Two)
    }

    fn with_outages(seed: u64, cast: Cast) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let end = random.random_range(OUTAGES_END);
        let mut actions = changes(&mut random, end);
        for pair in cast.pairs().iter().copied() {
            let random = &mut random;
            let network = |random: &mut StdRng| broken_network(random, pair);
            actions.extend(outages(random, end, (500..6_000, 100..9_000), network));
            let crash = |random: &mut StdRng| crash(random, pair);
            actions.extend(outages(random, end, (3_000..15_000, 50..5_000), crash));
            let mute = |_: &mut StdRng| (Action::Mute(pair.0), Action::Relist(pair.0));
            actions.extend(outages(random, end, (2_000..12_000, 50..3_000), mute));
        }
        Self::of(actions, &mut random, (cast, end))
    }

    /// Changes only.
    pub(crate) fn calm(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let end = random.random_range(OUTAGES_END);
        let actions = changes(&mut random, end);
        Self::of(actions, &mut random, (Cast::One, end))
    }

    fn of(
        mut actions: Vec<(u64, Action)>,
        random: &mut StdRng,
        (cast, outages_end): (Cast, u64),
    ) -> Self {
        actions.sort_by_key(|(at, _)| *at);
        let timed = actions.into_iter();
        Self {
            cast,
            actions: timed
                .map(|(at, action)| (Duration::from_millis(at), action))
                .collect(),
            latency: Duration::from_millis(random.random_range(5..300)),
            tick: Duration::from_millis(TICKS[random.random_range(0..TICKS.len())]),
            queue: QUEUES[random.random_range(0..QUEUES.len())],
            end: Duration::from_millis(outages_end + AFTERWARDS),
        }
    }
}

fn changes(random: &mut StdRng, outages_end: u64) -> Vec<(u64, Action)> {
    let end = outages_end + AFTERWARDS;
    let mut at = || random.random_range(0..end);
    (0..end / CHANGE_EVERY)
        .map(|_| (at(), Action::Change))
        .collect()
}

/// Outages of one kind, one after the other, with such pauses and of such lengths.
fn outages(
    random: &mut StdRng,
    end: u64,
    (pauses, lengths): (Range<u64>, Range<u64>),
    kind: impl Fn(&mut StdRng) -> (Action, Action),
) -> Vec<(u64, Action)> {
    let mut actions = Vec::new();
    let mut at = random.random_range(pauses.clone());
    while at < end {
        let (breaks, heals) = kind(random);
        actions.push((at, breaks));
        at = (at + random.random_range(lengths.clone())).min(end);
        actions.push((at, heals));
        at += random.random_range(pauses.clone());
    }
    actions
}

fn broken_network(random: &mut StdRng, pair: Pair) -> (Action, Action) {
    let (runtime, platform) = pair;
    match random.random_range(0..5) {
        0 => (Action::Hold(pair), Action::Release(pair)),
        1 => (Action::PartitionOneWay(pair), Action::Repair(pair)),
        2 => (
            Action::PartitionOneWay((platform, runtime)),
            Action::Repair(pair),
        ),
        _ => (Action::Partition(pair), Action::Repair(pair)),
    }
}

fn crash(random: &mut StdRng, (runtime, platform): Pair) -> (Action, Action) {
    let host = if random.random() { platform } else { runtime };
    (Action::Crash(host), Action::Bounce(host))
}
