//! A gRPC status with a machine-readable reason of the contract.

use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::{error::v1::Reason, reason::DOMAIN};

/// Creates a status with a machine-readable reason. The text is for users and says what to do next.
#[must_use]
pub fn status(code: Code, reason: Reason, text: impl Into<String>) -> Status {
    let details = ErrorDetails::with_error_info(reason.code(), DOMAIN, []);
    Status::with_error_details(code, text, details)
}

/// Creates a status that also states the time until the next attempt.
#[must_use]
pub fn status_with_retry(
    code: Code,
    reason: Reason,
    text: impl Into<String>,
    after: Duration,
) -> Status {
    let mut details = ErrorDetails::with_error_info(reason.code(), DOMAIN, []);
    details.set_retry_info(Some(after));
    Status::with_error_details(code, text, details)
}
