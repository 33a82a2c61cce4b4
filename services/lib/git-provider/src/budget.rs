//! What is left of a credential's requests, as the provider's headers say.
//!
//! Never: below 20 % for anything but a user's action. Never sleeps: the caller is shown until when it must wait.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use reqwest::header::HeaderMap;

/// Why a request is made. The lower ones leave more for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Reads that repeat by a timer.
    Polling,
    /// Steps of a release.
    Promotion,
    /// A user waits for it.
    User,
}

/// Requests that are left, until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetState {
    /// Absent where the provider only says how long to wait.
    pub left: Option<u64>,
    pub limit: Option<u64>,
    pub until: SystemTime,
}

/// The last that a provider said.
#[derive(Debug, Default)]
pub(crate) struct Budget(Mutex<Option<BudgetState>>);

/// Wait where a provider refuses a request without saying how long.
const DEFAULT_WAIT: Duration = Duration::from_secs(60);
/// The longest wait that a header may impose.
const MAX_WAIT: Duration = Duration::from_secs(3600);

impl Priority {
    /// Percent of the limit that this leaves for others.
    fn reserve(self) -> u64 {
        match self {
            Self::User => 0,
            Self::Promotion => 20,
            Self::Polling => 40,
        }
    }
}

impl Budget {
    pub(crate) fn state(&self) -> Option<BudgetState> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a request that would take what is left for more urgent ones.
    pub(crate) fn admit(&self, priority: Priority, now: SystemTime) -> Result<(), BudgetState> {
        let Some(state) = self.state().filter(|state| state.until > now) else {
            return Ok(());
        };
        let left = state.left.unwrap_or(0);
        let reserved = state.limit.unwrap_or(0) * priority.reserve() / 100;
        if left > reserved { Ok(()) } else { Err(state) }
    }

    /// Reads the headers of an answer.
    pub(crate) fn observe(&self, headers: &HeaderMap, now: SystemTime) {
        let number = |names: [&str; 3]| names.iter().find_map(|name| header(headers, name));
        let left = number([
            "x-ratelimit-remaining",
            "ratelimit-remaining",
            "x-rate-limit-remaining",
        ]);
        let reset = number(["x-ratelimit-reset", "ratelimit-reset", "x-rate-limit-reset"]);
        let (Some(left), Some(reset)) = (left, reset) else {
            return;
        };
        let limit = number(["x-ratelimit-limit", "ratelimit-limit", "x-rate-limit-limit"]);
        self.store(BudgetState {
            left: Some(left),
            limit,
            until: until(reset, now),
        });
    }

    /// Notes a refusal, and returns until when the provider wants no requests.
    pub(crate) fn exhaust(&self, headers: &HeaderMap, now: SystemTime) -> BudgetState {
        let wait = header(headers, "retry-after").map(Duration::from_secs);
        let until = match (wait, self.state()) {
            (Some(wait), _) => now + wait.min(MAX_WAIT),
            (None, Some(state)) if state.left == Some(0) && state.until > now => state.until,
            (None, _) => now + DEFAULT_WAIT,
        };
        let limit = self.state().and_then(|state| state.limit);
        let state = BudgetState {
            left: Some(0),
            limit,
            until,
        };
        self.store(state);
        state
    }

    fn store(&self, state: BudgetState) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    }
}

impl fmt::Display for BudgetState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let until = jiff::Timestamp::try_from(self.until).map_or_else(
            |_| "later".to_owned(),
            |it| it.strftime("%H:%M:%S UTC").to_string(),
        );
        match self.left {
            Some(left) => write!(f, "{left} requests left until {until}"),
            None => write!(f, "no requests until {until}"),
        }
    }
}

/// Providers write seconds since 1970, or seconds from now.
fn until(reset: u64, now: SystemTime) -> SystemTime {
    const A_YEAR: u64 = 31_536_000;
    let since = now
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let wait = if reset < A_YEAR {
        Duration::from_secs(reset)
    } else {
        Duration::from_secs(reset).saturating_sub(since)
    };
    now + wait.min(MAX_WAIT)
}

fn header(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests;
