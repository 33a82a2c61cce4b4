//! Report stream of one reporter. An acknowledged report is durable, and a bad report never stops the others.
//!
//! Account and runtime come from the verified caller, never from messages.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use futures::{
    FutureExt as _, Stream, StreamExt as _,
    future::BoxFuture,
    stream::{BoxStream, FuturesUnordered},
};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{Span, field::Empty};

use super::{
    Fault, FieldError, Hello, Incoming, Outgoing, Part, ReadDelta, Rejection, Report, Reporter,
    SessionError, Welcome, bases::Bases, epoch::next_epoch, ordered::OrderedChange,
    outcome::Written, window::Window,
};
use crate::{
    application::{HeldObject, Scope},
    digest::Digest,
    inventory::Inventory,
    metrics::{Metrics, ReportResult},
    order::Continuity,
    quota::{Owner, QuotaLedger},
    report::membership::{Joining, LeaseState, Membership, StreamLease},
    store::{Outcome, Store, StoreError, Write},
};

/// Maximum number of reports that wait for an answer.
pub const WINDOW: u32 = 256;
/// How many bytes of reports a reporter should have waiting for an answer.
pub const WINDOW_BYTES: u64 = 32 << 20;
/// How large a manifest may be.
pub const MANIFEST_BYTES: usize = 3 << 20;
pub(super) const MEMORY_BYTES: usize = 64 << 20;
const HELD_CHUNK: usize = 500;
pub(super) const HELLO_WITHIN: Duration = Duration::from_secs(10);

/// Serves one reporter until either side ends the stream. Whatever was acknowledged stays; the rest is sent again by the
/// reporter on its next stream.
pub fn serve(
    inventory: Inventory,
    reporter: Reporter,
    read_delta: ReadDelta,
    mut incoming: BoxStream<'static, Incoming>,
) -> impl Stream<Item = Result<Outgoing, SessionError>> + Send + 'static {
    async_stream::try_stream! {
        let hello = receive_hello(&inventory, &mut incoming).await?;
        let namespaces = hello.namespaces.clone();
        let mut session = Session::open(&inventory, reporter, read_delta, hello).await?;
        yield Outgoing::Welcome(session.welcome(inventory.store().reads().incarnation())?);
        let mut next = NextStep::SendHeld;
        while next != NextStep::End {
            if next == NextStep::SendHeld {
                let mut after = None;
                loop {
                    let busy = session.lease.pause_liveness();
                    let objects = inventory.store().reads().list_held(&session.scope, after.as_ref(), HELD_CHUNK).await?;
                    drop(busy);
                    let part = if objects.len() < HELD_CHUNK { Part::Last } else { Part::Middle };
                    after = objects.last().map(|object| object.uid.clone());
                    yield Outgoing::Held(retain_namespaces(objects, &namespaces), part);
                    session.touch();
                    if part == Part::Last {
                        break;
                    }
                }
            }
            next = session.step(&mut incoming).await?;
            while let Some(outgoing) = session.outbox.pop_front() {
                yield outgoing;
            }
        }
    }
}

async fn receive_hello(
    inventory: &Inventory,
    incoming: &mut BoxStream<'static, Incoming>,
) -> Result<Hello, SessionError> {
    let first = tokio::select! {
        () = inventory.stop().cancelled() => return Err(SessionError::Draining),
        first = timeout(HELLO_WITHIN, incoming.next()) => first,
    };
    match first {
        Ok(Some(Incoming::Hello(hello))) => hello.map_err(SessionError::Hello),
        Ok(_) | Err(_) => Err(SessionError::HelloExpected),
    }
}

/// From a report's arrival to its answer, in the trace of what it reports.
fn span(trace: &str) -> Span {
    let span = tracing::info_span!("commit report", otel.kind = "consumer", outcome = Empty);
    causeway_shell::continue_trace(&span, trace);
    span
}

fn retain_namespaces(mut objects: Vec<HeldObject>, namespaces: &[String]) -> Vec<HeldObject> {
    if !namespaces.is_empty() {
        objects.retain(|held| {
            namespaces
                .iter()
                .any(|name| **name == *held.object.namespace)
        });
    }
    objects
}

#[derive(Debug, PartialEq, Eq)]
enum NextStep {
    Continue,
    /// What is held has to be told.
    SendHeld,
    End,
}

/// What a session acts on.
enum StreamEvent {
    /// Who reports has changed.
    MembershipChanged,
    /// A write is done.
    WriteDone((Written, Result<Outcome, StoreError>)),
    /// The reporter said something, or all.
    Message(Option<Incoming>),
}

pub(super) struct Session {
    pub(super) store: Arc<dyn Store>,
    stop: CancellationToken,
    pub(super) reporter: Reporter,
    pub(super) scope: Arc<Scope>,
    pub(super) owner: Owner,
    pub(super) quotas: Arc<QuotaLedger>,
    lease: StreamLease,
    known_members: Option<Membership>,
    continuity: Continuity,
    epoch: u64,
    pub(super) pending: Window,
    pub(super) bases: Bases,
    /// Spans of what is pending.
    spans: HashMap<u64, Span>,
    pub(super) read_delta: ReadDelta,
    pub(super) in_flight:
        FuturesUnordered<BoxFuture<'static, (Written, Result<Outcome, StoreError>)>>,
    pub(super) outbox: VecDeque<Outgoing>,
    /// For how long the reporter may be silent.
    patience: Duration,
    silent_at: Instant,
    pub(super) metrics: Metrics,
}

impl Session {
    async fn open(
        inventory: &Inventory,
        reporter: Reporter,
        read_delta: ReadDelta,
        hello: Hello,
    ) -> Result<Self, SessionError> {
        let scope = Scope {
            account: reporter.account.clone(),
            runtime: reporter.runtime.clone(),
            kind: hello.kind,
            cluster: hello.cluster,
        };
        let members = inventory.members();
        let joining = Joining {
            scope: scope.clone(),
            runtime_name: reporter.runtime_name.clone(),
            instance: hello.instance,
            reporter_version: hello.version,
            continuity: hello.continuity,
            replica: members.replica(),
            patience: hello.patience,
        };
        let lease = members.join(joining).await?;
        let epoch = lease.epoch();
        Ok(Self {
            store: inventory.store().clone(),
            stop: inventory.stop().clone(),
            reporter,
            owner: (scope.account.clone(), scope.runtime.clone()),
            quotas: inventory.quotas().clone(),
            scope: Arc::new(scope),
            lease,
            known_members: None,
            continuity: hello.continuity,
            epoch,
            pending: Window::default(),
            bases: Bases::default(),
            spans: HashMap::new(),
            read_delta,
            in_flight: FuturesUnordered::new(),
            outbox: VecDeque::new(),
            patience: hello.patience,
            silent_at: Instant::now() + hello.patience,
            metrics: inventory.metrics().clone(),
        })
    }

    fn welcome(&mut self, incarnation: u64) -> Result<Welcome, SessionError> {
        let LeaseState::Held(members) = self.lease.lease_state() else {
            return Err(SessionError::Fenced);
        };
        self.known_members = Some(members.clone());
        Ok(Welcome {
            incarnation,
            epoch: self.epoch,
            members,
        })
    }

    /// Waits for one thing to happen and acts on it.
    async fn step(
        &mut self,
        incoming: &mut BoxStream<'static, Incoming>,
    ) -> Result<NextStep, SessionError> {
        let room = self.pending.bytes() <= MEMORY_BYTES;
        if !room && self.in_flight.is_empty() {
            return Err(SessionError::Memory);
        }
        let waiting = (!room).then(|| (self.lease.pause_liveness(), Instant::now()));
        let event = tokio::select! {
            biased;
            () = self.stop.cancelled() => return Err(SessionError::Draining),
            () = self.lease.changed() => StreamEvent::MembershipChanged,
            Some(done) = self.in_flight.next(), if !self.in_flight.is_empty() => {
                StreamEvent::WriteDone(done)
            }
            message = incoming.next(), if room => StreamEvent::Message(message),
            () = sleep_until(self.silent_at), if room => {
                return Err(SessionError::Silent(self.patience));
            }
        };
        let started = waiting.map_or_else(Instant::now, |(_, since)| since);
        // The store may be slow, and messages are not read meanwhile: silence must not count as death.
        let _busy = self.lease.pause_liveness();
        let is_message = matches!(event, StreamEvent::Message(_));
        let next = match event {
            StreamEvent::MembershipChanged => self.update_membership().await?,
            StreamEvent::WriteDone(done) => {
                self.acknowledge_writes(done).await?;
                NextStep::Continue
            }
            StreamEvent::Message(Some(message)) => self.on_message(message).await?,
            StreamEvent::Message(None) => self.finish().await?,
        };
        if is_message {
            self.touch();
        } else {
            self.silent_at += started.elapsed();
        }
        Ok(next)
    }

    /// Records a sign of life: a message, or a reply that the reporter took.
    fn touch(&mut self) {
        self.silent_at = Instant::now() + self.patience;
        self.lease.touch();
    }

    async fn update_membership(&mut self) -> Result<NextStep, SessionError> {
        let LeaseState::Held(members) = self.lease.lease_state() else {
            return Err(SessionError::Fenced);
        };
        let departures = self
            .known_members
            .as_ref()
            .map_or(0, |known| known.departures);
        let inherits = members.departures > departures;
        if inherits {
            // What the one that left has reported must not stand above what its heirs report of the same resource version.
            self.epoch = next_epoch(&*self.store, &self.scope).await?;
        }
        if self
            .known_members
            .as_ref()
            .is_none_or(|known| known.version != members.version)
        {
            self.outbox.push_back(Outgoing::Members(members.clone()));
        }
        self.known_members = Some(members);
        if inherits {
            // The one that left may have known of deletions and not told them: its heirs see those only by what is held.
            return Ok(NextStep::SendHeld);
        }
        Ok(NextStep::Continue)
    }

    async fn on_message(&mut self, message: Incoming) -> Result<NextStep, SessionError> {
        match message {
            Incoming::Hello(_) => return Err(SessionError::HelloRepeated),
            Incoming::Report(Ok(report)) => self.report(report).await?,
            Incoming::Report(Err(rejection)) => self.reject(rejection),
            Incoming::Manifest(digest, content) => self.manifest(digest, content).await?,
            Incoming::Heartbeat | Incoming::Unknown => {}
        }
        Ok(NextStep::Continue)
    }

    /// The reporter has said all: what is being committed is still answered.
    async fn finish(&mut self) -> Result<NextStep, SessionError> {
        while let Some(done) = self.in_flight.next().await {
            self.acknowledge_writes(done).await?;
        }
        Ok(NextStep::End)
    }

    async fn report(&mut self, report: Report) -> Result<(), SessionError> {
        if self.pending.contains(report.sequence) {
            return Ok(());
        }
        if self.pending.len() >= usize::try_from(WINDOW).unwrap_or(usize::MAX) {
            return Err(SessionError::Window);
        }
        if self.is_over_quota(&report).await? {
            return Ok(());
        }
        let Some(report) = self.resolve_delta(report).await? else {
            return Ok(());
        };
        if let Some(trace) = &report.trace {
            self.spans.insert(report.sequence, span(trace));
        }
        let placed = OrderedChange::new(
            report,
            &self.scope,
            &self.reporter.runtime_name,
            self.epoch,
            self.continuity,
        );
        match placed {
            Ok(change) => {
                self.pending.insert(change.clone());
                self.commit(change).await
            }
            Err(rejection) => {
                self.reject(rejection);
                Ok(())
            }
        }
    }

    pub(super) async fn commit(&mut self, change: OrderedChange) -> Result<(), SessionError> {
        let written = Written::Report(change.sequence());
        let base = self.bases.last(change.uid());
        let receipt = self.store.submit(change.into_write(base)).await?;
        self.in_flight
            .push(receipt.map(|outcome| (written, outcome)).boxed());
        Ok(())
    }

    async fn manifest(&mut self, digest: Digest, content: Bytes) -> Result<(), SessionError> {
        let waiting = self.pending.waiting_for(&digest);
        if waiting.is_empty() {
            // Nobody asked for it, or it is there by now: keeping it would let a reporter fill the disk.
            return Ok(());
        }
        let size = content.len();
        if size > MANIFEST_BYTES {
            let problem = format!("{digest} has {size} bytes: at most {MANIFEST_BYTES} are kept");
            self.reject_all(waiting, Fault::TooLarge, &problem);
            return Ok(());
        }
        if Digest::of(&content) != digest {
            let problem = format!("{digest} came with other content");
            self.reject_all(waiting, Fault::ManifestCorrupt, &problem);
            return Ok(());
        }
        self.store_manifest(digest, content).await
    }

    pub(super) async fn store_manifest(
        &mut self,
        digest: Digest,
        content: Bytes,
    ) -> Result<(), SessionError> {
        let size = content.len();
        self.pending.manifest_taken(size);
        let write = Write::Manifest(self.owner.clone(), digest, content);
        let receipt = self.store.submit(write).await?;
        let written = Written::Manifest(digest, size);
        self.in_flight
            .push(receipt.map(move |outcome| (written, outcome)).boxed());
        Ok(())
    }

    fn reject_all(&mut self, sequences: Vec<u64>, fault: Fault, problem: &str) {
        for sequence in sequences {
            self.pending.remove(sequence);
            let error = FieldError::new("manifest", problem);
            self.reject(Rejection {
                sequence,
                fault,
                error,
            });
        }
    }

    pub(super) fn reject(&mut self, rejection: Rejection) {
        tracing::warn!(
            runtime = %self.reporter.runtime_name,
            sequence = rejection.sequence,
            error = %rejection.error,
            "a report was rejected"
        );
        self.metrics.reported(ReportResult::Rejected);
        self.end_span(rejection.sequence, ReportResult::Rejected);
        self.outbox.push_back(Outgoing::Rejected(rejection));
    }

    pub(super) fn end_span(&mut self, sequence: u64, outcome: ReportResult) {
        if let Some(span) = self.spans.remove(&sequence) {
            span.record("outcome", outcome.as_str());
        }
    }
}

#[cfg(test)]
mod tests;
