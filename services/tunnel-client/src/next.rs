//! What a client does after a dial that failed or a session that ended, from the code alone.

use std::time::Duration;

use causeway_websocket::{CloseCode, Refusal};
use http::StatusCode;

/// Without a working credential nothing is won by trying often.
const REFUSED: Duration = Duration::from_secs(30);

/// When to dial again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// With the delays starting anew.
    Soon,
    /// As the growing delays say, but not before this.
    After(Duration),
    /// Not without somebody changing something: one clear line, then slowly.
    Refused(Duration),
}

pub(crate) fn after_close(code: Option<CloseCode>) -> Next {
    match code {
        Some(CloseCode::Restart | CloseCode::GoingAway | CloseCode::Normal) => Next::Soon,
        Some(CloseCode::Unauthenticated | CloseCode::Forbidden | CloseCode::Policy) => {
            Next::Refused(REFUSED)
        }
        // Whoever took the seat is newer: no fight for it.
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
