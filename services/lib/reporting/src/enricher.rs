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

const MAX_RUNNING: usize = 16;
const MIN_RETRY_DELAY: Duration = Duration::from_secs(5);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(300);
/// What an object owns goes on changing for a while after the object has changed for the last time.
const SETTLED_AFTER: Duration = Duration::from_secs(10);

/// Runs questions about objects.
pub(crate) struct Enricher<O, E: Enrichment<O>> {
    source: E::Source,
    waiting: Queue<ObjectKey>,
    running: JoinSet<Enriched<E::Answers>>,
    running_keys: HashMap<task::Id, ObjectKey>,
    due: BTreeSet<(Instant, ObjectKey)>,
    /// Time of the next request per object.
    later: HashMap<ObjectKey, (Instant, Freshness)>,
    settled: HashSet<ObjectKey>,
    /// Latency of the last answer about a change.
    took: Option<Duration>,
    jitter: Jitter,
}

/// Object to enrich.
pub(crate) struct EnrichmentRequest<O> {
    pub(crate) object: Arc<O>,
    /// W3C traceparent of the operation under way.
    pub(crate) trace: Option<String>,
}

/// Result of one enrichment.
pub(crate) struct Enriched<A> {
    pub(crate) key: ObjectKey,
    pub(crate) freshness: Freshness,
    pub(crate) answers: A,
    took: Duration,
}

/// Next event of the enricher.
pub(crate) enum EnricherEvent<A> {
    Answered(Box<Enriched<A>>),
    /// The object is due for another request.
    Retry(ObjectKey),
}

impl<O: Send + Sync + 'static, E: Enrichment<O>> Enricher<O, E> {
    pub(crate) fn new(source: E::Source, jitter: Jitter) -> Self {
        Self {
            source,
            waiting: Queue::new(crate::queue::CAPACITY),
            running: JoinSet::new(),
            running_keys: HashMap::new(),
            due: BTreeSet::new(),
            later: HashMap::new(),
            settled: HashSet::new(),
            took: None,
            jitter,
        }
    }

    /// Queues a request for an object.
    pub(crate) fn request(&mut self, key: ObjectKey) {
        self.waiting.put(key);
    }

    /// True when a new request is likely to be answered in time.
    pub(crate) fn is_prompt(&self, within: Duration) -> bool {
        let has_place = self.running.len() < MAX_RUNNING && !self.waiting.has_waiting();
        has_place && self.took.is_some_and(|took| took <= within)
    }

    /// Schedules a retry with exponential backoff.
    pub(crate) fn retry_later(&mut self, key: ObjectKey, failures: u32) {
        let bound = MIN_RETRY_DELAY
            .saturating_mul(1 << failures.min(10))
            .min(MAX_RETRY_DELAY);
        let delay = bound.mul_f64(0.5 + 0.5 * self.jitter.share());
        self.schedule(key, delay, Freshness::Cached);
    }

    /// Schedules another request for when the owned objects have settled.
    pub(crate) fn request_when_settled(&mut self, key: ObjectKey) {
        self.schedule(key, SETTLED_AFTER, Freshness::Settled);
    }

    fn schedule(&mut self, key: ObjectKey, delay: Duration, freshness: Freshness) {
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

    /// Starts queued requests up to the limit. `look_up` returns the newest state of an existing object.
    pub(crate) fn start(&mut self, look_up: impl Fn(&ObjectKey) -> Option<EnrichmentRequest<O>>) {
        while self.running.len() < MAX_RUNNING
            && let Some(key) = self.waiting.take(Instant::now())
        {
            match look_up(&key) {
                Some(request) => self.run(key, request),
                None => {
                    self.settled.remove(&key);
                    self.waiting.settle(&key);
                }
            }
        }
    }

    fn run(&mut self, key: ObjectKey, request: EnrichmentRequest<O>) {
        let source = self.source.clone();
        let freshness = if self.settled.remove(&key) {
            Freshness::Settled
        } else {
            Freshness::Cached
        };
        let of = key.clone();
        let started = Instant::now();
        let span = tracing::info_span!("enrich", %key);
        trace::joined(&span, request.trace.as_deref());
        let enriching = async move {
            let answers = E::fetch(source, request.object, freshness).await;
            Enriched {
                key,
                freshness,
                answers,
                took: started.elapsed(),
            }
        };
        let enriching = causeway_shell::with_current_trace(enriching.instrument(span));
        let running = self.running.spawn(enriching);
        self.running_keys.insert(running.id(), of);
    }

    /// A panicking task is a defect: its object is retried after the longest delay.
    fn on_task_failed(&mut self, error: &JoinError) {
        let key = self.running_keys.remove(&error.id());
        let object = key.as_ref().map(ToString::to_string);
        tracing::error!(%error, object, "enriching an object failed");
        if let Some(key) = key {
            self.waiting.settle(&key);
            self.retry_later(key, u32::MAX);
        }
    }

    /// Waits for the next event. Cancel-safe.
    pub(crate) async fn next(&mut self) -> EnricherEvent<E::Answers> {
        loop {
            let due = self.due.first().map(|(at, _)| *at);
            tokio::select! {
                Some(joined) = self.running.join_next_with_id() => match joined {
                    Ok((id, enriched)) => {
                        self.running_keys.remove(&id);
                        self.waiting.settle(&enriched.key);
                        if enriched.freshness == Freshness::Cached {
                            self.took = Some(enriched.took);
                        }
                        return EnricherEvent::Answered(Box::new(enriched));
                    }
                    Err(error) => self.on_task_failed(&error),
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
