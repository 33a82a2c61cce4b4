//! A baseline for comparison and no part of Causeway: a plain reporter that tells each event by itself, as the reporter does
//! whose job Causeway's does. One call for each managed resource, the whole state each time; nothing is coalesced, nothing is a
//! delta. A queue of 1,000 events drops the newest when it is full; a call is tried five times; what was sent is not sent again
//! for 20 minutes while its hash is the same; one event after the other, its resources ten at a time.
//!
//! Where it is not known how the other one does a thing, this one has the better of it: what is there at its start is told
//! without the queue, bodies are packed with zstd, its receiver commits all calls that wait in one transaction, and only
//! applications are compared at the end, not their resources.

mod receiver;
mod reporter;
mod sent;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use causeway_testkit::{
    Generator,
    fleet::{Churn, Clusters, FleetOptions, Load, Sights, Verdict, churn},
};
use tokio::time::{Instant, interval};

use crate::figure::quantile;
use receiver::Receiver;
use reporter::Reporter;

/// How long its last change may take to be shown; what it dropped never is.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// How long it may take to tell what is there at its start.
const COMPLETE: Duration = Duration::from_secs(1_800);

/// What it did.
#[derive(Default)]
pub(crate) struct Counts {
    /// Events of its watches.
    pub(crate) events: AtomicU64,
    /// Those for which its queue had no room.
    pub(crate) dropped: AtomicU64,
    /// Calls to the receiver, those that were tried again too.
    pub(crate) sends: AtomicU64,
    /// Of their bodies, packed; without headers.
    pub(crate) bytes: AtomicU64,
    /// Questions to Argo CD.
    pub(crate) questions: AtomicU64,
    /// Calls given up.
    pub(crate) given_up: AtomicU64,
}

/// What was found out.
pub(crate) struct Rival {
    pub(crate) complete: Duration,
    pub(crate) churn: Churn,
    /// From the first change on.
    pub(crate) counts: BTreeMap<&'static str, u64>,
    pub(crate) verdict: Verdict,
}

impl Rival {
    /// A reporter beside each cluster of a fleet, and one receiver for all.
    pub(crate) async fn measure(options: &FleetOptions, load: Load) -> anyhow::Result<Self> {
        let generators = Clusters::start(options).await.into_generators();
        let names: Vec<_> = (0..generators.len())
            .map(|one| format!("fleet-{one:03}"))
            .collect();
        let names = names.iter().map(String::as_str);
        let clusters: Vec<(&str, &Generator)> = names.zip(&generators).collect();
        let (sights, counts) = (Arc::new(Sights::default()), Arc::new(Counts::default()));
        let receiver = Receiver::start(Arc::clone(&sights)).await?;
        let begun = Instant::now();
        let mut reporters = Vec::new();
        for (name, generator) in &clusters {
            let counts = Arc::clone(&counts);
            reporters.push(Reporter::start(name, generator, receiver.url(), counts).await?);
        }
        let all = options.applications;
        let told = sights.until(|seen| seen.told() >= all);
        tokio::time::timeout(COMPLETE, told).await?;
        let complete = begun.elapsed();
        let before = counts.read();
        let churn = churn(&clusters, &sights, load).await;
        idle(&counts).await;
        let after = counts.read();
        let counts = after
            .into_iter()
            .map(|(name, now)| (name, now - before[name]));
        let truth = clusters.iter().flat_map(|(runtime, generator)| {
            let known = generator.truth().into_iter();
            known.map(|one| (((*runtime).to_owned(), one.name.clone()), one))
        });
        let rival = Self {
            complete,
            churn,
            counts: counts.collect(),
            verdict: Verdict::of(&truth.collect(), &receiver.listed().await?),
        };
        drop(reporters);
        for generator in generators {
            generator.stop().await;
        }
        Ok(rival)
    }
}

/// Waits until a second has passed without a call.
async fn idle(counts: &Counts) {
    let mut ticks = interval(Duration::from_secs(1));
    let mut before = u64::MAX;
    loop {
        ticks.tick().await;
        let now = counts.sends.load(Ordering::Relaxed);
        if now == before {
            return;
        }
        before = now;
    }
}

impl Counts {
    fn read(&self) -> BTreeMap<&'static str, u64> {
        let all = [
            ("events", &self.events),
            ("dropped", &self.dropped),
            ("sends", &self.sends),
            ("bytes", &self.bytes),
            ("questions", &self.questions),
            ("given up", &self.given_up),
        ];
        let all = all.into_iter();
        all.map(|(name, count)| (name, count.load(Ordering::Relaxed)))
            .collect()
    }
}

/// Prints it beside what Causeway did with equal changes.
#[expect(clippy::print_stdout, reason = "the table is the result")]
pub(crate) fn print(rival: &Rival, ours: &Churn, bytes: u64, verdict: &Verdict) {
    let of = |name| rival.counts[name];
    println!(
        "| equal changes at an equal rate | Causeway | baseline: one call per resource and event |\n|---|---|---|"
    );
    println!("| changes made | {} | {} |", ours.made, rival.churn.made);
    let rate = |churn: &Churn| churn.lags.len() as f64 / churn.showing.as_secs_f64();
    println!(
        "| changes shown, itself or a later state | {:.0}/s | {:.0}/s |",
        rate(ours),
        rate(&rival.churn)
    );
    let lags = |churn: &Churn| {
        [0.5, 0.99]
            .map(|at| format!("{:.0}", quantile(&churn.lags, at) * 1e3))
            .join(" / ")
    };
    println!(
        "| change to queryable of those that were shown, p50 / p99 | {} ms | {} ms |",
        lags(ours),
        lags(&rival.churn)
    );
    println!(
        "| states told, calls made | {} | {} |",
        ours.states,
        of("sends")
    );
    let each = |bytes: u64, churn: &Churn| bytes as f64 / churn.made as f64;
    println!(
        "| bytes per change; Causeway's with heartbeats, the other's without headers | {:.0} B | {:.0} B |",
        each(bytes, ours),
        each(of("bytes"), &rival.churn)
    );
    println!(
        "| events dropped by a full queue, calls given up | - | {}, {} |",
        of("dropped"),
        of("given up")
    );
    println!(
        "| questions to Argo CD | not counted | {} |",
        of("questions")
    );
    println!(
        "| first state of all told | - | {:.1} s |",
        rival.complete.as_secs_f64()
    );
    println!(
        "| final states lost, ghosts | {}, {} | {}, {} |\n",
        verdict.lost.len(),
        verdict.ghosts.len(),
        rival.verdict.lost.len(),
        rival.verdict.ghosts.len()
    );
}
