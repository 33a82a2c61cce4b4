//! Faults that a test injects, per resource: what a real API server does on a bad day.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::watch;

use super::refusal::Refusal;

/// Injected faults. `resource` is a plural name such as `applications`, or `*` for all.
/// Simulated workloads and the process's own writes are not affected.
#[derive(Debug)]
pub struct Faults {
    plans: Mutex<HashMap<String, Plan>>,
    changed: watch::Sender<u64>,
}

#[derive(Clone, Debug, Default)]
struct Plan {
    gone_watches: usize,
    gone_after: Option<usize>,
    stalled: bool,
    closings: u64,
    copies: usize,
    throttled: Option<(usize, Duration)>,
    failing: Option<(usize, u16)>,
    delay: Duration,
}

/// Faults of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WatchFaults {
    pub(crate) stalled: bool,
    pub(crate) closings: u64,
    pub(crate) copies: usize,
    pub(crate) gone_after: Option<usize>,
}

impl Faults {
    pub(crate) fn new() -> Self {
        Self {
            plans: Mutex::new(HashMap::new()),
            changed: watch::Sender::new(0),
        }
    }

    /// The next `watches` watches that open get `410 Expired` as their only event.
    pub fn gone_410(&self, resource: &str, watches: usize) {
        self.change(resource, |plan| plan.gone_watches = watches);
    }

    /// Every watch gets `410 Expired` in its stream once it has sent `events` events.
    pub fn gone_410_after(&self, resource: &str, events: usize) {
        self.change(resource, |plan| plan.gone_after = Some(events));
    }

    /// Watches stay open but say nothing, until [`Self::clear`].
    pub fn stall_watches(&self, resource: &str) {
        self.change(resource, |plan| plan.stalled = true);
    }

    /// Ends every watch that is open now.
    pub fn close_watches(&self, resource: &str) {
        self.change(resource, |plan| plan.closings += 1);
    }

    /// Each event is sent `copies` times more.
    pub fn duplicate_events(&self, resource: &str, copies: usize) {
        self.change(resource, |plan| plan.copies = copies);
    }

    /// The next `requests` requests get 429 with this `Retry-After` (whole seconds, at least one).
    pub fn throttle(&self, resource: &str, requests: usize, retry_after: Duration) {
        self.change(resource, |plan| {
            plan.throttled = Some((requests, retry_after))
        });
    }

    /// The next `requests` requests fail with this HTTP status.
    pub fn fail(&self, resource: &str, requests: usize, status: u16) {
        self.change(resource, |plan| plan.failing = Some((requests, status)));
    }

    /// Every request is answered this much later.
    pub fn delay(&self, resource: &str, delay: Duration) {
        self.change(resource, |plan| plan.delay = delay);
    }

    /// Ends all faults of `resource`; `*` ends every fault there is.
    pub fn clear(&self, resource: &str) {
        let mut plans = self.plans();
        for (name, plan) in plans.iter_mut() {
            if resource == "*" || name == resource {
                *plan = Plan {
                    closings: plan.closings,
                    ..Plan::default()
                };
            }
        }
        drop(plans);
        self.announce();
    }

    /// The delay of this request.
    pub(crate) fn delay_of(&self, resource: &str) -> Duration {
        self.read(resource, |plan| plan.delay)
            .into_iter()
            .max()
            .unwrap_or_default()
    }

    /// Uses up one refusal, if there is one for this request.
    pub(crate) fn take_refusal(&self, resource: &str) -> Option<Refusal> {
        let mut plans = self.plans();
        for name in [resource, "*"] {
            let Some(plan) = plans.get_mut(name) else {
                continue;
            };
            if let Some((left, after)) = plan.throttled.as_mut().filter(|(left, _)| *left > 0) {
                *left -= 1;
                return Some(Refusal::throttled(after.as_secs().max(1)));
            }
            if let Some((left, status)) = plan.failing.as_mut().filter(|(left, _)| *left > 0) {
                *left -= 1;
                return Some(Refusal::injected(*status));
            }
        }
        None
    }

    /// Uses up one 410 of a watch that opens.
    pub(crate) fn take_gone(&self, resource: &str) -> bool {
        let mut plans = self.plans();
        for name in [resource, "*"] {
            if let Some(plan) = plans.get_mut(name).filter(|plan| plan.gone_watches > 0) {
                plan.gone_watches -= 1;
                return true;
            }
        }
        false
    }

    pub(crate) fn of_watch(&self, resource: &str) -> WatchFaults {
        let plans = self.read(resource, Clone::clone);
        WatchFaults {
            stalled: plans.iter().any(|plan| plan.stalled),
            closings: plans.iter().map(|plan| plan.closings).sum(),
            copies: plans.iter().map(|plan| plan.copies).sum(),
            gone_after: plans.iter().filter_map(|plan| plan.gone_after).min(),
        }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn read<T>(&self, resource: &str, of: impl Fn(&Plan) -> T) -> Vec<T> {
        let plans = self.plans();
        [resource, "*"]
            .iter()
            .filter_map(|name| plans.get(*name))
            .map(of)
            .collect()
    }

    fn change(&self, resource: &str, change: impl FnOnce(&mut Plan)) {
        change(self.plans().entry(resource.to_owned()).or_default());
        self.announce();
    }

    fn announce(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    fn plans(&self) -> MutexGuard<'_, HashMap<String, Plan>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
