//! Errors of a forwarded call, and their gRPC statuses.

use causeway_proto::error::v1::Reason;
use causeway_relay::{Delivery, failure, reset_failure};
use tonic::{Code, Status};

use crate::session::RuntimeAddress;

/// Error of a call that got no response from the runtime.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ForwardError {
    #[error("the runtime {0} has no session here: start its tunnel-client, or look at its log")]
    NotConnected(RuntimeAddress),
    #[error("the session of the runtime ended while the call was under way")]
    Lost,
    #[error("the runtime's session carries as many calls as it may: try again later")]
    Overloaded,
    #[error("'{0}' is not the name of a route: use 1 to 63 of a-z, 0-9 and '-'")]
    Route(String),
    #[error("the runtime did not answer within the deadline")]
    Deadline,
    #[error("the runtime's side reset the call with HTTP/2 code {0}")]
    Reset(u32),
}

impl From<&h2::Error> for ForwardError {
    /// The far side reset the stream, or the session ended.
    fn from(error: &h2::Error) -> Self {
        match error.reason().filter(|_| error.is_reset()) {
            Some(reason) => Self::Reset(reason.into()),
            None => Self::Lost,
        }
    }
}

impl From<&ForwardError> for Status {
    fn from(error: &ForwardError) -> Self {
        use Delivery::{NotDelivered, Unknown};
        use ForwardError as E;
        let (code, reason, delivery) = match error {
            E::NotConnected(_) => (Code::Unavailable, Reason::RuntimeNotConnected, NotDelivered),
            E::Lost => (Code::Unavailable, Reason::TunnelLost, Unknown),
            E::Overloaded => (Code::Unavailable, Reason::Overloaded, NotDelivered),
            E::Route(_) => (Code::NotFound, Reason::RouteUnknown, NotDelivered),
            E::Deadline => (Code::DeadlineExceeded, Reason::Unspecified, Unknown),
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

    fn address() -> RuntimeAddress {
        RuntimeAddress {
            account: "acme".parse().unwrap(),
            runtime: "r-1".parse().unwrap(),
        }
    }

    #[test]
    fn no_session_is_a_grpc_response_with_reason_and_outcome() {
        let error = ForwardError::NotConnected(address());
        let response = error_response(&Status::from(&error));
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "application/grpc");
        assert_eq!(response.headers()["grpc-status"], "14");
        assert_eq!(response.headers()[OUTCOME], "not-delivered");
        let status = Status::from_header_map(response.headers()).unwrap();
        let info = status.get_details_error_info().unwrap();
        assert_eq!(
            (info.reason.as_str(), info.domain.as_str()),
            ("RUNTIME_NOT_CONNECTED", "causeway")
        );
    }

    #[test]
    fn a_lost_session_leaves_the_outcome_open() {
        let trailers = trailers(&Status::from(&ForwardError::Lost));
        assert_eq!(trailers["grpc-status"], "14");
        assert_eq!(trailers[OUTCOME], "unknown");
    }
}
