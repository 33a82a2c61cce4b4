//! Errors of a forwarded call, and their gRPC statuses.

use causeway_proto::error::v1::Reason;
use causeway_relay::{Delivery, failure, reset_failure};
use tonic::{Code, Status};

/// Error of a call that got no response from its upstream.
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

impl From<&h2::Error> for ForwardError {
    /// The upstream reset the stream, or its connection ended.
    fn from(error: &h2::Error) -> Self {
        match error.reason().filter(|_| error.is_reset()) {
            Some(reason) => Self::Reset(reason.into()),
            None => Self::Broken,
        }
    }
}

impl From<&ForwardError> for Status {
    fn from(error: &ForwardError) -> Self {
        use Delivery::{NotDelivered, Unknown};
        use ForwardError as E;
        let (code, reason, delivery) = match error {
            E::Route(_) => (Code::NotFound, Reason::RouteUnknown, NotDelivered),
            E::Unreachable(_) => (Code::Unavailable, Reason::UpstreamUnavailable, NotDelivered),
            E::Broken => (Code::Unavailable, Reason::UpstreamUnavailable, Unknown),
            E::Reset(code) => reset_failure(*code),
        };
        failure(code, reason, error.to_string(), delivery)
    }
}

#[cfg(test)]
mod tests {
    use causeway_relay::{OUTCOME, error_response, trailers};
    use tonic_types::StatusExt as _;

    use super::*;

    #[test]
    fn an_unknown_route_is_not_found_and_was_not_delivered() {
        let response = error_response(&Status::from(&ForwardError::Route("other".to_owned())));
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
        let response = error_response(&Status::from(&ForwardError::Unreachable(
            "router".to_owned(),
        )));
        assert_eq!(response.headers()["grpc-status"], "14");
        let status = Status::from_header_map(response.headers()).unwrap();
        assert_eq!(
            status.get_details_error_info().unwrap().reason,
            "UPSTREAM_UNAVAILABLE"
        );
    }

    #[test]
    fn an_upstream_that_breaks_off_leaves_the_outcome_open() {
        assert_eq!(
            trailers(&Status::from(&ForwardError::Broken))[OUTCOME],
            "unknown"
        );
    }
}
