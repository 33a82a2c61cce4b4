//! The reporter without a cluster: events in, reports out. One task owns everything, so that nothing is locked and the order
//! of things is the order in which they happened. It uses no threads and no clock but tokio's.

mod answers;
mod compare;
mod questions;
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
    base::{Base, MOST_BYTES},
    book::{Book, Change, Continuity},
    convert,
    enricher::{Enricher, Turn},
    enrichment::{Enrichment, Quality},
    link::{Link, Said},
    manifest::Content,
    members::Share,
    metrics::{Connection, Metrics},
    object::{ObjectEvent, ObjectKey, WatchScope},
    operations::Teller,
    pace::Pace,
    queue::{CAPACITY, Queue},
    reported::{Ending, Reported},
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
type EnrichmentOf<R> = <R as Reported>::Enrichment;
type ObjectOf<R> = <R as Reported>::Object;

/// What a reporter works with.
pub struct Setup<R: Reported> {
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
pub struct Reporter<R: Reported> {
    setup: Setup<R>,
    /// The topic of what is left out.
    topic: String,
    objects: ObjectEvents<R::Object>,
    book: Book<R>,
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
enum Next<R: Reported> {
    Object(Option<ObjectEvent<R::Object>>),
    Link(Said),
    Enricher(Turn<Answers<R>>),
    Send(mpsc::OwnedPermit<pb::ReportRequest>),
    /// A delayed object's time has come.
    Due,
    Heartbeat,
}

impl<R: Reported> Reporter<R> {
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
            book: Book::default(),
            queue: Queue::new(CAPACITY).paced(Pace::REPORTS),
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
            queue: queue.paced(Pace::REPORTS),
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
                Next::Object(None) => return,
                Next::Object(Some(event)) => self.observe(event),
                Next::Link(said) => self.hear(said),
                Next::Enricher(Turn::Answered(enriched)) => self.enrich(*enriched),
                Next::Enricher(Turn::Retry(key)) => self.ask(key),
                Next::Send(permit) => self.send(permit),
                Next::Due => self.queue.wake(Instant::now()),
                Next::Heartbeat => self.beat(),
            }
            self.start_questions();
            self.setup.metrics.observe(&mut self.queue, &self.book);
        }
    }

    async fn next(&mut self) -> Next<R> {
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
            event = self.objects.events.recv() => Next::Object(event),
            said = self.link.next() => Next::Link(said),
            turn = enricher => Next::Enricher(turn),
            Ok(permit) = permit => Next::Send(permit),
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => Next::Due,
            _ = self.heartbeat.tick() => Next::Heartbeat,
        }
    }

    fn observe(&mut self, event: ObjectEvent<R::Object>) {
        self.record(event);
        match self.book.unreadable(self.setup.kind.noun()) {
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
                let (key, change) = self.book.applied(object);
                if change == Change::New {
                    self.changed(key.clone());
                    self.pack_listed(&key);
                }
            }
            ObjectEvent::Quarantined(object) => {
                if self.book.quarantined(&object) == Change::New {
                    self.setup.metrics.quarantined();
                    tracing::warn!(kind = self.share.kind, %object, "an object is left out until it can be read");
                }
            }
            ObjectEvent::Deleted {
                key,
                resource_version,
            } => {
                if self.book.deleted(&key, resource_version) == Change::New {
                    self.ended(key);
                }
            }
            ObjectEvent::Left {
                key,
                resource_version,
            } => {
                if self.book.left(&key, resource_version) == Change::New {
                    self.ended(key);
                }
            }
            ObjectEvent::Stirred(key) => {
                if self.book.get(&key).is_some_and(|entry| !entry.is_gone()) {
                    self.ask(key);
                }
            }
            ObjectEvent::Listed { scope } => {
                let gone = self.book.listed(&scope);
                self.all_listed(scope, gone);
            }
            ObjectEvent::Awaited => self.setup.ready = None,
            ObjectEvent::Absent { scope } => {
                let gone = self.book.none(&scope);
                self.all_listed(scope, gone);
            }
        }
    }

    fn all_listed(&mut self, scope: WatchScope, gone: Vec<ObjectKey>) {
        gone.into_iter().for_each(|key| self.ended(key));
        self.revisit(&scope);
        self.listed.insert(scope);
        self.compare_unseen();
        self.compare();
        self.look_again();
    }

    fn ended(&mut self, key: ObjectKey) {
        match self.setup.kind.ending() {
            Ending::Told => self.queue.put(key),
            Ending::Untold => self.forget(&key),
        }
    }

    fn changed(&mut self, key: ObjectKey) {
        let Some(entry) = self.book.get_mut(&key) else {
            return;
        };
        let object = entry.object();
        if let Some(object) = &object {
            let ended = self.setup.kind.ended_operations(object);
            let teller = match self.share.has(&key) {
                true => Teller::Own,
                false => Teller::Other,
            };
            let cut = entry.operations.observe(ended, teller);
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
        if self.book.is_listing(&key.namespace)
            && let Some(entry) = self.book.get_mut(key)
        {
            entry.pack();
        }
    }

    /// Keeps manifests of an object in the place of those before.
    fn keep(&mut self, key: &ObjectKey, contents: Arc<[Content]>) {
        if let Some(entry) = self.book.get_mut(key) {
            let before = std::mem::replace(&mut entry.contents, contents);
            self.kept += total(&entry.contents);
            self.kept = self.kept.saturating_sub(total(&before));
        }
    }

    /// Keeps what a next state of an object may be told by, in the place of the one before.
    fn keep_base(&mut self, key: &ObjectKey, base: Option<Base>) {
        let Some(entry) = self.book.get_mut(key) else {
            return;
        };
        self.bases -= entry.base.as_ref().map_or(0, Base::len);
        entry.base = base.filter(|base| self.bases + base.len() <= MOST_BYTES);
        self.bases += entry.base.as_ref().map_or(0, Base::len);
    }

    fn forget(&mut self, key: &ObjectKey) {
        self.keep(key, Arc::default());
        self.keep_base(key, None);
        self.book.forget(key);
    }

    fn beat(&mut self) {
        let connection = match self.link.session() {
            Some(_) => Connection::Open,
            None => Connection::None,
        };
        self.setup.metrics.tell_age(&self.queue, connection);
        self.book.pack_at_rest(Instant::now());
        if let Some(session) = self.link.session() {
            // Where there is no room, other messages show that the reporter is there.
            let _ = session.outbound.try_send(convert::heartbeat());
        }
    }

    fn hear(&mut self, said: Said) {
        match said {
            Said::Due => {
                let hello = self.hello();
                self.link.open(hello);
            }
            Said::Opened => {}
            Said::Lost => self.disconnected(),
            Said::Message(response) => self.hear_message(response),
        }
    }

    fn hear_message(&mut self, response: pb::ReportResponse) {
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
            Some(Message::Members(members)) => self.joined(members),
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
