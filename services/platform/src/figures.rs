//! Metrics: decisions, and runtimes by connection state.

use std::sync::{Arc, Mutex, PoisonError};

use causeway_shell::Shell;
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};

use crate::platform::{Connection, RuntimeStatus};

/// Number of runtimes that are counted.
pub(crate) const COUNTED: u32 = 10_000;
/// How many of them have series of their own.
const NAMED: usize = 1_000;

/// Instruments under the meter of the part.
#[derive(Debug)]
pub(crate) struct Figures {
    decisions: Counter<u64>,
    runtimes: Arc<Mutex<Runtimes>>,
}

/// The runtimes as they were when they were last looked at.
#[derive(Debug, Default)]
struct Runtimes {
    named: Vec<RuntimeGauges>,
    online: u64,
    reporting: u64,
    offline: u64,
}

#[derive(Debug)]
struct RuntimeGauges {
    labels: [KeyValue; 3],
    online: bool,
    /// Seconds since 1970.
    last_seen_at: Option<f64>,
}

impl Figures {
    pub(crate) fn new(shell: &Shell) -> Self {
        let (meter, runtimes) = (shell.meter(), Arc::default());
        observe(&meter, &runtimes);
        let decisions = meter.u64_counter("platform.decisions");
        Self {
            decisions: decisions
                .with_description("Calls of users by what was decided")
                .build(),
            runtimes,
        }
    }

    pub(crate) fn decided(&self, allowed: bool) {
        let decision = if allowed { "allowed" } else { "refused" };
        self.decisions
            .add(1, &[KeyValue::new("decision", decision)]);
    }

    /// Takes all runtimes that were not put out in the place of those before.
    pub(crate) fn present(&self, present: &[RuntimeStatus]) {
        let count = |state| present.iter().filter(|it| it.connection == state).count() as u64;
        let runtimes = Runtimes {
            named: present.iter().take(NAMED).map(RuntimeGauges::of).collect(),
            online: count(Connection::Online),
            reporting: count(Connection::Reporting),
            offline: count(Connection::Offline),
        };
        *self.runtimes.lock().unwrap_or_else(PoisonError::into_inner) = runtimes;
    }
}

impl RuntimeGauges {
    fn of(status: &RuntimeStatus) -> Self {
        let runtime = &status.runtime;
        let label = |name: &'static str, value: &str| KeyValue::new(name, value.to_owned());
        Self {
            labels: [
                label("account", runtime.account.as_str()),
                label("runtime", runtime.name.as_str()),
                label("runtime_id", runtime.runtime_id.as_str()),
            ],
            online: status.connection == Connection::Online,
            last_seen_at: runtime.last_seen_at.map(|at| at as f64 / 1000.0),
        }
    }
}

/// Exports only what is present at a scrape, so that a revoked runtime leaves no series.
fn observe(meter: &Meter, runtimes: &Arc<Mutex<Runtimes>>) {
    let at_scrape = || {
        let runtimes = Arc::clone(runtimes);
        move |tell: &mut dyn FnMut(&Runtimes)| {
            tell(&runtimes.lock().unwrap_or_else(PoisonError::into_inner));
        }
    };
    let look = at_scrape();
    let online = meter.u64_observable_gauge("platform.runtime.online");
    let online = online.with_description("Whether a runtime has a tunnel session: 1 or 0");
    let online = online.with_callback(move |observer| {
        look(&mut |runtimes| {
            for it in &runtimes.named {
                observer.observe(u64::from(it.online), &it.labels);
            }
        });
    });
    let look = at_scrape();
    let seen = meter.f64_observable_gauge("platform.runtime.last_seen.timestamp");
    let seen = seen.with_description("When a runtime was last heard of, since 1970");
    let seen = seen.with_unit("s").with_callback(move |observer| {
        look(&mut |runtimes| {
            for it in &runtimes.named {
                if let Some(at) = it.last_seen_at {
                    observer.observe(at, &it.labels);
                }
            }
        });
    });
    let look = at_scrape();
    let count = meter.u64_observable_gauge("platform.runtimes");
    let count = count.with_description(
        "Runtimes that were not put out, by state: with a tunnel session, without one but heard of, or neither",
    );
    let count = count.with_callback(move |observer| {
        look(&mut |runtimes| {
            let counts = [
                ("online", runtimes.online),
                ("reporting", runtimes.reporting),
                ("offline", runtimes.offline),
            ];
            for (state, number) in counts {
                observer.observe(number, &[KeyValue::new("state", state)]);
            }
        });
    });
    // The meter holds them.
    let _ = (online.build(), seen.build(), count.build());
}
