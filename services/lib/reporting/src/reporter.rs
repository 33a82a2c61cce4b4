//! Reporter: consumes object events and sends reports. A single task owns all state, so no locks are needed and events
//! keep their order.

mod compare;
mod enrich;
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

/// How many bytes of manifests wait to be wanted before no more are asked for.
const KEPT_BYTES: usize = 64 << 20;
/// How often the inventory hears something. Silence for three times as long is what a failover to another reporter takes at least.
const HEARTBEAT_MS: u32 = 2_000;
/// How long a change waits for what is known beyond the object, where the last answer was as quick, so that both go in one report.
const MOMENT: Duration = Duration::from_millis(25);

/// Who is asked for what is known beyond the objects of a kind.
pub type Source<R> = <EnrichmentOf<R> as Enrichment<ObjectOf<R>>>::Source;
type Answers<R> = <EnrichmentOf<R> as Enrichment<ObjectOf<R>>>::Answers;
type EnrichmentOf<R> = <R as ReportedKind>::Enrichment;
type ObjectOf<R> = <R as ReportedKind>::Object;

/// What a reporter works with.
pub struct Setup<R: ReportedKind> {
    /// What is reported.
    pub kind: R,
    /// The inventory, as the runtime.
    pub inventory: Peer,
    /// Who is asked; without it nothing is known beyond the objects.
    pub source: Option<Source<R>>,
    /// What the cluster is called on the platform.
    pub cluster: String,
    /// What is watched; each is listed for itself.
    pub scopes: Vec<WatchScope>,
    /// The identity of the cluster's store; empty where it is not known.
    pub store_identity: String,
    /// A UUID of this run.
    pub instance: String,
    /// Of this part.
    pub version: String,
    /// Dropped when the first complete comparison is made.
    pub ready: Option<ReadyHandle>,
    /// Where figures go.
    pub metrics: Metrics,
    /// Where it is told what is left out.
    pub notices: Notices,
    /// The chance in its delays.
    pub jitter: Jitter,
}

/// Where events of objects come from.
pub struct ObjectEvents<O> {
    /// The events.
    pub events: mpsc::Receiver<ObjectEvent<O>>,
    /// Told when complete lists are wanted out of turn; one for each scope.
    pub relist: Vec<Arc<Notify>>,
}

/// Reports what it is told of objects.
pub struct Reporter<R: ReportedKind> {
    setup: Setup<R>,
    /// The topic of what is left out.
    topic: String,
    objects: ObjectEvents<R::Object>,
    cache: ObjectCache<R>,
    queue: Queue<ObjectKey>,
    link: Link,
    enricher: Option<Enricher<R::Object, R::Enrichment>>,
    heartbeat: Interval,
    listed: HashSet<WatchScope>,
    continuity: Continuity,
    /// Of the inventory's store, as its last stream told it.
    incarnation: Option<u64>,
    suspicion: Option<Suspicion>,
    /// Objects that are held, newer than all that was seen here, and not here.
    unseen: Vec<pb::HeldObject>,
    share: Share,
    /// Bytes of manifests that are kept because they may be wanted.
    kept: usize,
    /// Bytes of states that next ones may be told by.
    bases: usize,
}

/// Something is held that is newer than all that was seen here: another reporter is ahead, or the store was put back. Two
/// lists of the same that begin after it was noticed tell which.
#[derive(Debug, Clone)]
struct Suspicion {
    held: u64,
    /// Of what a list has begun since, which may have been asked for before.
    listed: HashSet<WatchScope>,
}

/// The next thing to do.
enum ReporterEvent<R: ReportedKind> {
    Object(Option<ObjectEvent<R::Object>>),
    Link(LinkEvent),
    Enricher(EnricherEvent<Answers<R>>),
    Send(mpsc::OwnedPermit<pb::ReportRequest>),
    /// A delayed object's time has come.
    Due,
    Heartbeat,
}

impl<R: ReportedKind> Reporter<R> {
    /// Dials nothing yet.
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
            kept: 0,
            bases: 0,
            setup,
        }
    }

    /// The same with another queue, for tests: a small one, or one that is broken on purpose.
    #[doc(hidden)]
    #[must_use]
    pub fn with_queue(self, queue: Queue<ObjectKey>) -> Self {
        Self {
            queue: queue.with_rate_limit(RateLimit::REPORTS),
            ..self
        }
    }

    /// Reports until `stop`, or until events end. Whatever was not acknowledged by then is reported by the next run, since
    /// the cluster still has it.
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
                ReporterEvent::Link(said) => self.on_link_event(said),
                ReporterEvent::Enricher(EnricherEvent::Answered(enriched)) => {
                    self.enrich(*enriched)
                }
                ReporterEvent::Enricher(EnricherEvent::Retry(key)) => self.ask(key),
                ReporterEvent::Send(permit) => self.send(permit),
                ReporterEvent::Due => self.queue.wake(Instant::now()),
                ReporterEvent::Heartbeat => self.beat(),
            }
            self.start_questions();
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
            said = self.link.next() => ReporterEvent::Link(said),
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
                    self.changed(key.clone());
                    self.pack_listed(&key);
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
                    self.ended(key);
                }
            }
            ObjectEvent::Deselected {
                key,
                resource_version,
            } => {
                if self.cache.deselect(&key, resource_version) == CacheUpdate::Changed {
                    self.ended(key);
                }
            }
            ObjectEvent::RelatedChanged(key) => {
                if self.cache.get(&key).is_some_and(|entry| !entry.is_gone()) {
                    self.ask(key);
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
        gone.into_iter().for_each(|key| self.ended(key));
        self.revisit(&scope);
        self.listed.insert(scope);
        self.compare_unseen();
        self.compare();
        self.recheck_membership();
    }

    fn ended(&mut self, key: ObjectKey) {
        match self.setup.kind.deletion_policy() {
            DeletionPolicy::Report => self.queue.put(key),
            DeletionPolicy::Ignore => self.forget(&key),
        }
    }

    fn changed(&mut self, key: ObjectKey) {
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
            (Some(_), Some(object)) if enrichment.is_of(object) => {}
            (Some(enricher), _) => {
                let prompt = known && enricher.is_prompt(MOMENT);
                self.ask(key.clone());
                if prompt {
                    return self.queue.hold(key, Instant::now() + MOMENT);
                }
            }
        }
        self.queue.put(key);
    }

    /// Of many that come at once most wait for their turn, or have nothing to be told.
    fn pack_listed(&mut self, key: &ObjectKey) {
        if self.cache.is_listing(&key.namespace)
            && let Some(entry) = self.cache.get_mut(key)
        {
            entry.pack();
        }
    }

    /// Keeps manifests of an object in the place of those before.
    fn keep(&mut self, key: &ObjectKey, contents: Arc<[Content]>) {
        if let Some(entry) = self.cache.get_mut(key) {
            let before = std::mem::replace(&mut entry.contents, contents);
            self.kept += total(&entry.contents);
            self.kept = self.kept.saturating_sub(total(&before));
        }
    }

    /// Keeps what a next state of an object may be told by, in the place of the one before.
    fn keep_base(&mut self, key: &ObjectKey, base: Option<Base>) {
        let Some(entry) = self.cache.get_mut(key) else {
            return;
        };
        self.bases -= entry.base.as_ref().map_or(0, Base::len);
        entry.base = base.filter(|base| self.bases + base.len() <= MOST_BYTES);
        self.bases += entry.base.as_ref().map_or(0, Base::len);
    }

    fn forget(&mut self, key: &ObjectKey) {
        self.keep(key, Arc::default());
        self.keep_base(key, None);
        self.cache.forget(key);
    }

    fn beat(&mut self) {
        let connection = match self.link.session() {
            Some(_) => Connection::Open,
            None => Connection::None,
        };
        self.setup.metrics.tell_age(&self.queue, connection);
        self.cache.pack_at_rest(Instant::now());
        if let Some(session) = self.link.session() {
            // Where there is no room, other messages show that the reporter is there.
            let _ = session.outbound.try_send(convert::heartbeat());
        }
    }

    fn on_link_event(&mut self, said: LinkEvent) {
        match said {
            LinkEvent::Due => {
                let hello = self.hello();
                self.link.open(hello);
            }
            LinkEvent::Opened => {}
            LinkEvent::Lost => self.disconnected(),
            LinkEvent::Message(response) => self.on_message(response),
        }
    }

    fn on_message(&mut self, response: pb::ReportResponse) {
        use pb::report_response::Message;
        match response.message {
            Some(Message::Welcome(welcome)) => self.welcomed(&welcome),
            Some(Message::Held(held)) => self.told(held),
            Some(Message::Acknowledged(acknowledged)) => {
                for sequence in acknowledged.sequences {
                    self.acknowledged(sequence);
                }
            }
            Some(Message::Rejected(rejected)) => self.rejected(&rejected),
            Some(Message::Wanted(wanted)) => self.wanted(&wanted),
            Some(Message::Members(members)) => self.on_members(members),
            Some(Message::BaseWanted(wanted)) => self.base_wanted(wanted.sequence),
            None => {}
        }
    }
}

fn total(contents: &[Content]) -> usize {
    contents.iter().map(|content| content.bytes.len()).sum()
}

#[cfg(test)]
mod tests;
