//! Answers that this end of the tunnel makes itself.

use causeway_proto::error::v1::Reason;
use causeway_proto::reason::DOMAIN;
use http::{HeaderMap, HeaderValue, Response};
use tonic::body::Body;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// Tells a caller whether a repeat can have a second effect.
pub(crate) const OUTCOME: &str = "causeway-outcome";

/// Why a call has no answer from its upstream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ForwardError {
    #[error("this runtime has no route '{0}'")]
    Route(String),
    #[error("the upstream of route '{0}' cannot be reached: is it running?")]
    Unreachable(String),
    #[error("the upstream broke off while the call was under way")]
    Broken,
    #[error("the upstream reset the call with HTTP/2 code {0}")]
    Reset(u32),
}

impl ForwardError {
    fn code(&self) -> (Code, Reason) {
        match self {
            Self::Route(_) => (Code::NotFound, Reason::RouteUnknown),
            Self::Unreachable(_) | Self::Broken => (Code::Unavailable, Reason::UpstreamUnavailable),
            // As the gRPC specification maps the codes of RST_STREAM.
            Self::Reset(7) => (Code::Unavailable, Reason::Overloaded),
            Self::Reset(8) => (Code::Cancelled, Reason::Unspecified),
            Self::Reset(11) => (Code::ResourceExhausted, Reason::TooLarge),
            Self::Reset(12) => (Code::PermissionDenied, Reason::Unspecified),
            Self::Reset(_) => (Code::Internal, Reason::Unspecified),
        }
    }

    fn outcome(&self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Route(_) | Self::Unreachable(_) | Self::Reset(7) => "not-delivered",
            Self::Broken | Self::Reset(_) => "unknown",
        })
    }
}

impl From<&ForwardError> for Status {
    fn from(error: &ForwardError) -> Self {
        let (code, reason) = error.code();
        if reason == Reason::Unspecified {
            return Self::new(code, error.to_string());
        }
        let details = ErrorDetails::with_error_info(reason.code(), DOMAIN, []);
        Self::with_error_details(code, error.to_string(), details)
    }
}

/// A whole answer: HTTP 200 with the status in its only head.
pub(crate) fn answer(error: &ForwardError) -> Response<Body> {
    let mut response = Status::from(error).into_http::<Body>();
    response.headers_mut().insert(OUTCOME, error.outcome());
    response
}

/// The end of an answer that had begun.
pub(crate) fn trailers(error: &ForwardError) -> HeaderMap {
    let mut trailers = HeaderMap::with_capacity(4);
    // Text and details are encoded by the status itself, so nothing here can be invalid.
    let _ = Status::from(error).add_header(&mut trailers);
    trailers.insert(OUTCOME, error.outcome());
    trailers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_route_is_not_found_and_was_not_delivered() {
        let response = answer(&ForwardError::Route("other".to_owned()));
        assert_eq!(response.headers()["grpc-status"], "5");
        assert_eq!(response.headers()[OUTCOME], "not-delivered");
        let status = Status::from_header_map(response.headers()).unwrap();
        assert_eq!(
            status.get_details_error_info().unwrap().reason,
            "ROUTE_UNKNOWN"
        );
    }

    #[test]
    fn an_upstream_that_is_down_is_unavailable_with_a_reason() {
        let response = answer(&ForwardError::Unreachable("router".to_owned()));
        assert_eq!(response.headers()["grpc-status"], "14");
        let status = Status::from_header_map(response.headers()).unwrap();
        assert_eq!(
            status.get_details_error_info().unwrap().reason,
            "UPSTREAM_UNAVAILABLE"
        );
    }

    #[test]
    fn an_upstream_that_breaks_off_leaves_the_outcome_open() {
        assert_eq!(trailers(&ForwardError::Broken)[OUTCOME], "unknown");
    }
}
