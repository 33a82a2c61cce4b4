//! The ReplicaSets and AnalysisRuns of each Rollout, as the watches of both tell. Owns that a Rollout is told anew when one of
//! them changes, and that none of it is told before all of them are known.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use causeway_reporting::object::{ObjectEvent, ObjectKey, WatchScope};
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};

use crate::{detail::Sort, object::Object};

const WITHIN: Duration = Duration::from_secs(20);

type Event = ObjectEvent<Object>;

/// What a Rollout makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Brood {
    ReplicaSets,
    AnalysisRuns,
}

/// What one Rollout has made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Family {
    pub(crate) replica_sets: Vec<Arc<Object>>,
    pub(crate) analysis_runs: Vec<Arc<Object>>,
}

/// Of all Rollouts of a cluster.
#[derive(Debug)]
pub(crate) struct Siblings {
    inner: Mutex<Inner>,
    complete: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Inner {
    members: HashMap<ObjectKey, Member>,
    /// The members of each Rollout.
    families: BTreeMap<ObjectKey, BTreeSet<ObjectKey>>,
    /// How often a list of it began.
    generations: HashMap<(Brood, WatchScope), u64>,
    /// What was not listed yet.
    missing: HashSet<(Brood, WatchScope)>,
}

#[derive(Debug)]
struct Member {
    object: Arc<Object>,
    rollout: ObjectKey,
    brood: Brood,
    generation: u64,
}

impl Brood {
    /// What a Rollout makes of this kind.
    pub(crate) fn of(sort: Sort) -> Option<Self> {
        match sort {
            Sort::ReplicaSet => Some(Self::ReplicaSets),
            Sort::AnalysisRun => Some(Self::AnalysisRuns),
            Sort::Rollout | Sort::Workflow | Sort::Event | Sort::Other => None,
        }
    }
}

impl Siblings {
    /// Of a cluster that is watched in these scopes.
    pub(crate) fn within(scopes: &[WatchScope]) -> Self {
        let of = |brood| scopes.iter().map(move |scope| (brood, scope.clone()));
        let missing = of(Brood::ReplicaSets).chain(of(Brood::AnalysisRuns));
        let inner = Inner {
            missing: missing.collect(),
            ..Inner::default()
        };
        Self {
            inner: Mutex::new(inner),
            complete: watch::Sender::new(false),
        }
    }

    /// What a Rollout has made; nothing while not all of it is known.
    pub(crate) async fn family(&self, rollout: &ObjectKey) -> Option<Family> {
        let mut complete = self.complete.subscribe();
        let known = timeout(WITHIN, complete.wait_for(|complete| *complete));
        known.await.ok()?.ok()?;
        Some(self.inner().family(rollout))
    }

    /// Carries on what a watch tells, and tells the Rollouts whose families it changes.
    pub(crate) async fn relay(
        self: Arc<Self>,
        brood: Brood,
        (mut from, to): (mpsc::Receiver<Event>, mpsc::Sender<Event>),
        rollouts: mpsc::Sender<Event>,
    ) {
        while let Some(event) = from.recv().await {
            let stirred = self.observe(brood, &event);
            if to.send(event).await.is_err() {
                return;
            }
            for rollout in stirred {
                if rollouts.send(ObjectEvent::Stirred(rollout)).await.is_err() {
                    return;
                }
            }
        }
    }

    /// Takes up an event; gives the Rollouts whose families it changes.
    fn observe(&self, brood: Brood, event: &Event) -> Vec<ObjectKey> {
        let mut inner = self.inner();
        let stirred = inner.observe(brood, event);
        if inner.missing.is_empty() {
            self.complete
                .send_if_modified(|complete| !std::mem::replace(complete, true));
        }
        stirred
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn family(&self, rollout: &ObjectKey) -> Family {
        let mut family = Family::default();
        let members = self.families.get(rollout).into_iter().flatten();
        for member in members.filter_map(|key| self.members.get(key)) {
            let kind = match member.brood {
                Brood::ReplicaSets => &mut family.replica_sets,
                Brood::AnalysisRuns => &mut family.analysis_runs,
            };
            kind.push(Arc::clone(&member.object));
        }
        family
    }

    fn observe(&mut self, brood: Brood, event: &Event) -> Vec<ObjectKey> {
        match event {
            ObjectEvent::ListStarted { scope, .. } => {
                *self.generations.entry((brood, scope.clone())).or_default() += 1;
                Vec::new()
            }
            ObjectEvent::Applied(object) => self.applied(brood, object).into_iter().collect(),
            ObjectEvent::Deleted { key, .. } | ObjectEvent::Left { key, .. } => {
                self.gone(key).into_iter().collect()
            }
            ObjectEvent::Quarantined(malformed) => {
                let generation = self.generation(brood, &malformed.key.namespace);
                if let Some(member) = self.members.get_mut(&malformed.key) {
                    member.generation = generation;
                }
                Vec::new()
            }
            ObjectEvent::Listed { scope } => {
                self.missing.remove(&(brood, scope.clone()));
                self.sweep(brood, scope)
            }
            ObjectEvent::Awaited => {
                self.missing.retain(|(of, _)| *of != brood);
                Vec::new()
            }
            ObjectEvent::Absent { scope } => {
                *self.generations.entry((brood, scope.clone())).or_default() += 1;
                self.sweep(brood, scope)
            }
            ObjectEvent::Stirred(_) => Vec::new(),
        }
    }

    fn applied(&mut self, brood: Brood, object: &Arc<Object>) -> Option<ObjectKey> {
        let owner = object.controller();
        let owner = owner.filter(|owner| owner.of.is("argoproj.io", "Rollout"))?;
        let rollout = ObjectKey {
            namespace: object.key.namespace.clone(),
            name: owner.name.clone(),
            uid: owner.uid.clone(),
        };
        let member = Member {
            object: Arc::clone(object),
            rollout: rollout.clone(),
            brood,
            generation: self.generation(brood, &object.key.namespace),
        };
        let members = self.families.entry(rollout.clone()).or_default();
        members.insert(object.key.clone());
        let before = self.members.insert(object.key.clone(), member);
        let same = before.is_some_and(|it| it.object.resource_version == object.resource_version);
        (!same).then_some(rollout)
    }

    fn gone(&mut self, key: &ObjectKey) -> Option<ObjectKey> {
        let rollout = self.members.remove(key)?.rollout;
        if let Some(members) = self.families.get_mut(&rollout) {
            members.remove(key);
            if members.is_empty() {
                self.families.remove(&rollout);
            }
        }
        Some(rollout)
    }

    /// What a complete list of a scope did not have is gone.
    fn sweep(&mut self, brood: Brood, scope: &WatchScope) -> Vec<ObjectKey> {
        let generation = self.generations.get(&(brood, scope.clone())).copied();
        let old = |key: &ObjectKey, member: &Member| {
            member.brood == brood
                && scope.contains(&key.namespace)
                && Some(member.generation) != generation
        };
        let members = self.members.iter();
        let gone: Vec<ObjectKey> = members
            .filter(|(key, member)| old(key, member))
            .map(|(key, _)| key.clone())
            .collect();
        gone.iter().filter_map(|key| self.gone(key)).collect()
    }

    fn generation(&self, brood: Brood, namespace: &str) -> u64 {
        let mut generations = self.generations.iter();
        let own = generations.find(|((of, scope), _)| *of == brood && scope.contains(namespace));
        own.map_or(0, |(_, generation)| *generation)
    }
}

#[cfg(test)]
mod tests;
