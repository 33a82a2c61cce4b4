//! Figures of a tunnel client.

use causeway_shell::Shell;
use opentelemetry::{
    KeyValue,
    metrics::{Counter, UpDownCounter},
};

/// Instruments under the meter of the part.
#[derive(Debug, Clone)]
pub(crate) struct Metrics {
    sessions: UpDownCounter<i64>,
    dials: Counter<u64>,
    lost: Counter<u64>,
}

/// What came of a dial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dial {
    Opened,
    /// The other slot is at that replica already.
    Duplicate,
    Failed,
}

/// Counts as a session until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted(UpDownCounter<i64>);

impl Metrics {
    pub(crate) fn new(shell: &Shell) -> Self {
        let meter = shell.meter();
        let sessions = meter.i64_up_down_counter("tunnel_client.sessions");
        let sessions = sessions.with_description("Open sessions with tunnel servers");
        let metrics = Self {
            sessions: sessions.build(),
            dials: meter
                .u64_counter("tunnel_client.dials")
                .with_description("Dials by what came of them")
                .build(),
            lost: meter
                .u64_counter("tunnel_client.sessions.lost")
                .with_description("Sessions that ended before they were replaced")
                .build(),
        };
        // So that they are there before the first one.
        metrics.sessions.add(0, &[]);
        metrics.lost.add(0, &[]);
        metrics
    }

    pub(crate) fn dialled(&self, dial: Dial) {
        let outcome = match dial {
            Dial::Opened => "opened",
            Dial::Duplicate => "duplicate",
            Dial::Failed => "failed",
        };
        self.dials.add(1, &[KeyValue::new("outcome", outcome)]);
    }

    pub(crate) fn session(&self) -> Counted {
        self.sessions.add(1, &[]);
        Counted(self.sessions.clone())
    }

    pub(crate) fn lost(&self) {
        self.lost.add(1, &[]);
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.add(-1, &[]);
    }
}
