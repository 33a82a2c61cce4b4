//! Reconnect policy after a failed dial or an ended session, by status or close code.

use std::time::Duration;

use causeway_websocket::{CloseCode, Refusal};
use http::StatusCode;

/// Delay after refusals, which frequent retries cannot resolve.
const REFUSED: Duration = Duration::from_secs(30);

/// Time of the next dial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// At once, with a reset backoff.
    Soon,
    /// After the backoff, and after this delay at least.
    After(Duration),
    /// Slowly: the refusal lasts until an operator changes something.
    Refused(Duration),
}

pub(crate) fn after_close(code: Option<CloseCode>) -> Next {
    match code {
        Some(CloseCode::Restart | CloseCode::GoingAway | CloseCode::Normal) => Next::Soon,
        Some(CloseCode::Unauthenticated | CloseCode::Forbidden | CloseCode::Policy) => {
            Next::Refused(REFUSED)
        }
        // The other session is newer. Reconnecting at once would make both supersede each other forever.
        Some(CloseCode::Superseded) => Next::After(REFUSED),
        Some(CloseCode::TryLater) => Next::After(Duration::from_secs(1)),
        Some(
            CloseCode::Protocol | CloseCode::Unsupported | CloseCode::TooBig | CloseCode::Internal,
        )
        | Some(CloseCode::Other(_))
        | None => Next::After(Duration::ZERO),
    }
}

pub(crate) fn after_refusal(refusal: &Refusal) -> Next {
    let asked = refusal.retry_after.unwrap_or_default();
    match refusal.status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::NOT_FOUND => {
            Next::Refused(asked.max(REFUSED))
        }
        StatusCode::CONFLICT => Next::After(asked.max(Duration::from_secs(1))),
        _ => Next::After(asked),
    }
}

#[cfg(test)]
mod tests;
