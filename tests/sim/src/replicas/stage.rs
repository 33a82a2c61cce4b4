//! The cluster, the replicas and the reporters of one scenario, and what is held against each other.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use causeway_inventory::{
    Inventory,
    application::{Filter, View, Visible},
    inventory::NamesAreIds,
    store::Store,
};
use causeway_proto::rendezvous::RendezvousKey;
use causeway_reporting::queue::{CAPACITY, Queue};
use causeway_testkit::wait_until;
use tokio::{
    task::JoinSet,
    time::{Instant, interval},
};
use tokio_util::sync::CancellationToken;

use super::{
    crew::{Addresses, Member, inventory},
    replica::{self, Replica},
    say,
};
use crate::{
    cluster::{Cluster, Place},
    history::History,
    platform::account,
    runtime::{Sight, Watcher},
    user::{self, Shared},
};

/// As the interceptor of the platform names it.
const RUNTIME: &str = "rt-one";
const CLUSTER: &str = "in-cluster";
const KIND: &str = "applications.argoproj.io";
const PATIENCE: Duration = Duration::from_secs(120);
const CHURN: Duration = Duration::from_millis(50);
const PAGE: usize = 10_000;

pub(super) struct Stage {
    url: String,
    cluster: Arc<Cluster>,
    replicas: Vec<Replica>,
    addresses: Addresses,
    crew: BTreeMap<usize, Member>,
    next: usize,
    /// Looks at the database beside the replicas.
    looking: (Arc<dyn Store>, Inventory),
    history: Shared,
    churn: JoinSet<()>,
    _tasks: JoinSet<()>,
}

/// What one more reporter, or one less, has moved.
pub(super) struct Step {
    members: (usize, usize),
    moved: usize,
    of: usize,
    /// From the moment at which it came or went until every object that moved was told by its new owner.
    gap: Duration,
}

impl Step {
    pub(super) fn check(&self, what: &str) {
        let (before, after) = self.members;
        let share = self.moved as f64 / self.of as f64;
        let most = 1.25 / before.max(after) as f64;
        say(&format!(
            "{before} -> {after} reporters, one {what}: {:.1} % of {} objects moved (at most {:.1} %), all told by their new owners after {:?}",
            share * 100.0,
            self.of,
            most * 100.0,
            self.gap
        ));
        assert!(share <= most, "{share} moved, at most {most} may");
    }
}

impl Stage {
    pub(super) async fn start(url: &str, seed: u64, names: usize) -> Self {
        let cluster = Cluster::new(seed, names);
        (0..names * 2).for_each(|_| cluster.change());
        let (store, writer) = replica::open(url).await;
        let store: Arc<dyn Store> = Arc::new(store);
        let names = Arc::new(NamesAreIds);
        let looking = Inventory::new(store.clone(), names, CancellationToken::new());
        let history = Arc::new(Mutex::new(History::new(cluster.clone())));
        let mut stage = Self {
            url: url.to_owned(),
            cluster,
            replicas: Vec::new(),
            addresses: Addresses::default(),
            crew: BTreeMap::new(),
            next: 0,
            looking: (store, looking),
            history: history.clone(),
            churn: JoinSet::new(),
            _tasks: JoinSet::new(),
        };
        stage.start_replica().await;
        stage.start_replica().await;
        stage._tasks.spawn(writer);
        let watching = user::watch(history, inventory(&stage.addresses, 0));
        stage._tasks.spawn(watching);
        stage
    }

    pub(super) async fn start_replica(&mut self) {
        let replica = Replica::start(&self.url).await;
        self.balance(|addresses| addresses.push(replica.address));
        self.replicas.push(replica);
    }

    /// Its reporters find the other replica, and nobody has left by that.
    pub(super) async fn kill_replica(&mut self, number: usize) {
        let begun = Instant::now();
        self.replicas[number].kill();
        let address = self.replicas[number].address;
        self.balance(|addresses| addresses.retain(|it| *it != address));
        let places = self.cluster.places();
        self.told(&places).await;
        self.seats().await;
        say(&format!(
            "a replica of the inventory was killed: all objects told by the other after {:?}",
            begun.elapsed()
        ));
    }

    fn balance(&self, change: impl FnOnce(&mut Vec<SocketAddr>)) {
        let addresses = self.addresses.lock();
        change(&mut addresses.unwrap_or_else(PoisonError::into_inner));
    }

    /// Something changes all the time.
    pub(super) fn churns(&mut self) {
        let cluster = self.cluster.clone();
        self.churn.spawn(async move {
            let mut often = interval(CHURN);
            loop {
                often.tick().await;
                cluster.change();
            }
        });
    }

    pub(super) fn rests(&mut self) {
        self.churn.abort_all();
    }

    pub(super) async fn join(&mut self) -> Step {
        let number = self.next;
        self.next += 1;
        self.step(|stage| {
            let watcher = Watcher {
                cluster: stage.cluster.clone(),
                name: "reporter",
                sight: Sight::Whole,
                queue: Queue::new(CAPACITY),
            };
            let instance = stage.cluster.next_instance();
            let peer = inventory(&stage.addresses, number);
            let member = Member::start(watcher, instance, peer);
            stage.crew.insert(number, member);
        })
        .await
    }

    /// A reporter ends without a word; its connection does, too.
    pub(super) async fn leave(&mut self, number: usize) -> Step {
        self.step(|stage| {
            stage.crew.remove(&number);
        })
        .await
    }

    /// A reporter stops in the midst of its work; its connection stays.
    pub(super) async fn pause(&mut self, number: usize) -> Step {
        self.step(|stage| stage.crew[&number].pause()).await
    }

    /// A paused reporter goes on, with all that it knew and meant to say before.
    pub(super) async fn goes_on(&mut self, number: usize) {
        let member = &self.crew[&number];
        member.go_on();
        let instance = member.instance.clone();
        wait_until("the paused reporter is back", PATIENCE, async || {
            let members = self.members().await;
            let there = members.contains(&instance);
            there.then_some(()).ok_or(format!("{members:?}"))
        })
        .await;
        let places = self.cluster.places();
        self.told(&places).await;
    }

    /// Does something with the reporters, and waits until all that moved by it is told anew.
    async fn step(&mut self, act: impl FnOnce(&mut Self)) -> Step {
        let before = self.members().await;
        let begun = Instant::now();
        act(self);
        let after = self.seats().await;
        let places = self.cluster.places();
        let moved: Vec<Place> = places
            .iter()
            .filter(|place| owner(place, &before) != owner(place, &after))
            .cloned()
            .collect();
        self.told(&moved).await;
        Step {
            members: (before.len(), after.len()),
            moved: moved.len(),
            of: places.len(),
            gap: begun.elapsed(),
        }
    }

    /// Waits until all reporters that are not paused have a seat, and nobody else.
    async fn seats(&self) -> Vec<String> {
        let awake = self.crew.values().filter(|member| !member.is_paused());
        let count = awake.count();
        wait_until("the reporters are there", PATIENCE, async || {
            let members = self.members().await;
            if members.len() == count {
                Ok(members)
            } else {
                Err(format!("{} of {count}", members.len()))
            }
        })
        .await
    }

    pub(super) async fn members(&self) -> Vec<String> {
        let (account, all) = (account(), Visible::everything());
        let asked = (None, 10);
        let groups = self.looking.1.reporters(&account, &all, RUNTIME, asked);
        let (groups, _) = groups.await.unwrap_or_default();
        // Nothing ever reported at first.
        let mut groups = groups.into_iter();
        let group = groups.next();
        let members = group.map(|group| group.shares.into_keys().collect::<Vec<_>>());
        let members = members.unwrap_or_default().into_iter();
        members.map(|instance| instance.to_string()).collect()
    }

    /// Changes these objects and waits until nothing older than that is held of them.
    async fn told(&self, places: &[Place]) {
        self.cluster.touch(places);
        let touched = self.cluster.truth();
        wait_until("what moved is told anew", PATIENCE, async || {
            let held = self.held().await;
            let late = places.iter().filter(|place| {
                let (known, truth) = (held.get(*place), touched.get(*place));
                truth.is_some_and(|truth| {
                    let version = |(_, version): &(String, u64)| *version < truth.resource_version;
                    known.is_none_or(version) && self.cluster.is_live(place)
                })
            });
            match late.count() {
                0 => Ok(()),
                late => Err(format!("{late} of {} are not", places.len())),
            }
        })
        .await;
        self.behaved();
    }

    /// Waits until the list and a watch are what the cluster holds, and nothing that must not be was ever seen.
    pub(super) async fn agrees(&self) {
        wait_until("the inventory is the truth", PATIENCE, async || {
            let truth = self.cluster.truth();
            let known: BTreeMap<Place, _> = truth
                .iter()
                .map(|(place, it)| (place.clone(), (it.uid.clone(), it.resource_version)))
                .collect();
            let listed = self.held().await;
            let shown = user::lock(&self.history).shown().clone();
            match (listed == known, shown == truth) {
                (true, true) => Ok(()),
                agreed => Err(format!("(list, watch) is {agreed:?}")),
            }
        })
        .await;
        self.behaved();
    }

    fn behaved(&self) {
        assert_eq!(user::lock(&self.history).violation, None);
    }

    async fn held(&self) -> BTreeMap<Place, (String, u64)> {
        let (account, all) = (account(), Filter::within(Visible::everything()));
        let reads = self.looking.0.reads();
        let page = reads
            .list_applications(&account, &all, View::Basic, None, PAGE)
            .await;
        let entry = |record: causeway_inventory::application::Record| {
            let place = (record.key.namespace, record.key.name);
            (place, (record.uid.to_string(), record.resource_version))
        };
        page.unwrap().items.into_iter().map(entry).collect()
    }
}

fn owner<'m>((namespace, name): &Place, members: &'m [String]) -> Option<&'m String> {
    let object = RendezvousKey {
        cluster: CLUSTER,
        kind: KIND,
        namespace,
        name,
    };
    object.owner(members)
}
