//! Simulates the controllers of Deployments, ReplicaSets and Rollouts and a kubelet, as writes to the same store.
//! Other kinds are stored and never reconciled.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

use super::{
    http::{Api, now},
    object::ObjectKey,
    store::{Change, Context, Event, Store},
};

mod controller;
mod deployment;
mod pod;
mod replica_set;
mod replica_sets;
mod rollout;

use controller::{Controller, Reconcile};

const MANAGER: &str = "kube-controller-manager";
const MOST_AT_ONCE: usize = 64;
const FOREVER: Duration = Duration::from_secs(3_600);

/// Each simulated kind and its controller.
const CONTROLLERS: [(&str, Reconcile); 4] = [
    ("pods", pod::reconcile),
    ("replicasets.apps", replica_set::reconcile),
    (deployment::DEPLOYMENTS.id, deployment::reconcile),
    (rollout::ROLLOUTS.id, rollout::reconcile),
];

/// An object to look at: the place of its controller, and its key.
type Item = (usize, ObjectKey);

/// Objects to reconcile now and later.
#[derive(Default)]
struct WorkQueue {
    seen: u64,
    due: BTreeSet<Item>,
    later: HashMap<Item, Instant>,
    /// when each pod was first seen, by uid: its creation time has whole seconds only
    born: HashMap<String, Instant>,
}

/// Durations of a simulated pod.
#[derive(Clone, Copy)]
pub(super) struct Life {
    /// until it runs
    pub(super) start: Duration,
    /// until it has ended, where it ends by itself
    pub(super) run: Option<Duration>,
    pub(super) rollouts: Rollouts,
}

/// Handling of Rollouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rollouts {
    /// stored only
    Still,
    /// reconciled as by the controller of Argo Rollouts
    Simulated,
}

/// Runs until the API stops.
pub(super) async fn run(api: Arc<Api>, life: Life) {
    let mut changed = api.store().subscribe();
    let mut queue = WorkQueue::default();
    loop {
        queue.collect(&api.store());
        while !queue.due.is_empty() {
            queue.work(&api, life);
            // lets requests in between
            tokio::task::yield_now().await;
            queue.collect(&api.store());
        }
        let wake = queue
            .later
            .values()
            .min()
            .copied()
            .unwrap_or_else(|| Instant::now() + FOREVER);
        tokio::select! {
            () = api.stop.cancelled() => return,
            changed = changed.changed() => if changed.is_err() { return },
            () = sleep_until(wake) => {}
        }
    }
}

impl WorkQueue {
    /// Takes in what changed and what has come due.
    fn collect(&mut self, store: &Store) {
        for (at, (id, _)) in CONTROLLERS.iter().enumerate() {
            let Some(collection) = store.collection(id) else {
                continue;
            };
            match collection.window.after(self.seen, usize::MAX) {
                Some(events) => events.iter().for_each(|event| self.note(store, at, event)),
                None => self
                    .due
                    .extend(collection.objects.keys().map(|key| (at, key.clone()))),
            }
        }
        self.seen = store.revision();
        let now = Instant::now();
        let due = self
            .later
            .extract_if(|_, when| *when <= now)
            .map(|(item, _)| item);
        self.due.extend(due);
    }

    /// A changed object concerns itself and those that own it.
    fn note(&mut self, store: &Store, at: usize, event: &Event) {
        self.due.insert((at, event.object.key.clone()));
        if event.change == Change::Deleted {
            self.born.remove(&event.object.uid);
        }
        for owner in event
            .object
            .owners
            .iter()
            .filter_map(|uid| store.by_uid(uid))
        {
            if let Some(at) = CONTROLLERS
                .iter()
                .position(|(id, _)| *id == &*owner.resource)
            {
                self.due.insert((at, owner.key.clone()));
            }
        }
    }

    fn work(&mut self, api: &Api, life: Life) {
        let now = now();
        let context = Context {
            now: &now,
            manager: MANAGER,
        };
        let mut store = api.store();
        for _ in 0..MOST_AT_ONCE {
            let Some(item) = self.due.pop_first() else {
                return;
            };
            let (id, reconcile) = CONTROLLERS[item.0];
            // Also where what it owns has changed.
            if id == rollout::ROLLOUTS.id && life.rollouts == Rollouts::Still {
                continue;
            }
            let Some(object) = store.get(id, &item.1).map(|stored| stored.value()) else {
                self.later.remove(&item);
                continue;
            };
            let mut controller = Controller {
                store: &mut store,
                context,
                life,
                born: &mut self.born,
            };
            match reconcile(&mut controller, &object) {
                Ok(Some(delay)) => drop(self.later.insert(item, Instant::now() + delay)),
                Ok(None) => drop(self.later.remove(&item)),
                // a namespace that ends, an object that went away: the next event tells more
                Err(refusal) => tracing::debug!(%refusal, id, "a simulated workload was refused"),
            }
        }
    }
}
