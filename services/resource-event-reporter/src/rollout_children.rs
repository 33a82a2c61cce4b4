//! ReplicaSets and AnalysisRuns of each Rollout, from their watches. A Rollout is reported again when one of them changes,
//! and only after both kinds are listed.

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

const TIMEOUT: Duration = Duration::from_secs(20);

type Event = ObjectEvent<Object>;

/// Kind of dependent of a Rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ChildKind {
    ReplicaSets,
    AnalysisRuns,
}

/// Dependents of one Rollout.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChildSet {
    pub(crate) replica_sets: Vec<Arc<Object>>,
    pub(crate) analysis_runs: Vec<Arc<Object>>,
}

/// Dependents of all Rollouts of a cluster.
#[derive(Debug)]
pub(crate) struct RolloutChildren {
    inner: Mutex<Inner>,
    complete: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Inner {
    members: HashMap<ObjectKey, Member>,
    /// Dependents by Rollout.
    children: BTreeMap<ObjectKey, BTreeSet<ObjectKey>>,
    /// Number of started lists by kind and scope.
    generations: HashMap<(ChildKind, WatchScope), u64>,
    /// Kinds and scopes that have not been listed yet.
    missing: HashSet<(ChildKind, WatchScope)>,
}

#[derive(Debug)]
struct Member {
    object: Arc<Object>,
    rollout: ObjectKey,
    child_kind: ChildKind,
    generation: u64,
}

impl ChildKind {
    /// Returns the kind of dependent; none for other kinds.
    pub(crate) fn of(sort: Sort) -> Option<Self> {
        match sort {
            Sort::ReplicaSet => Some(Self::ReplicaSets),
            Sort::AnalysisRun => Some(Self::AnalysisRuns),
            Sort::Rollout | Sort::Workflow | Sort::Event | Sort::Other => None,
        }
    }
}

impl RolloutChildren {
    /// Creates the index for a cluster with these watch scopes.
    pub(crate) fn within(scopes: &[WatchScope]) -> Self {
        let of = |child_kind| scopes.iter().map(move |scope| (child_kind, scope.clone()));
        let missing = of(ChildKind::ReplicaSets).chain(of(ChildKind::AnalysisRuns));
        let inner = Inner {
            missing: missing.collect(),
            ..Inner::default()
        };
        Self {
            inner: Mutex::new(inner),
            complete: watch::Sender::new(false),
        }
    }

    /// Returns the dependents of a Rollout; none while incomplete.
    pub(crate) async fn children(&self, rollout: &ObjectKey) -> Option<ChildSet> {
        let mut complete = self.complete.subscribe();
        let known = timeout(TIMEOUT, complete.wait_for(|complete| *complete));
        known.await.ok()?.ok()?;
        Some(self.inner().children(rollout))
    }

    /// Forwards the events of a watch and reports the Rollouts whose dependents change.
    pub(crate) async fn relay(
        self: Arc<Self>,
        child_kind: ChildKind,
        (mut from, to): (mpsc::Receiver<Event>, mpsc::Sender<Event>),
        rollouts: mpsc::Sender<Event>,
    ) {
        while let Some(event) = from.recv().await {
            let stirred = self.observe(child_kind, &event);
            if to.send(event).await.is_err() {
                return;
            }
            for rollout in stirred {
                if rollouts
                    .send(ObjectEvent::RelatedChanged(rollout))
                    .await
                    .is_err()
                {
                    return;
                }
            }
        }
    }

    /// Applies an event. Returns the Rollouts whose dependents change.
    fn observe(&self, child_kind: ChildKind, event: &Event) -> Vec<ObjectKey> {
        let mut inner = self.inner();
        let stirred = inner.observe(child_kind, event);
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
    fn children(&self, rollout: &ObjectKey) -> ChildSet {
        let mut children = ChildSet::default();
        let members = self.children.get(rollout).into_iter().flatten();
        for member in members.filter_map(|key| self.members.get(key)) {
            let kind = match member.child_kind {
                ChildKind::ReplicaSets => &mut children.replica_sets,
                ChildKind::AnalysisRuns => &mut children.analysis_runs,
            };
            kind.push(Arc::clone(&member.object));
        }
        children
    }

    fn observe(&mut self, child_kind: ChildKind, event: &Event) -> Vec<ObjectKey> {
        match event {
            ObjectEvent::ListStarted { scope, .. } => {
                *self
                    .generations
                    .entry((child_kind, scope.clone()))
                    .or_default() += 1;
                Vec::new()
            }
            ObjectEvent::Applied(object) => self.applied(child_kind, object).into_iter().collect(),
            ObjectEvent::Deleted { key, .. } | ObjectEvent::Deselected { key, .. } => {
                self.gone(key).into_iter().collect()
            }
            ObjectEvent::Quarantined(malformed) => {
                let generation = self.generation(child_kind, &malformed.key.namespace);
                if let Some(member) = self.members.get_mut(&malformed.key) {
                    member.generation = generation;
                }
                Vec::new()
            }
            ObjectEvent::ListCompleted { scope } => {
                self.missing.remove(&(child_kind, scope.clone()));
                self.sweep(child_kind, scope)
            }
            ObjectEvent::KindUnavailable => {
                self.missing.retain(|(of, _)| *of != child_kind);
                Vec::new()
            }
            ObjectEvent::KindMissing { scope } => {
                *self
                    .generations
                    .entry((child_kind, scope.clone()))
                    .or_default() += 1;
                self.sweep(child_kind, scope)
            }
            ObjectEvent::RelatedChanged(_) => Vec::new(),
        }
    }

    fn applied(&mut self, child_kind: ChildKind, object: &Arc<Object>) -> Option<ObjectKey> {
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
            child_kind,
            generation: self.generation(child_kind, &object.key.namespace),
        };
        let members = self.children.entry(rollout.clone()).or_default();
        members.insert(object.key.clone());
        let before = self.members.insert(object.key.clone(), member);
        let same = before.is_some_and(|it| it.object.resource_version == object.resource_version);
        (!same).then_some(rollout)
    }

    fn gone(&mut self, key: &ObjectKey) -> Option<ObjectKey> {
        let rollout = self.members.remove(key)?.rollout;
        if let Some(members) = self.children.get_mut(&rollout) {
            members.remove(key);
            if members.is_empty() {
                self.children.remove(&rollout);
            }
        }
        Some(rollout)
    }

    /// Removes the dependents that a complete list of a scope does not contain.
    fn sweep(&mut self, child_kind: ChildKind, scope: &WatchScope) -> Vec<ObjectKey> {
        let generation = self.generations.get(&(child_kind, scope.clone())).copied();
        let old = |key: &ObjectKey, member: &Member| {
            member.child_kind == child_kind
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

    fn generation(&self, child_kind: ChildKind, namespace: &str) -> u64 {
        let mut generations = self.generations.iter();
        let own =
            generations.find(|((of, scope), _)| *of == child_kind && scope.contains(namespace));
        own.map_or(0, |(_, generation)| *generation)
    }
}

#[cfg(test)]
mod tests;
