//! How an upgrade is refused, as the accepting end says it and the dialling end hears it.

use std::time::Duration;

use http::StatusCode;

/// An upgrade that was answered with something else than `101`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// 400, 401, 403, 404, 409, 426, 429 or 503 from a peer of ours; anything from what stands between.
    pub status: StatusCode,
    /// The wait that the accepting end asks for.
    pub retry_after: Option<Duration>,
    /// One line for people, at most 512 bytes.
    pub message: String,
}

impl Refusal {
    #[must_use]
    pub fn bad_request(message: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    #[must_use]
    pub fn unauthenticated(message: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, message)
    }

    #[must_use]
    pub fn forbidden(message: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    #[must_use]
    pub fn not_found(message: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    #[must_use]
    pub fn conflict(message: &str) -> Self {
        Self::new(StatusCode::CONFLICT, message)
    }

    #[must_use]
    pub fn upgrade_required(message: &str) -> Self {
        Self::new(StatusCode::UPGRADE_REQUIRED, message)
    }

    #[must_use]
    pub fn too_many(message: &str, retry_after: Duration) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, message).after(retry_after)
    }

    #[must_use]
    pub fn unavailable(message: &str, retry_after: Duration) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message).after(retry_after)
    }

    fn new(status: StatusCode, message: &str) -> Self {
        Self {
            status,
            retry_after: None,
            message: message.to_owned(),
        }
    }

    fn after(self, wait: Duration) -> Self {
        Self {
            retry_after: Some(wait),
            ..self
        }
    }
}
