//! One simulation from its beginning to the quiet after it, with the checks of both.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use anyhow::{Context as _, anyhow, bail, ensure};
use causeway_inventory::{
    application::{Filter, View, Visible},
    deployment::DeploymentFilter,
    store::Store,
};
use causeway_memory_store::MemoryStore;
use causeway_reporting::queue::{Overflow, Queue};
use futures::FutureExt as _;
use turmoil::Sim;

use crate::{
    broken::{Forgetful, Hasty, Unfenced},
    cluster::{Cluster, Operation, Place},
    history::History,
    network::{self, PLATFORM, USER},
    plan::{Action, Plan},
    platform,
    runtime::{self, Sight, Watcher},
    user::{self, Shared},
};

/// The longest that the parts may take to agree after all is over: lost connections are noticed within 25 s, a lost reporter
/// within 35 s, and attempts to connect are up to 30 s apart.
const SETTLE: Duration = Duration::from_secs(180);
/// What agreed has to stay so for so long.
const QUIET: Duration = Duration::from_secs(3);
/// How long lies between two looks at what all have.
const LOOK: Duration = Duration::from_secs(1);
const PAGE: usize = 1_000;
const NAMES: usize = 30;

/// What is broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Twin {
    /// Nothing.
    Whole,
    /// The store acknowledges reports that it does not keep.
    Forgetful,
    /// The watch of the cluster does not tell of deletions.
    BlindToDeletions,
    /// The store acknowledges before it commits.
    Hasty,
    /// The store takes what is older, too.
    Unfenced,
    /// A full queue drops what has no room.
    Dropping,
    /// A full queue marks what has no room and does not sweep it in.
    Unswept,
}

impl Twin {
    fn sight(self) -> Sight {
        match self {
            Self::BlindToDeletions => Sight::BlindToDeletions,
            Self::Whole
            | Self::Forgetful
            | Self::Hasty
            | Self::Unfenced
            | Self::Dropping
            | Self::Unswept => Sight::Whole,
        }
    }

    fn overflow(self) -> Overflow {
        match self {
            Self::Dropping => Overflow::Dropped,
            Self::Unswept => Overflow::NeverSwept,
            Self::Whole
            | Self::Forgetful
            | Self::BlindToDeletions
            | Self::Hasty
            | Self::Unfenced => Overflow::Swept,
        }
    }

    /// What a host works with that has this disk.
    fn store(self, disk: Arc<dyn Store>) -> Arc<dyn Store> {
        match self {
            Self::Forgetful => Arc::new(Forgetful::new(disk)),
            Self::Hasty => Arc::new(Hasty::start(disk)),
            Self::Unfenced => Arc::new(Unfenced::new(disk)),
            Self::Whole | Self::BlindToDeletions | Self::Dropping | Self::Unswept => disk,
        }
    }
}

struct Scenario<'a> {
    sim: Sim<'a>,
    cluster: Arc<Cluster>,
    store: Arc<dyn Store>,
    history: Shared,
}

/// Runs a plan. An error is a loss, a ghost, or a step back.
pub(crate) fn run(seed: u64, plan: &Plan, twin: Twin) -> anyhow::Result<()> {
    let mut scenario = Scenario::new(seed, plan, twin);
    let mut actions = plan.actions.iter().peekable();
    while scenario.sim.elapsed() < plan.end {
        let now = scenario.sim.elapsed();
        while let Some((_, action)) = actions.next_if(|(at, _)| *at <= now) {
            scenario.act(*action);
        }
        scenario.step()?;
    }
    scenario.settle(plan.end)
}

impl Scenario<'_> {
    fn new(seed: u64, plan: &Plan, twin: Twin) -> Self {
        let cluster = Cluster::new(seed, NAMES);
        // Of the hosts' own clocks each begins anew with a crash.
        let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(simulated_millis));
        let history = Arc::new(Mutex::new(History::new(cluster.clone())));
        let mut sim = simulated(seed, plan);
        for (name, replica) in plan.cast.pairs().iter().copied() {
            let disk = store.clone();
            sim.host(replica, move || {
                let disk = disk.clone();
                async move { platform::serve(twin.store(disk)).await }
            });
            let watcher = Watcher {
                cluster: cluster.clone(),
                name,
                sight: twin.sight(),
                queue: Queue::new(plan.queue).on_overflow(twin.overflow()),
            };
            sim.host(name, move || {
                let watcher = watcher.clone();
                async move { runtime::report(watcher, network::platform(replica)?).await }
            });
        }
        let shown = history.clone();
        sim.host(USER, move || {
            let shown = shown.clone();
            async move {
                user::watch(shown, network::platform(PLATFORM)?).await;
                Ok(())
            }
        });
        Self {
            sim,
            cluster,
            store,
            history,
        }
    }

    fn act(&mut self, action: Action) {
        let sim = &mut self.sim;
        match action {
            Action::Change => self.cluster.change(),
            Action::Partition((one, other)) => sim.partition(one, other),
            Action::PartitionOneWay((from, to)) => sim.partition_oneway(from, to),
            Action::Repair((one, other)) => sim.repair(one, other),
            Action::Hold((one, other)) => sim.hold(one, other),
            Action::Release((one, other)) => sim.release(one, other),
            Action::Crash(host) => sim.crash(host),
            Action::Bounce(host) => sim.bounce(host),
            Action::Mute(who) => self.cluster.mute(who),
            Action::Relist(who) => self.cluster.relist(who),
        }
    }

    fn step(&mut self) -> anyhow::Result<()> {
        let stepped = self.sim.step();
        stepped.map_err(|error| anyhow!("a host ended: {error}"))?;
        match &user::lock(&self.history).violation {
            Some(violation) => Err(anyhow!("{violation}")),
            None => Ok(()),
        }
    }

    /// Waits until all agree, and that they go on to.
    fn settle(&mut self, end: Duration) -> anyhow::Result<()> {
        let mut agreed = None;
        while self.sim.elapsed() < end + SETTLE {
            let next = self.sim.elapsed() + LOOK;
            while self.sim.elapsed() < next {
                self.step()?;
            }
            let now = self.sim.elapsed();
            match (self.compare(), agreed) {
                (Ok(()), None) => agreed = Some(now),
                (Ok(()), Some(since)) if now - since >= QUIET => return Ok(()),
                (Ok(()), Some(_)) | (Err(_), None) => {}
                (Err(error), Some(_)) => return Err(error.context("agreed, and then not")),
            }
        }
        self.compare()?;
        bail!("not quiet within {SETTLE:?}")
    }

    fn compare(&self) -> anyhow::Result<()> {
        let truth = self.cluster.truth();
        let shown = user::lock(&self.history).shown().clone();
        let list = self.list()?;
        let known: BTreeMap<Place, _> = truth
            .iter()
            .map(|(place, it)| (place.clone(), (it.uid.clone(), it.resource_version)))
            .collect();
        ensure!(list == known, "the list {}", difference(&list, &known));
        ensure!(shown == truth, "the watch {}", difference(&shown, &truth));
        let (deployed, kept) = (self.cluster.deployed(), self.operations()?);
        let lost: Vec<_> = deployed.difference(&kept).collect();
        ensure!(lost.is_empty(), "operations that are lost: {lost:?}");
        let ended = self.cluster.ended();
        let never: Vec<_> = kept.difference(&ended).collect();
        ensure!(never.is_empty(), "operations that never ended: {never:?}");
        Ok(())
    }

    /// What is recorded, each once.
    fn operations(&self) -> anyhow::Result<HashSet<Operation>> {
        let account = platform::account();
        let sought = DeploymentFilter {
            of: Filter::within(Visible::everything()),
            ..DeploymentFilter::default()
        };
        let reads = self.store.reads();
        let listing = reads.list_deployments(&account, &sought, None, usize::MAX);
        let page = listing
            .now_or_never()
            .context("memory has to be waited for")??;
        let items = page.context("a first page is never unknown")?.items;
        let mut kept = HashSet::new();
        for item in items {
            let operation = (item.uid.to_string(), item.ended.started_at);
            ensure!(kept.insert(operation), "recorded twice: {:?}", item.ended);
        }
        Ok(kept)
    }

    fn list(&self) -> anyhow::Result<BTreeMap<Place, (String, u64)>> {
        let (account, filter) = (platform::account(), Filter::within(Visible::everything()));
        let listing =
            self.store
                .reads()
                .list_applications(&account, &filter, View::Basic, None, PAGE);
        let page = listing
            .now_or_never()
            .context("memory has to be waited for")??;
        let entry = |record: causeway_inventory::application::Record| {
            let place = (record.key.namespace, record.key.name);
            (place, (record.uid.to_string(), record.resource_version))
        };
        Ok(page.items.into_iter().map(entry).collect())
    }
}

/// The time of the whole simulation; outside of a host there is none.
fn simulated_millis() -> i64 {
    let elapsed = turmoil::sim_elapsed().unwrap_or_default();
    i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
}

fn simulated<'a>(seed: u64, plan: &Plan) -> Sim<'a> {
    turmoil::Builder::new()
        .rng_seed(seed)
        .tick_duration(plan.tick)
        .simulation_duration(plan.end + 2 * SETTLE)
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(plan.latency)
        .tcp_capacity(1 << 16)
        .enable_random_order()
        .build()
}

fn difference<T: PartialEq + std::fmt::Debug>(
    found: &BTreeMap<Place, T>,
    wanted: &BTreeMap<Place, T>,
) -> String {
    let wrong = |(place, it): &(&Place, &T)| wanted.get(*place) != Some(*it);
    let lacks = |(place, it): &(&Place, &T)| found.get(*place) != Some(*it);
    let wrong: Vec<_> = found.iter().filter(wrong).collect();
    let lacks: Vec<_> = wanted.iter().filter(lacks).collect();
    format!("has {wrong:?} instead of {lacks:?}")
}
