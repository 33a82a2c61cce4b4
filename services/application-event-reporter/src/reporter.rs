//! The reporter without a cluster: events in, reports out. One task owns everything, so that nothing is locked and the order
//! of things is the order in which they happened. It uses no threads and no clock but tokio's.

mod answers;
mod compare;
mod send;

use std::{collections::HashSet, future::Future, sync::Arc, time::Duration};

use causeway_argocd::redact::Redactor;
use causeway_client::{Jitter, Peer};
use causeway_proto::inventory::v1 as pb;
use causeway_shell::{Notices, ReadyHandle};
use tokio::{
    sync::{Notify, mpsc},
    time::{Interval, MissedTickBehavior, interval},
};

use crate::{
    book::{Book, Change, Continuity},
    convert,
    enricher::{Enriched, Enricher, Freshness, Turn},
    enrichment::{Enrichment, Inputs, Quality},
    link::{Link, Said},
    manifest::Content,
    members,
    metrics::Metrics,
    object::{ObjectEvent, ObjectKey, WatchScope},
    queue::{CAPACITY, Queue},
    session::Stage,
    source::Source,
};

/// The kind that is reported.
pub const KIND: &str = "applications.argoproj.io";
/// How many bytes of manifests wait to be wanted before no more are asked for.
const KEPT_BYTES: usize = 64 << 20;
/// The topic of what is left out.
const QUARANTINE: &str = "quarantine";
const HEARTBEAT: Duration = Duration::from_secs(10);

/// What a reporter works with.
pub struct Setup {
    /// The inventory, as the runtime.
    pub inventory: Peer,
    /// The part source-server, as this part; without it nothing is known beyond the objects.
    pub source: Option<Peer>,
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
    /// Redacts what leaves the cluster.
    pub redactor: Redactor,
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
pub struct ObjectEvents {
    /// The events.
    pub events: mpsc::Receiver<ObjectEvent>,
    /// Told when complete lists are wanted out of turn; one for each scope.
    pub relist: Vec<Arc<Notify>>,
}

/// Reports what it is told of objects.
pub struct Reporter {
    setup: Setup,
    objects: ObjectEvents,
    book: Book,
    queue: Queue<ObjectKey>,
    link: Link,
    enricher: Option<Enricher>,
    heartbeat: Interval,
    listed: HashSet<WatchScope>,
    continuity: Continuity,
    suspicion: Option<Suspicion>,
    members: Vec<String>,
    /// Bytes of manifests that are kept because they may be wanted.
    kept: usize,
}

/// Something is held that is newer than all that was seen here: another reporter is ahead, or the store was put back. Two
/// lists that begin after it was noticed tell which.
#[derive(Debug, Clone, Copy)]
struct Suspicion {
    held: u64,
    confirmations: u8,
}

/// The next thing to do.
enum Next {
    Object(Option<ObjectEvent>),
    Link(Said),
    Enricher(Turn),
    Send(mpsc::OwnedPermit<pb::ReportRequest>),
    Heartbeat,
}

impl Reporter {
    /// Dials nothing yet.
    pub fn new(setup: Setup, objects: ObjectEvents) -> Self {
        let source = setup.source.clone();
        let source = source.map(|peer| Source::new(peer, setup.redactor.clone()));
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            link: Link::new(setup.inventory.clone(), setup.jitter.clone()),
            enricher: source.map(|source| Enricher::new(source, setup.jitter.clone())),
            objects,
            book: Book::default(),
            queue: Queue::new(CAPACITY),
            heartbeat,
            listed: HashSet::new(),
            continuity: Continuity::Continued,
            suspicion: None,
            members: Vec::new(),
            kept: 0,
            setup,
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
                Next::Heartbeat => self.beat(),
            }
            self.start_questions();
            self.setup.metrics.observe(&self.queue, &self.book);
        }
    }

    async fn next(&mut self) -> Next {
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
        tokio::select! {
            event = self.objects.events.recv() => Next::Object(event),
            said = self.link.next() => Next::Link(said),
            turn = enricher => Next::Enricher(turn),
            Ok(permit) = permit => Next::Send(permit),
            _ = self.heartbeat.tick() => Next::Heartbeat,
        }
    }

    fn observe(&mut self, event: ObjectEvent) {
        self.record(event);
        match self.book.unreadable() {
            Some(line) => self.setup.notices.raise(QUARANTINE, line),
            None => self.setup.notices.clear(QUARANTINE),
        }
    }

    fn record(&mut self, event: ObjectEvent) {
        match event {
            ObjectEvent::ListStarted {
                scope,
                resource_version,
            } => self.list_started(&scope, resource_version),
            ObjectEvent::Applied(application) => {
                let (key, change) = self.book.applied(application);
                if change == Change::New {
                    self.changed(key);
                }
            }
            ObjectEvent::Quarantined(object) => {
                if self.book.quarantined(&object) == Change::New {
                    self.setup.metrics.quarantined();
                    tracing::warn!(%object, "an Application is left out until it can be read");
                }
            }
            ObjectEvent::Deleted {
                key,
                resource_version,
            } => {
                if self.book.deleted(&key, resource_version) == Change::New {
                    self.queue.put(key);
                }
            }
            ObjectEvent::Listed { scope } => {
                let gone = self.book.listed(&scope);
                gone.into_iter().for_each(|key| self.queue.put(key));
                self.listed.insert(scope);
                self.compare();
            }
        }
    }

    fn changed(&mut self, key: ObjectKey) {
        self.queue.put(key.clone());
        let Some(entry) = self.book.get_mut(&key) else {
            return;
        };
        match (&self.enricher, entry.application()) {
            (None, _) => entry.enrichment = Arc::new(Enrichment::without_source()),
            (Some(_), Some(application)) if entry.enrichment.inputs == Inputs::of(application) => {}
            (Some(_), _) => self.ask(key),
        }
    }

    fn ask(&mut self, key: ObjectKey) {
        if let Some(enricher) = &mut self.enricher {
            enricher.ask(key);
        }
    }

    /// Asks about what there is a place for. Answers wait for a stream, so that none are made without one.
    fn start_questions(&mut self) {
        let open = |stage| stage == Stage::Compared;
        let connected = self
            .link
            .session()
            .is_some_and(|session| open(session.stage));
        let (book, setup, members) = (&self.book, &self.setup, &self.members);
        if let Some(enricher) = &mut self.enricher
            && connected
            && self.kept < KEPT_BYTES
        {
            enricher.start(|key| {
                let application = book.get(key)?.application()?;
                owns(setup, members, key).then(|| Arc::clone(application))
            });
        }
    }

    fn enrich(&mut self, enriched: Enriched) {
        let key = enriched.key;
        let Some(entry) = self.book.get_mut(&key).filter(|entry| !entry.is_gone()) else {
            return;
        };
        let (renewed, contents) = entry.enrichment.renewed(enriched.inputs, enriched.answers);
        entry.failures = match renewed.quality {
            Quality::Lacking => entry.failures + 1,
            Quality::Blank | Quality::Whole => 0,
        };
        if let Some(enricher) = &mut self.enricher {
            match (entry.failures, enriched.freshness) {
                (0, Freshness::Cached) => enricher.ask_when_settled(key.clone()),
                (0, Freshness::Settled) => {}
                (failures, _) => enricher.ask_later(key.clone(), failures - 1),
            }
        }
        entry.enrichment = Arc::new(renewed);
        if !contents.is_empty() {
            self.keep(&key, contents.into());
        }
        self.queue.put(key);
    }

    /// Keeps manifests of an object in the place of those before.
    fn keep(&mut self, key: &ObjectKey, contents: Arc<[Content]>) {
        if let Some(entry) = self.book.get_mut(key) {
            let before = std::mem::replace(&mut entry.contents, contents);
            self.kept += total(&entry.contents);
            self.kept = self.kept.saturating_sub(total(&before));
        }
    }

    fn forget(&mut self, key: &ObjectKey) {
        self.keep(key, Arc::default());
        self.book.forget(key);
    }

    fn beat(&mut self) {
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
            None => {}
        }
    }
}

fn owns(setup: &Setup, members: &[String], key: &ObjectKey) -> bool {
    let object = [&*setup.cluster, KIND, &*key.namespace, &*key.name];
    members::owns(&setup.instance, members, &object)
}

fn total(contents: &[Content]) -> usize {
    contents.iter().map(|content| content.bytes.len()).sum()
}
