//! Watch of one cluster: one stream to the inventory for each kind, and the events between kinds.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use causeway_argocd::{Cluster, redact::Redactor};
use causeway_client::{Jitter, Peer};
use causeway_reporting::{
    Kind, Metrics, ObjectEvents, Reporter, Setup,
    kube::{self, MissingKind, WatchPolicy, Watcher},
    object::{ObjectEvent, WatchScope},
};
use causeway_shell::{Notices, ReadyHandle};
use futures::future::BoxFuture;
use opentelemetry::metrics::Meter;
use tokio::sync::{Notify, mpsc};

use crate::{
    Applications,
    detail::Sort,
    object::Object,
    owner_lookup::OwnerLookup,
    owners::OwnerSource,
    resources::Resources,
    rollout_children::{ChildKind, RolloutChildren},
};

const EVENTS: usize = 256;

type Event = ObjectEvent<Object>;

/// A cluster to report.
pub struct Watch {
    pub cluster: Cluster,
    /// Name of the cluster on the platform.
    pub name: String,
    /// Additional kinds.
    pub kinds: Vec<Kind>,
    /// Namespaces to watch; empty for all.
    pub namespaces: Vec<String>,
    /// Cluster of the Applications that own its objects.
    pub home: Home,
    /// Redacts everything that leaves the cluster.
    pub redactor: Redactor,
    /// Destination of the reports.
    pub target: ReportTarget,
    /// Interval at which a kind that the cluster does not serve is checked again.
    pub absence_interval: Duration,
    /// Cache lifetime of ownership; afterwards the next complete list looks it up again.
    pub cache_lifetime: Duration,
    /// Dropped one by one when the first comparison of each kind is complete.
    pub ready: Vec<ReadyHandle>,
}

/// Location of the Applications.
#[derive(Clone)]
pub struct Home {
    /// The cluster that holds them; empty for the watched one.
    pub cluster: String,
    pub applications: Applications,
}

/// Destination and identity of reports.
#[derive(Clone)]
pub struct ReportTarget {
    /// The inventory, authenticated as the runtime.
    pub inventory: Peer,
    /// UUID of this run.
    pub instance: String,
    /// Version of the part.
    pub version: String,
    pub meter: Meter,
    /// Notices about omitted data.
    pub notices: Notices,
}

/// Returns the kinds that are always reported.
pub(crate) fn kinds() -> Vec<Kind> {
    let argo = |plural| Kind::new("argoproj.io", "v1alpha1", plural);
    vec![
        argo("rollouts"),
        argo("analysisruns"),
        Kind::new("apps", "v1", "replicasets"),
        argo("workflows"),
        Kind::new("", "v1", "events"),
    ]
}

/// Returns the kinds that are reported in addition for the cluster of Argo CD.
fn kinds_of_argocd() -> [Kind; 2] {
    ["applicationsets", "appprojects"].map(|plural| Kind::new("argoproj.io", "v1alpha1", plural))
}

/// Channel of watch events for the reporter of a kind.
struct EventChannel {
    events_tx: mpsc::Sender<Event>,
    events: mpsc::Receiver<Event>,
}

impl EventChannel {
    fn new() -> Self {
        let (events_tx, events) = mpsc::channel(EVENTS);
        Self { events_tx, events }
    }
}

impl Watch {
    /// Returns the tasks of the watch. Each ends only when another one has ended.
    pub async fn start(mut self) -> Vec<BoxFuture<'static, ()>> {
        let scopes = WatchScope::from_namespaces(&self.namespaces);
        let owners = OwnerSource {
            owner_lookup: OwnerLookup::new(
                self.cluster.client(),
                self.name.clone(),
                self.home.clone(),
                self.target.notices.clone(),
                self.cache_lifetime,
            ),
            rollout_children: Arc::new(RolloutChildren::within(&scopes)),
        };
        let store_identity = kube::store_identity(&self.cluster).await;
        let rollouts = EventChannel::new();
        let rollouts_tx = rollouts.events_tx.clone();
        let mut rollouts = Some(rollouts);
        let mut running: Vec<BoxFuture<'static, ()>> = Vec::new();
        let mut kinds = kinds();
        if self.home.cluster.is_empty() {
            kinds.extend(kinds_of_argocd());
        }
        let known: BTreeSet<String> = kinds.iter().map(Kind::name).collect();
        let asked = std::mem::take(&mut self.kinds).into_iter();
        kinds.extend(asked.filter(|kind| !known.contains(&kind.name())));
        for kind in kinds {
            let sort = Sort::of(&kind);
            let ready = rollouts.take_if(|_| sort == Sort::Rollout);
            let mut line = ready.unwrap_or_else(EventChannel::new);
            if let Some(child_kind) = ChildKind::of(sort) {
                let onward = EventChannel::new();
                let from = std::mem::replace(&mut line.events, onward.events);
                let rollout_children = Arc::clone(&owners.rollout_children);
                let relay = rollout_children.relay(
                    child_kind,
                    (from, onward.events_tx),
                    rollouts_tx.clone(),
                );
                running.push(Box::pin(relay));
            }
            let resources = Resources::new(kind, self.redactor.clone());
            let watchers = self.watchers(&resources, &scopes, &line.events_tx);
            let relist = watchers.iter().map(|it| Arc::clone(&it.relist));
            let objects = ObjectEvents {
                events: line.events,
                relist: relist.collect(),
            };
            let setup = self.setup(resources, &scopes, &store_identity, &owners);
            running.extend(
                watchers
                    .into_iter()
                    .map(|it| Box::pin(it.run()) as BoxFuture<'_, ()>),
            );
            let reporter = Reporter::new(setup, objects);
            running.push(Box::pin(reporter.run(std::future::pending())));
        }
        running
    }

    fn watchers(
        &self,
        resources: &Resources,
        scopes: &[WatchScope],
        events: &mpsc::Sender<Event>,
    ) -> Vec<Watcher<Resources>> {
        let watcher = |scope: &WatchScope| Watcher {
            cluster: self.cluster.clone(),
            kind: resources.clone(),
            scope: scope.clone(),
            events: events.clone(),
            relist: Arc::new(Notify::new()),
            policy: WatchPolicy {
                missing_kind: MissingKind::Retry(self.absence_interval),
                ..WatchPolicy::default()
            },
        };
        scopes.iter().map(watcher).collect()
    }

    fn setup(
        &mut self,
        resources: Resources,
        scopes: &[WatchScope],
        store_identity: &str,
        owners: &OwnerSource,
    ) -> Setup<Resources> {
        let target = &self.target;
        let kind = resources.name();
        Setup {
            metrics: Metrics::new(&target.meter, &kind, &self.name),
            kind: resources,
            inventory: target.inventory.clone(),
            source: Some(owners.clone()),
            cluster: self.name.clone(),
            scopes: scopes.to_vec(),
            store_identity: store_identity.to_owned(),
            instance: target.instance.clone(),
            version: target.version.clone(),
            ready: self.ready.pop(),
            notices: target.notices.clone(),
            jitter: Jitter::default(),
        }
    }
}
