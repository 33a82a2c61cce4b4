//! One of the two sessions that a client wants: dialled, held, replaced before it ends.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use causeway_client::Backoff;
use causeway_shell::{ReadyHandle, Shell};
use causeway_websocket::{ByteStream, CloseCode, DialError};
use rand::RngExt;
use tokio::io::AsyncWriteExt;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::control::{ControlStream, ServerNotice};
use crate::dial::{Dialler, clock_warning, explain, server};
use crate::forward::Forwarder;
use crate::metrics::{Dial, Metrics};
use crate::next::{Next, after_close, after_refusal};
use crate::session::{Ended, serve};

const FIRST_DELAY: Duration = Duration::from_millis(200);
const LONGEST_DELAY: Duration = Duration::from_secs(30);
/// A session that lived this long was a success.
const SETTLED: Duration = Duration::from_secs(60);
/// How often a second session is tried again while only one replica answers.
const DUPLICATE_DELAY: Duration = Duration::from_secs(300);
/// Dials that may meet the other slot's replica before that is taken for the only one.
const DUPLICATES: u32 = 5;
const HELLO_WAIT: Duration = Duration::from_secs(10);
/// Intermediaries end connections by age, so we do it first: 12 h, 25 % more or less.
const ROTATE_EVERY: Duration = Duration::from_secs(12 * 3600);

/// Which replica each slot is at.
#[derive(Default)]
pub(crate) struct Replicas(Mutex<[Option<String>; 2]>);

impl Replicas {
    /// False where the other slot is at the same replica.
    fn claim(&self, slot: u8, server: &str) -> bool {
        let mut replicas = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let other = &replicas[usize::from(slot ^ 1)];
        if other.as_deref() == Some(server) {
            return false;
        }
        replicas[usize::from(slot)] = Some(server.to_owned());
        true
    }

    fn release(&self, slot: u8) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[usize::from(slot)] = None;
    }
}

/// Keeps one slot filled.
pub(crate) struct Slot {
    pub(crate) number: u8,
    pub(crate) shell: Shell,
    pub(crate) dialler: Arc<Dialler>,
    pub(crate) forwarder: Arc<Forwarder>,
    pub(crate) replicas: Arc<Replicas>,
    pub(crate) metrics: Metrics,
    /// Dropped with the first session of any slot.
    pub(crate) ready: Arc<Mutex<Option<ReadyHandle>>>,
}

struct Pace {
    backoff: Backoff,
    duplicates: u32,
    generation: u64,
    last_failure: String,
}

/// An open session.
struct Running {
    control: ControlStream,
    ended: oneshot::Receiver<Ended>,
    since: Instant,
}

impl Slot {
    /// Keeps a session open until shutdown, then drains it.
    pub(crate) async fn run(mut self) {
        let shutdown = self.shell.shutdown();
        let mut sessions = JoinSet::new();
        tokio::select! {
            () = self.keep(&mut sessions) => {}
            () = shutdown.requested() => {}
        }
        while sessions.join_next().await.is_some() {}
    }

    async fn keep(&mut self, sessions: &mut JoinSet<()>) {
        let mut pace = Pace::new();
        let mut previous: Option<Running> = None;
        loop {
            let wait = match self.open(&mut pace, sessions).await {
                Ok(running) => {
                    if let Some(previous) = previous.take() {
                        previous.control.leave();
                    }
                    match self.hold(running, &mut pace).await {
                        Ok(still_running) => {
                            previous = Some(still_running);
                            Duration::ZERO
                        }
                        Err(wait) => wait,
                    }
                }
                Err(wait) => wait,
            };
            sleep(wait).await;
        }
    }

    /// Opens a session, or returns the delay before the next dial.
    async fn open(
        &mut self,
        pace: &mut Pace,
        sessions: &mut JoinSet<()>,
    ) -> Result<Running, Duration> {
        pace.generation += 1;
        let dialed = self.dialler.dial(self.number, pace.generation).await;
        let dialed = dialed.map_err(|error| self.failed(pace, &error))?;
        let replica = server(&dialed);
        if !self.replicas.claim(self.number, &replica) {
            return Err(self.duplicate(pace, dialed.stream).await);
        }
        pace.duplicates = 0;
        if let Some(warning) = clock_warning(dialed.clock_offset) {
            tracing::warn!(slot = self.number, "{warning}");
        }
        let mut running = self.start(dialed.stream, sessions);
        tokio::select! {
            _notice = running.control.wait_for_notice(ServerNotice::Hello) => {}
            ended = &mut running.ended => {
                self.metrics.dialled(Dial::Failed);
                return Err(self.lost(pace, running.since, ended.ok()));
            }
            () = sleep(HELLO_WAIT) => {
                self.metrics.dialled(Dial::Failed);
                running.control.leave();
                return Err(self.lost(pace, running.since, None));
            }
        }
        self.metrics.dialled(Dial::Opened);
        pace.last_failure.clear();
        drop(
            self.ready
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        tracing::info!(
            slot = self.number,
            generation = pace.generation,
            server = replica,
            "the tunnel is open"
        );
        Ok(running)
    }

    fn start(&self, stream: ByteStream, sessions: &mut JoinSet<()>) -> Running {
        let control = ControlStream::new();
        let (ended_tx, ended) = oneshot::channel();
        let serving = serve(stream, Arc::clone(&self.forwarder), control.clone());
        let (leaving, shutdown) = (control.clone(), self.shell.shutdown());
        let counted = self.metrics.session();
        sessions.spawn(async move {
            let _counted = counted;
            let mut serving = std::pin::pin!(serving);
            let ended = tokio::select! {
                ended = &mut serving => ended,
                () = shutdown.requested() => {
                    leaving.leave();
                    serving.await
                }
            };
            // A replaced session has no receiver any more.
            let _ = ended_tx.send(ended);
        });
        Running {
            control,
            ended,
            since: Instant::now(),
        }
    }

    /// Holds a session until it is due for replacement and returns it, or returns the delay before the next dial after its
    /// end.
    async fn hold(&self, mut running: Running, pace: &mut Pace) -> Result<Running, Duration> {
        let share: f64 = rand::rng().random_range(0.75..=1.25);
        let notice = tokio::select! {
            ended = &mut running.ended => {
                self.metrics.lost();
                return Err(self.lost(pace, running.since, ended.ok()));
            }
            notice = running.control.wait_for_notice(ServerNotice::Drain) => notice,
            () = sleep(ROTATE_EVERY.mul_f64(share)) => ServerNotice::Drain,
        };
        if notice == ServerNotice::Superseded {
            running.control.leave();
            self.replicas.release(self.number);
            tracing::warn!(slot = self.number, "another session took this one's place");
            return Err(pace.delay(after_close(Some(CloseCode::Superseded))));
        }
        tracing::info!(
            slot = self.number,
            "the session is being replaced by a new one"
        );
        Ok(running)
    }

    /// Closes a session to a replica that the other slot already holds.
    async fn duplicate(&self, pace: &mut Pace, mut stream: ByteStream) -> Duration {
        // The server does not wait for an orderly close.
        let _ = stream.shutdown().await;
        self.metrics.dialled(Dial::Duplicate);
        pace.duplicates += 1;
        if pace.duplicates <= DUPLICATES {
            return pace.backoff.next_delay();
        }
        tracing::debug!(
            slot = self.number,
            "only one replica answers: one session is held"
        );
        pace.backoff.reset();
        jittered(DUPLICATE_DELAY)
    }

    fn lost(&self, pace: &mut Pace, since: Instant, ended: Option<Ended>) -> Duration {
        self.replicas.release(self.number);
        if since.elapsed() >= SETTLED {
            pace.backoff.reset();
        }
        let code = ended.as_ref().and_then(|ended| ended.code);
        let reason = ended.map(|ended| ended.reason).unwrap_or_default();
        let text = match code {
            Some(code) => format!(
                "the server closed the tunnel with {}: {reason}",
                u16::from(code)
            ),
            None => format!("the tunnel was lost: {reason}"),
        };
        self.log_failure(pace, text);
        pace.delay(after_close(code))
    }

    fn failed(&self, pace: &mut Pace, error: &anyhow::Error) -> Duration {
        self.metrics.dialled(Dial::Failed);
        self.log_failure(pace, explain(error));
        match error.downcast_ref::<DialError>() {
            Some(DialError::Refused { refusal, .. }) => pace.delay(after_refusal(refusal)),
            _ => pace.delay(Next::After(Duration::ZERO)),
        }
    }

    /// Logs a failure once, until it changes or the tunnel opens.
    fn log_failure(&self, pace: &mut Pace, text: String) {
        if pace.last_failure != text {
            tracing::warn!(slot = self.number, "{text}; dialling again");
            pace.last_failure = text;
        }
    }
}

impl Pace {
    fn new() -> Self {
        Self {
            backoff: Backoff::new(FIRST_DELAY, LONGEST_DELAY),
            duplicates: 0,
            generation: 0,
            last_failure: String::new(),
        }
    }

    fn delay(&mut self, next: Next) -> Duration {
        match next {
            Next::Soon => {
                self.backoff.reset();
                self.backoff.next_delay()
            }
            Next::After(least) => least + self.backoff.next_delay(),
            Next::Refused(least) => jittered(least),
        }
    }
}

/// Adds up to a quarter, so that many clients do not return at once.
fn jittered(delay: Duration) -> Duration {
    delay.mul_f64(rand::rng().random_range(1.0..=1.25))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_slots_do_not_hold_one_replica() {
        let replicas = Replicas::default();
        assert!(replicas.claim(0, "one"));
        assert!(!replicas.claim(1, "one"));
        assert!(replicas.claim(1, "two"));
        assert!(
            replicas.claim(0, "one"),
            "a slot may come back to its own replica"
        );
        replicas.release(0);
        assert!(replicas.claim(1, "one"));
    }

    #[test]
    fn delays_grow_to_half_a_minute_and_restart_after_a_server_restart() {
        let mut pace = Pace::new();
        let delays: Vec<_> = (0..50)
            .map(|_| pace.delay(Next::After(Duration::ZERO)))
            .collect();
        assert!(delays[0] <= FIRST_DELAY);
        assert!(delays.iter().all(|delay| *delay <= LONGEST_DELAY));
        assert!(delays[20..].iter().max().unwrap() > &Duration::from_secs(5));
        assert!(pace.delay(Next::Soon) <= FIRST_DELAY);
        assert!(pace.delay(Next::After(Duration::from_secs(7))) >= Duration::from_secs(7));
        let refused = pace.delay(Next::Refused(Duration::from_secs(30)));
        assert!((30..=38).contains(&refused.as_secs()));
    }
}
