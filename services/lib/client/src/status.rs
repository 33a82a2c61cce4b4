//! Classification of gRPC errors.

use causeway_proto::{error::v1::Reason, reason::DOMAIN};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// Whether the same call may succeed later without anybody changing anything. Not whether it is safe to repeat: only a read or
/// a call with a request id is.
pub fn is_transient(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::Unavailable | Code::ResourceExhausted | Code::Aborted
    )
}

/// The machine-readable reason, where the peer gave one of ours.
pub fn reason(status: &Status) -> Option<Reason> {
    let info = status.get_details_error_info()?;
    (info.domain == DOMAIN)
        .then(|| Reason::from_code(&info.reason))
        .flatten()
}
