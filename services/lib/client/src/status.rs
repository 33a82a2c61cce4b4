//! Classification of gRPC errors.

use causeway_proto::{error::v1::Reason, reason::DOMAIN};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// Returns true if the same call may succeed later without a change. Does not imply that a retry is safe: that requires a read or
/// a request ID.
pub fn is_transient(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::Unavailable | Code::ResourceExhausted | Code::Aborted
    )
}

/// Returns the machine-readable reason, if the peer sent one of Causeway.
pub fn reason(status: &Status) -> Option<Reason> {
    let info = status.get_details_error_info()?;
    (info.domain == DOMAIN)
        .then(|| Reason::from_code(&info.reason))
        .flatten()
}
