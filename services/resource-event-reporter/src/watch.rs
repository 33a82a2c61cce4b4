//! Watch of one cluster: one stream to the inventory for each kind, and the events between kinds.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use causeway_argocd::{Cluster, redact::Redactor};
use causeway_client::{Jitter, Peer};
use causeway_reporting::{
    Kind, Metrics, ObjectEvents, Reporter, Setup,
    kube::{self, Absence, Patience, Watcher},
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

/// A cluster to report of.
pub struct Watch {
    /// The cluster.
    pub cluster: Cluster,
    /// What it is called on the platform.
    pub name: String,
    /// What is reported beside what always is.
    pub kinds: Vec<Kind>,
    /// The namespaces that are watched; all if there are none.
    pub namespaces: Vec<String>,
    /// Where the Applications are that its objects belong to.
    pub home: Home,
    /// Redacts what leaves the cluster.
    pub redactor: Redactor,
    /// Where it is told.
    pub told: ReportTarget,
    /// After how long a kind is asked for again that the cluster does not have.
    pub absence: Duration,
    /// For how long it is remembered what owns what; it is asked again at the next complete list after that.
    pub remembered: Duration,
    /// Dropped one by one, when the first comparison of each kind is made.
    pub ready: Vec<ReadyHandle>,
}

/// Where Applications are.
#[derive(Clone)]
pub struct Home {
    /// The cluster that holds them; empty for the watched one.
    pub cluster: String,
    /// What they say that they have.
    pub applications: Applications,
}

/// Where, and as whom, it is told.
#[derive(Clone)]
pub struct ReportTarget {
    /// The inventory, as the runtime.
    pub inventory: Peer,
    /// A UUID of this run.
    pub instance: String,
    /// Of this part.
    pub version: String,
    /// Where figures go.
    pub meter: Meter,
    /// Where it is told what is left out.
    pub notices: Notices,
}

/// What is always reported.
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

/// What is reported beside it of the cluster that Argo CD is in.
fn kinds_of_argocd() -> [Kind; 2] {
    ["applicationsets", "appprojects"].map(|plural| Kind::new("argoproj.io", "v1alpha1", plural))
}

/// How events come to the reporter of a kind.
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
    /// What has to run for it. Each ends only when another one of them does.
    pub async fn start(mut self) -> Vec<BoxFuture<'static, ()>> {
        let scopes = WatchScope::of(&self.namespaces);
        let relatives = OwnerSource {
            owner_lookup: OwnerLookup::new(
                (self.cluster.client(), self.name.clone()),
                self.home.clone(),
                self.told.notices.clone(),
                self.remembered,
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
                let rollout_children = Arc::clone(&relatives.rollout_children);
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
            let setup = self.setup(resources, (&scopes, &store_identity), &relatives);
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
            patience: Patience {
                absence: Absence::Awaited(self.absence),
                ..Patience::default()
            },
        };
        scopes.iter().map(watcher).collect()
    }

    fn setup(
        &mut self,
        resources: Resources,
        (scopes, store_identity): (&[WatchScope], &str),
        relatives: &OwnerSource,
    ) -> Setup<Resources> {
        let told = &self.told;
        let kind = resources.name();
        Setup {
            metrics: Metrics::new(&told.meter, &kind, &self.name),
            kind: resources,
            inventory: told.inventory.clone(),
            source: Some(relatives.clone()),
            cluster: self.name.clone(),
            scopes: scopes.to_vec(),
            store_identity: store_identity.to_owned(),
            instance: told.instance.clone(),
            version: told.version.clone(),
            ready: self.ready.pop(),
            notices: told.notices.clone(),
            jitter: Jitter::default(),
        }
    }
}
