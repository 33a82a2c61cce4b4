//! gRPC statuses of calls that failed on the way, with a reason and whether the call was delivered.

use causeway_proto::{error::v1::Reason, reason::DOMAIN};
use http::{HeaderMap, HeaderName, HeaderValue, Response};
use tonic::{Code, Status, body::Body, metadata::MetadataMap};
use tonic_types::{ErrorDetails, StatusExt as _};

/// Response header: `not-delivered` or `unknown`. A caller may safely retry after the former.
pub const OUTCOME: HeaderName = HeaderName::from_static("causeway-outcome");

/// Delivery of a failed call to its upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    NotDelivered,
    Unknown,
}

impl Delivery {
    /// The value of the header [`OUTCOME`].
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotDelivered => "not-delivered",
            Self::Unknown => "unknown",
        }
    }
}

/// Builds a status with a machine-readable reason and its delivery.
#[must_use]
pub fn failure(code: Code, reason: Reason, text: String, delivery: Delivery) -> Status {
    let status = if reason == Reason::Unspecified {
        Status::new(code, text)
    } else {
        let details = ErrorDetails::with_error_info(reason.code(), DOMAIN, []);
        Status::with_error_details(code, text, details)
    };
    with_delivery(status, delivery)
}

/// Adds the header [`OUTCOME`] to a status.
#[must_use]
pub fn with_delivery(mut status: Status, delivery: Delivery) -> Status {
    let mut headers = std::mem::take(status.metadata_mut()).into_headers();
    headers.insert(OUTCOME, HeaderValue::from_static(delivery.as_str()));
    *status.metadata_mut() = MetadataMap::from_headers(headers);
    status
}

/// Maps the code of an `RST_STREAM` as the gRPC specification does.
#[must_use]
pub fn reset_failure(code: u32) -> (Code, Reason, Delivery) {
    match code {
        // REFUSED_STREAM promises that nothing was processed.
        7 => (
            Code::Unavailable,
            Reason::Overloaded,
            Delivery::NotDelivered,
        ),
        8 => (Code::Cancelled, Reason::Unspecified, Delivery::Unknown),
        11 => (Code::ResourceExhausted, Reason::TooLarge, Delivery::Unknown),
        12 => (
            Code::PermissionDenied,
            Reason::Unspecified,
            Delivery::Unknown,
        ),
        _ => (Code::Internal, Reason::Unspecified, Delivery::Unknown),
    }
}

/// A trailers-only response: HTTP 200 with the status in its header.
#[must_use]
pub fn error_response(status: &Status) -> Response<Body> {
    status.clone().into_http()
}

/// The trailers that end a gRPC response with `status`.
#[must_use]
pub fn trailers(status: &Status) -> HeaderMap {
    let mut trailers = HeaderMap::with_capacity(4);
    if status.add_header(&mut trailers).is_err() {
        // The code alone is always a valid header.
        trailers.insert(Status::GRPC_STATUS, i32::from(status.code()).into());
    }
    trailers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_is_mapped_as_grpc_says() {
        assert_eq!(reset_failure(7).0, Code::Unavailable);
        assert_eq!(reset_failure(7).2, Delivery::NotDelivered);
        assert_eq!(reset_failure(8).0, Code::Cancelled);
        assert_eq!(reset_failure(11).0, Code::ResourceExhausted);
        assert_eq!(reset_failure(2).0, Code::Internal);
    }

    #[test]
    fn trailers_have_status_reason_and_delivery() {
        let text = "gone".to_owned();
        let status = failure(
            Code::Unavailable,
            Reason::TunnelLost,
            text,
            Delivery::Unknown,
        );
        let trailers = trailers(&status);
        assert_eq!(trailers["grpc-status"], "14");
        assert_eq!(trailers[OUTCOME], "unknown");
        let read = Status::from_header_map(&trailers).unwrap();
        let info = read.get_details_error_info().unwrap();
        assert_eq!(info.reason, "TUNNEL_LOST");
    }
}
