//! Schedules enrichment: one request per object at a time, and a bounded number in parallel.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use causeway_client::Jitter;
use tokio::{
    task::{self, JoinError, JoinSet},
    time::{Instant, sleep_until},
};
use tracing::Instrument as _;

use crate::{
    enrichment::{Enrichment, Freshness},
    object::ObjectKey,
    queue::Queue,
    trace,
};

const AT_ONCE: usize = 16;
const FIRST_RETRY: Duration = Duration::from_secs(5);
const LAST_RETRY: Duration = Duration::from_secs(300);
/// What an object owns goes on changing for a while after the object has changed for the last time.
const SETTLED_AFTER: Duration = Duration::from_secs(10);

/// Runs questions about objects.
pub(crate) struct Enricher<O, E: Enrichment<O>> {
    source: E::Source,
    waiting: Queue<ObjectKey>,
    running: JoinSet<Enriched<E::Answers>>,
    /// What each of them asks about.
    asked: HashMap<task::Id, ObjectKey>,
    due: BTreeSet<(Instant, ObjectKey)>,
    /// The one time at which an object is due.
    later: HashMap<ObjectKey, (Instant, Freshness)>,
    settled: HashSet<ObjectKey>,
    /// How long the last answer about a change took; nothing before the first.
    took: Option<Duration>,
    jitter: Jitter,
}

/// What is asked about.
pub(crate) struct Asked<O> {
    pub(crate) object: Arc<O>,
    /// Of what is being done to it, as W3C traceparent.
    pub(crate) trace: Option<String>,
}

/// What was answered.
pub(crate) struct Enriched<A> {
    pub(crate) key: ObjectKey,
    pub(crate) freshness: Freshness,
    pub(crate) answers: A,
    took: Duration,
}

/// What the enricher has to say.
pub(crate) enum EnricherEvent<A> {
    /// Answers came.
    Answered(Box<Enriched<A>>),
    /// It is time to ask about this again.
    Retry(ObjectKey),
}

impl<O: Send + Sync + 'static, E: Enrichment<O>> Enricher<O, E> {
    pub(crate) fn new(source: E::Source, jitter: Jitter) -> Self {
        Self {
            source,
            waiting: Queue::new(crate::queue::CAPACITY),
            running: JoinSet::new(),
            asked: HashMap::new(),
            due: BTreeSet::new(),
            later: HashMap::new(),
            settled: HashSet::new(),
            took: None,
            jitter,
        }
    }

    /// Asks about an object, once there is a place.
    pub(crate) fn ask(&mut self, key: ObjectKey) {
        self.waiting.put(key);
    }

    /// Whether an answer to what is asked now can be expected within a time.
    pub(crate) fn is_prompt(&self, within: Duration) -> bool {
        let has_place = self.running.len() < AT_ONCE && !self.waiting.has_waiting();
        has_place && self.took.is_some_and(|took| took <= within)
    }

    /// Asks again later; the time grows with the failures in a row.
    pub(crate) fn ask_later(&mut self, key: ObjectKey, failures: u32) {
        let bound = FIRST_RETRY
            .saturating_mul(1 << failures.min(10))
            .min(LAST_RETRY);
        let delay = bound.mul_f64(0.5 + 0.5 * self.jitter.share());
        self.put_off(key, delay, Freshness::Cached);
    }

    /// Asks once more when what the object owns has come to rest.
    pub(crate) fn ask_when_settled(&mut self, key: ObjectKey) {
        self.put_off(key, SETTLED_AFTER, Freshness::Settled);
    }

    fn put_off(&mut self, key: ObjectKey, delay: Duration, freshness: Freshness) {
        let at = Instant::now() + delay;
        if let Some((before, _)) = self.later.insert(key.clone(), (at, freshness)) {
            self.due.remove(&(before, key.clone()));
        }
        self.due.insert((at, key));
    }

    fn take_due(&mut self) -> Option<ObjectKey> {
        let (_, key) = self.due.pop_first()?;
        let (_, freshness) = self.later.remove(&key)?;
        if freshness == Freshness::Settled {
            self.settled.insert(key.clone());
        }
        Some(key)
    }

    /// Starts what there is a place for. `look_up` gives the newest state of an object that is there.
    pub(crate) fn start(&mut self, look_up: impl Fn(&ObjectKey) -> Option<Asked<O>>) {
        while self.running.len() < AT_ONCE
            && let Some(key) = self.waiting.take(Instant::now())
        {
            match look_up(&key) {
                Some(asked) => self.run(key, asked),
                None => {
                    self.settled.remove(&key);
                    self.waiting.settle(&key);
                }
            }
        }
    }

    fn run(&mut self, key: ObjectKey, asked: Asked<O>) {
        let source = self.source.clone();
        let freshness = if self.settled.remove(&key) {
            Freshness::Settled
        } else {
            Freshness::Cached
        };
        let of = key.clone();
        let begun = Instant::now();
        let span = tracing::info_span!("enrich", %key);
        trace::joined(&span, asked.trace.as_deref());
        let enriching = async move {
            let answers = E::ask(source, asked.object, freshness).await;
            Enriched {
                key,
                freshness,
                answers,
                took: begun.elapsed(),
            }
        };
        let enriching = causeway_shell::with_current_trace(enriching.instrument(span));
        let running = self.running.spawn(enriching);
        self.asked.insert(running.id(), of);
    }

    /// A question that ends without an answer is a mistake of ours: it is asked again, but not soon.
    fn broke(&mut self, error: &JoinError) {
        let key = self.asked.remove(&error.id());
        let object = key.as_ref().map(ToString::to_string);
        tracing::error!(%error, object, "enriching an object failed");
        if let Some(key) = key {
            self.waiting.settle(&key);
            self.ask_later(key, u32::MAX);
        }
    }

    /// The next thing that happens. Nothing is lost when it is dropped.
    pub(crate) async fn next(&mut self) -> EnricherEvent<E::Answers> {
        loop {
            let due = self.due.first().map(|(at, _)| *at);
            tokio::select! {
                Some(joined) = self.running.join_next_with_id() => match joined {
                    Ok((id, enriched)) => {
                        self.asked.remove(&id);
                        self.waiting.settle(&enriched.key);
                        if enriched.freshness == Freshness::Cached {
                            self.took = Some(enriched.took);
                        }
                        return EnricherEvent::Answered(Box::new(enriched));
                    }
                    Err(error) => self.broke(&error),
                },
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    if let Some(key) = self.take_due() {
                        return EnricherEvent::Retry(key);
                    }
                }
                else => std::future::pending::<()>().await,
            }
        }
    }
}

#[cfg(test)]
mod tests;
