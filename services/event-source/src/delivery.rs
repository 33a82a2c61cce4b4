//! A received webhook and what became of it at each subscriber.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    event::Event,
    route::{Provider, RouteName},
};

/// Failed tries after which a delivery is dead at a subscriber.
pub(crate) const MAX_TRIES: u32 = 10;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
const MAX_DETAIL: usize = 500;

/// A subscriber of deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Subscriber {
    /// Refreshes the Applications concerned.
    ArgocdRefresh,
}

/// A received webhook without its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Delivery {
    /// Its number in this runtime. Numbers are never used again.
    pub(crate) number: u64,
    pub(crate) route: RouteName,
    pub(crate) provider: Provider,
    /// The provider's id.
    pub(crate) id: String,
    /// Milliseconds since 1970.
    pub(crate) received_ms: u64,
    pub(crate) event: Event,
    /// Headers without credentials.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body_bytes: u64,
}

/// State of a delivery at a subscriber.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    Pending,
    Done,
    Dead,
}

/// What became of a delivery at a subscriber.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    pub(crate) state: State,
    /// Failed tries.
    pub(crate) tries: u32,
    /// Result or last error.
    pub(crate) detail: String,
    /// Milliseconds since 1970.
    pub(crate) changed_ms: u64,
    /// Not tried before, while pending.
    pub(crate) due_ms: u64,
}

/// Outcome of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Attempt {
    Done(String),
    /// Fails because of this delivery; counts.
    Failed(String),
    /// Fails whatever the delivery; does not count.
    Unavailable(String),
    /// Has to wait for others.
    Deferred(Duration),
}

impl Subscriber {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::ArgocdRefresh => "argocd-refresh",
        }
    }
}

impl Progress {
    /// Of a delivery that no one has tried.
    pub(crate) fn pending(now_ms: u64) -> Self {
        Self {
            state: State::Pending,
            tries: 0,
            detail: String::new(),
            changed_ms: now_ms,
            due_ms: now_ms,
        }
    }

    /// After another try.
    pub(crate) fn after(&self, attempt: Attempt, now_ms: u64) -> Self {
        let next = |state, tries, detail: String, pause: Duration| Self {
            state,
            tries,
            detail: detail.chars().take(MAX_DETAIL).collect(),
            changed_ms: now_ms,
            due_ms: now_ms.saturating_add(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)),
        };
        match attempt {
            Attempt::Done(detail) => next(State::Done, self.tries, detail, Duration::ZERO),
            Attempt::Failed(detail) if self.tries + 1 >= MAX_TRIES => {
                next(State::Dead, self.tries + 1, detail, Duration::ZERO)
            }
            Attempt::Failed(detail) => {
                let tries = self.tries + 1;
                next(State::Pending, tries, detail, pause(tries))
            }
            Attempt::Unavailable(detail) => {
                next(State::Pending, self.tries, detail, FIRST_PAUSE * 5)
            }
            Attempt::Deferred(pause) => {
                next(State::Pending, self.tries, self.detail.clone(), pause)
            }
        }
    }
}

fn pause(tries: u32) -> Duration {
    let factor = 1_u32 << tries.saturating_sub(1).min(16);
    (FIRST_PAUSE * factor).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_dead_after_ten_failed_tries_with_growing_pauses() {
        let mut progress = Progress::pending(0);
        let mut pauses = Vec::new();
        for _ in 0..MAX_TRIES - 1 {
            progress = progress.after(Attempt::Failed("no".to_owned()), 0);
            assert_eq!(progress.state, State::Pending);
            pauses.push(progress.due_ms / 1000);
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256]);
        progress = progress.after(Attempt::Failed("no".to_owned()), 0);
        assert_eq!((progress.state, progress.tries), (State::Dead, MAX_TRIES));
    }

    #[test]
    fn an_unavailable_cluster_uses_up_no_tries() {
        let mut progress = Progress::pending(0);
        for _ in 0..100 {
            progress = progress.after(Attempt::Unavailable("away".to_owned()), 0);
        }
        assert_eq!((progress.state, progress.tries), (State::Pending, 0));
        let done = progress.after(Attempt::Done("ok".to_owned()), 7);
        assert_eq!((done.state, done.changed_ms), (State::Done, 7));
    }
}
