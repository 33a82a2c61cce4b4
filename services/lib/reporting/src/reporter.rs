//! Reporter: consumes object events and sends reports. A single task owns all state, so no locks are needed and events
//! keep their order.

mod compare;
mod enrich;
mod quota;
mod responses;
mod send;

use std::{collections::HashSet, future::Future, sync::Arc, time::Duration};

use causeway_client::{Jitter, Peer};
use causeway_proto::inventory::v1 as pb;
use causeway_shell::{Notices, ReadyHandle};
use tokio::{
    sync::{Notify, mpsc},
    time::{Instant, Interval, MissedTickBehavior, interval, sleep_until},
};

use crate::{
    convert,
    delta_base::{Base, MOST_BYTES},
    enricher::{Enricher, EnricherEvent},
    enrichment::{Enrichment, Quality},
    link::{Link, LinkEvent},
    manifest::Content,
    membership::Share,
    metrics::{Connection, Metrics},
    object::{ObjectEvent, ObjectKey, WatchScope},
    object_cache::{CacheUpdate, Continuity, ObjectCache},
    operations::Observer,
    queue::{CAPACITY, Queue},
    rate_limit::RateLimit,
    reported_kind::{DeletionPolicy, ReportedKind},
};
use quota::Refused;

/// Bytes of manifests held for the inventory before enrichment pauses.
const MAX_CONTENT_BYTES: usize = 64 << 20;
/// Heartbeat interval. Another reporter takes over after three intervals of silence at the earliest.
const HEARTBEAT_MS: u32 = 2_000;
/// Longest wait of a change for its enrichment, so that both go in one report. Applies while the source is this quick.
const ENRICHMENT_HOLD: Duration = Duration::from_millis(25);

/// Source of the enrichment of a kind.
pub type Source<R> = <EnrichmentOf<R> as Enrichment<ObjectOf<R>>>::Source;
type Answers<R> = <EnrichmentOf<R> as Enrichment<ObjectOf<R>>>::Answers;
type EnrichmentOf<R> = <R as ReportedKind>::Enrichment;
type ObjectOf<R> = <R as ReportedKind>::Object;

/// Dependencies of a reporter.
pub struct Setup<R: ReportedKind> {
    pub kind: R,
    /// Client of the inventory with the runtime's credential.
    pub inventory: Peer,
    /// Source of the enrichment; `None` disables it.
    pub source: Option<Source<R>>,
    /// Name of the cluster on the platform.
    pub cluster: String,
    /// Watched scopes, each listed on its own.
    pub scopes: Vec<WatchScope>,
    /// Identity of the cluster's store; empty if unknown.
    pub store_identity: String,
    /// UUID of this process.
    pub instance: String,
    pub version: String,
    /// Dropped after the first complete comparison.
    pub ready: Option<ReadyHandle>,
    pub metrics: Metrics,
    /// Receives notices about unreadable objects.
    pub notices: Notices,
    pub jitter: Jitter,
}

/// Events of the watchers of a reporter.
pub struct ObjectEvents<O> {
    pub events: mpsc::Receiver<ObjectEvent<O>>,
    /// Requests lists before they are due; one per scope.
    pub relist: Vec<Arc<Notify>>,
}

/// Reports the objects of one kind to the inventory.
pub struct Reporter<R: ReportedKind> {
    setup: Setup<R>,
    /// Topic of the notice about unreadable objects.
    topic: String,
    objects: ObjectEvents<R::Object>,
    cache: ObjectCache<R>,
    queue: Queue<ObjectKey>,
    link: Link,
    enricher: Option<Enricher<R::Object, R::Enrichment>>,
    heartbeat: Interval,
    listed: HashSet<WatchScope>,
    continuity: Continuity,
    /// Incarnation of the inventory's store, from the last welcome.
    incarnation: Option<u64>,
    suspicion: Option<Suspicion>,
    /// Objects that the inventory holds at a newer version than any seen here.
    unseen: Vec<pb::HeldObject>,
    share: Share,
    /// Objects that the inventory refuses for a quota.
    refused: Refused,
    /// Bytes of manifests held for the inventory.
    content_bytes: usize,
    /// Bytes of delta bases.
    base_bytes: usize,
}

/// Suspicion that the cluster's store was restored, because the inventory holds a newer version than any seen here.
/// Another reporter may be ahead, so two later lists of one scope must confirm it.
#[derive(Debug, Clone)]
struct Suspicion {
    held: u64,
    /// Scopes with a list since, which may have been requested before.
    listed: HashSet<WatchScope>,
}

/// Next event of the loop.
enum ReporterEvent<R: ReportedKind> {
    Object(Option<ObjectEvent<R::Object>>),
    Link(LinkEvent),
    Enricher(EnricherEvent<Answers<R>>),
    Send(mpsc::OwnedPermit<pb::ReportRequest>),
    /// A delayed object is due.
    Due,
    Heartbeat,
}

impl<R: ReportedKind> Reporter<R> {
    /// Creates a reporter; the connection opens in [`Self::run`].
    pub fn new(setup: Setup<R>, objects: ObjectEvents<R::Object>) -> Self {
        let source = setup.source.clone();
        let mut heartbeat = interval(Duration::from_millis(HEARTBEAT_MS.into()));
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            link: Link::new(setup.inventory.clone(), setup.jitter.clone()),
            enricher: source.map(|source| Enricher::new(source, setup.jitter.clone())),
            topic: format!("quarantine {} {}", setup.kind.kind().name(), setup.cluster),
            objects,
            cache: ObjectCache::default(),
            queue: Queue::new(CAPACITY).with_rate_limit(RateLimit::REPORTS),
            heartbeat,
            listed: HashSet::new(),
            continuity: Continuity::Continued,
            incarnation: None,
            suspicion: None,
            unseen: Vec::new(),
            share: Share {
                instance: setup.instance.clone(),
                cluster: setup.cluster.clone(),
                kind: setup.kind.kind().name(),
                members: Vec::new(),
            },
            refused: Refused::new(&setup.kind.kind().name(), &setup.cluster),
            content_bytes: 0,
            base_bytes: 0,
            setup,
        }
    }

    /// Replaces the queue in tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_queue(self, queue: Queue<ObjectKey>) -> Self {
        Self {
            queue: queue.with_rate_limit(RateLimit::REPORTS),
            ..self
        }
    }

    /// Reports until `stop`, or until events end. The next run reports whatever was not acknowledged.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        loop {
            let next = tokio::select! {
                () = &mut stop => return,
                next = self.next() => next,
            };
            match next {
                ReporterEvent::Object(None) => return,
                ReporterEvent::Object(Some(event)) => self.observe(event),
                ReporterEvent::Link(event) => self.on_link_event(event),
                ReporterEvent::Enricher(EnricherEvent::Answered(enriched)) => {
                    self.enrich(*enriched)
                }
                ReporterEvent::Enricher(EnricherEvent::Retry(key)) => self.request_enrichment(key),
                ReporterEvent::Send(permit) => self.send(permit),
                ReporterEvent::Due => self.queue.wake(Instant::now()),
                ReporterEvent::Heartbeat => self.send_heartbeat(),
            }
            self.start_enrichment();
            self.setup.metrics.observe(&mut self.queue, &self.cache);
        }
    }

    async fn next(&mut self) -> ReporterEvent<R> {
        let waits = self.queue.has_waiting();
        let outbound = self
            .link
            .session()
            .filter(|session| session.may_send(waits))
            .map(|session| session.outbound.clone());
        let permit = async {
            match outbound {
                Some(outbound) => outbound.reserve_owned().await,
                None => std::future::pending().await,
            }
        };
        let enricher = async {
            match &mut self.enricher {
                Some(enricher) => enricher.next().await,
                None => std::future::pending().await,
            }
        };
        let due = self.queue.due();
        tokio::select! {
            event = self.objects.events.recv() => ReporterEvent::Object(event),
            event = self.link.next() => ReporterEvent::Link(event),
            turn = enricher => ReporterEvent::Enricher(turn),
            Ok(permit) = permit => ReporterEvent::Send(permit),
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => ReporterEvent::Due,
            _ = self.heartbeat.tick() => ReporterEvent::Heartbeat,
        }
    }

    fn observe(&mut self, event: ObjectEvent<R::Object>) {
        self.record(event);
        match self.cache.unreadable(self.setup.kind.noun()) {
            Some(line) => self.setup.notices.raise(self.topic.clone(), line),
            None => self.setup.notices.clear(&self.topic),
        }
    }

    fn record(&mut self, event: ObjectEvent<R::Object>) {
        match event {
            ObjectEvent::ListStarted {
                scope,
                resource_version,
            } => self.list_started(&scope, resource_version),
            ObjectEvent::Applied(object) => {
                let (key, change) = self.cache.apply(object);
                if change == CacheUpdate::Changed {
                    self.on_changed(key.clone());
                    self.compress_listed(&key);
                }
            }
            ObjectEvent::Quarantined(object) => {
                if self.cache.quarantine(&object) == CacheUpdate::Changed {
                    self.setup.metrics.quarantined();
                    tracing::warn!(kind = self.share.kind, %object, "an object is left out until it can be read");
                }
            }
            ObjectEvent::Deleted {
                key,
                resource_version,
            } => {
                if self.cache.delete(&key, resource_version) == CacheUpdate::Changed {
                    self.on_deleted(key);
                }
            }
            ObjectEvent::Deselected {
                key,
                resource_version,
            } => {
                if self.cache.deselect(&key, resource_version) == CacheUpdate::Changed {
                    self.on_deleted(key);
                }
            }
            ObjectEvent::RelatedChanged(key) => {
                if self.cache.get(&key).is_some_and(|entry| !entry.is_gone()) {
                    self.request_enrichment(key);
                }
            }
            ObjectEvent::ListCompleted { scope } => {
                let gone = self.cache.complete_list(&scope);
                self.on_list_completed(scope, gone);
            }
            ObjectEvent::KindUnavailable => self.setup.ready = None,
            ObjectEvent::KindMissing { scope } => {
                let gone = self.cache.clear_scope(&scope);
                self.on_list_completed(scope, gone);
            }
        }
    }

    fn on_list_completed(&mut self, scope: WatchScope, gone: Vec<ObjectKey>) {
        gone.into_iter().for_each(|key| self.on_deleted(key));
        self.revisit(&scope);
        self.listed.insert(scope);
        self.compare_unseen();
        self.compare();
        self.recheck_membership();
    }

    fn on_deleted(&mut self, key: ObjectKey) {
        match self.setup.kind.deletion_policy() {
            DeletionPolicy::Report => self.queue.put(key),
            DeletionPolicy::Ignore => self.forget(&key),
        }
    }

    fn on_changed(&mut self, key: ObjectKey) {
        let Some(entry) = self.cache.get_mut(&key) else {
            return;
        };
        let object = entry.object();
        if let Some(object) = &object {
            let ended = self.setup.kind.ended_operations(object);
            let observer = if self.share.has(&key) {
                Observer::Own
            } else {
                Observer::Other
            };
            let cut = entry.operations.observe(ended, observer);
            self.setup.metrics.operations_lost(cut);
        }
        let enrichment = entry.enrichment();
        let known = entry.remote.is_some() && enrichment.quality() == Quality::Whole;
        match (&self.enricher, &object) {
            (None, _) => entry.enrich(R::Enrichment::without_source()),
            (Some(_), Some(object)) if enrichment.is_current(object) => {}
            (Some(enricher), _) => {
                let prompt = known && enricher.is_prompt(ENRICHMENT_HOLD);
                self.request_enrichment(key.clone());
                if prompt {
                    return self.queue.hold(key, Instant::now() + ENRICHMENT_HOLD);
                }
            }
        }
        self.queue.put(key);
    }

    /// Compresses listed objects at once: most of them wait for a while or need no report.
    fn compress_listed(&mut self, key: &ObjectKey) {
        if self.cache.is_listing(&key.namespace)
            && let Some(entry) = self.cache.get_mut(key)
        {
            entry.compress();
        }
    }

    /// Replaces the manifests held for an object.
    fn set_contents(&mut self, key: &ObjectKey, contents: Arc<[Content]>) {
        if let Some(entry) = self.cache.get_mut(key) {
            let before = std::mem::replace(&mut entry.contents, contents);
            self.content_bytes += total(&entry.contents);
            self.content_bytes = self.content_bytes.saturating_sub(total(&before));
        }
    }

    /// Replaces the delta base of an object, within the memory limit.
    fn set_base(&mut self, key: &ObjectKey, base: Option<Base>) {
        let Some(entry) = self.cache.get_mut(key) else {
            return;
        };
        self.base_bytes -= entry.base.as_ref().map_or(0, Base::len);
        entry.base = base.filter(|base| self.base_bytes + base.len() <= MOST_BYTES);
        self.base_bytes += entry.base.as_ref().map_or(0, Base::len);
    }

    fn forget(&mut self, key: &ObjectKey) {
        self.set_contents(key, Arc::default());
        self.set_base(key, None);
        self.has_room(key);
        self.cache.forget(key);
    }

    fn send_heartbeat(&mut self) {
        let connection = match self.link.session() {
            Some(_) => Connection::Open,
            None => Connection::None,
        };
        self.setup.metrics.record_lag(&self.queue, connection);
        self.cache.compress_idle(Instant::now());
        if let Some(session) = self.link.session() {
            // A full channel carries other messages, which serve as heartbeats.
            let _ = session.outbound.try_send(convert::heartbeat());
        }
    }

    fn on_link_event(&mut self, event: LinkEvent) {
        match event {
            LinkEvent::Due => {
                let hello = self.hello();
                self.link.open(hello);
            }
            LinkEvent::Opened => {}
            LinkEvent::Lost => self.on_disconnected(),
            LinkEvent::Message(response) => self.on_message(response),
        }
    }

    fn on_message(&mut self, response: pb::ReportResponse) {
        use pb::report_response::Message;
        match response.message {
            Some(Message::Welcome(welcome)) => self.on_welcome(&welcome),
            Some(Message::Held(held)) => self.on_held(held),
            Some(Message::Acknowledged(acknowledged)) => {
                for sequence in acknowledged.sequences {
                    self.on_acknowledged(sequence);
                }
            }
            Some(Message::Rejected(rejected)) => self.on_rejected(&rejected),
            Some(Message::Wanted(wanted)) => self.on_wanted(&wanted),
            Some(Message::Members(members)) => self.on_members(members),
            Some(Message::BaseWanted(wanted)) => self.on_base_wanted(wanted.sequence),
            None => {}
        }
    }
}

fn total(contents: &[Content]) -> usize {
    contents.iter().map(|content| content.bytes.len()).sum()
}

#[cfg(test)]
mod tests;
