//! Close codes and reasons, and the handle that closes a stream which another task reads.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;

use futures::task::AtomicWaker;

/// RFC 6455 allows 125 bytes in a control frame, two of them are the code.
const REASON_BYTES: usize = 123;

/// A close code: those of RFC 6455 that may be sent, and the private ones of the tunnel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CloseCode {
    /// 1000: normal end.
    Normal,
    /// 1001: this end shuts down.
    GoingAway,
    /// 1002: the peer broke the WebSocket protocol.
    Protocol,
    /// 1003: text message; only binary messages are supported.
    Unsupported,
    /// 1008: policy violation.
    Policy,
    /// 1009: a message above 64 KiB.
    TooBig,
    /// 1011: this end failed.
    Internal,
    /// 1012: this end restarts; reconnect at once.
    Restart,
    /// 1013: this end is overloaded; reconnect later.
    TryLater,
    /// 4401: the credential is no longer accepted.
    Unauthenticated,
    /// 4403: this identity may not hold a session any more.
    Forbidden,
    /// 4409: a newer generation of the same client replaced this session.
    Superseded,
    /// Any other number that the peer sent.
    Other(u16),
}

impl From<u16> for CloseCode {
    fn from(code: u16) -> Self {
        match code {
            1000 => Self::Normal,
            1001 => Self::GoingAway,
            1002 => Self::Protocol,
            1003 => Self::Unsupported,
            1008 => Self::Policy,
            1009 => Self::TooBig,
            1011 => Self::Internal,
            1012 => Self::Restart,
            1013 => Self::TryLater,
            4401 => Self::Unauthenticated,
            4403 => Self::Forbidden,
            4409 => Self::Superseded,
            other => Self::Other(other),
        }
    }
}

impl From<CloseCode> for u16 {
    fn from(code: CloseCode) -> Self {
        match code {
            CloseCode::Normal => 1000,
            CloseCode::GoingAway => 1001,
            CloseCode::Protocol => 1002,
            CloseCode::Unsupported => 1003,
            CloseCode::Policy => 1008,
            CloseCode::TooBig => 1009,
            CloseCode::Internal => 1011,
            CloseCode::Restart => 1012,
            CloseCode::TryLater => 1013,
            CloseCode::Unauthenticated => 4401,
            CloseCode::Forbidden => 4403,
            CloseCode::Superseded => 4409,
            CloseCode::Other(other) => other,
        }
    }
}

/// A close code with a reason for people, at most 123 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Close {
    code: CloseCode,
    reason: String,
}

impl Close {
    /// Cuts `reason` at the last character that fits in a close frame.
    #[must_use]
    pub fn new(code: CloseCode, reason: &str) -> Self {
        let end = (0..=reason.len().min(REASON_BYTES)).rfind(|end| reason.is_char_boundary(*end));
        let reason = reason[..end.unwrap_or(0)].to_owned();
        Self { code, reason }
    }

    #[must_use]
    pub fn code(&self) -> CloseCode {
        self.code
    }

    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

#[derive(Debug, Default)]
struct Closing {
    requested: Mutex<Option<Close>>,
    received: Mutex<Option<Close>>,
    reader: AtomicWaker,
}

/// Closes a [`ByteStream`](crate::ByteStream) that an HTTP/2 connection owns, and tells afterwards
/// how the peer closed it.
#[derive(Debug, Clone, Default)]
pub struct Closer {
    shared: Arc<Closing>,
}

impl Closer {
    /// Ends the stream: the close frame is sent, the reader gets an error within a second.
    /// The first request wins.
    pub fn close(&self, close: Close) {
        let mut requested = lock(&self.shared.requested);
        requested.get_or_insert(close);
        drop(requested);
        self.shared.reader.wake();
    }

    /// What the peer sent in its close frame; nothing while it is open, or when it vanished.
    #[must_use]
    pub fn received(&self) -> Option<Close> {
        lock(&self.shared.received).clone()
    }

    pub(crate) fn requested(&self, reader: &Waker) -> Option<Close> {
        self.shared.reader.register(reader);
        lock(&self.shared.requested).clone()
    }

    pub(crate) fn record(&self, close: Close) {
        lock(&self.shared.received).get_or_insert(close);
    }
}

fn lock(slot: &Mutex<Option<Close>>) -> std::sync::MutexGuard<'_, Option<Close>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_survives_the_way_to_its_number_and_back() {
        for number in 0..=u16::MAX {
            assert_eq!(u16::from(CloseCode::from(number)), number);
        }
    }

    #[test]
    fn a_long_reason_is_cut_between_characters() {
        let close = Close::new(CloseCode::Normal, &"é".repeat(100));
        assert_eq!(close.reason().len(), 122);
    }
}
