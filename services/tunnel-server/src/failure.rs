//! Answers that the tunnel itself makes: a gRPC status with a reason, and whether the runtime may
//! have seen the call.

use causeway_proto::error::v1::Reason;
use causeway_proto::reason::DOMAIN;
use http::{HeaderMap, HeaderValue, Response};
use tonic::body::Body;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::session::RuntimeAddress;

/// Tells a caller whether a repeat can have a second effect.
pub(crate) const OUTCOME: &str = "causeway-outcome";

/// Whether the far side can have seen a call that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    NotDelivered,
    Unknown,
}

/// Why a call has no answer from the runtime.
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

impl ForwardError {
    pub(crate) fn outcome(&self) -> Outcome {
        match self {
            Self::NotConnected(_) | Self::Overloaded | Self::Route(_) => Outcome::NotDelivered,
            // REFUSED_STREAM promises that nothing was processed.
            Self::Reset(7) => Outcome::NotDelivered,
            Self::Lost | Self::Deadline | Self::Reset(_) => Outcome::Unknown,
        }
    }

    fn code(&self) -> (Code, Reason) {
        match self {
            Self::NotConnected(_) => (Code::Unavailable, Reason::RuntimeNotConnected),
            Self::Lost => (Code::Unavailable, Reason::TunnelLost),
            Self::Overloaded => (Code::Unavailable, Reason::Overloaded),
            Self::Route(_) => (Code::NotFound, Reason::RouteUnknown),
            Self::Deadline => (Code::DeadlineExceeded, Reason::Unspecified),
            Self::Reset(code) => reset_code(*code),
        }
    }
}

/// As the gRPC specification maps the codes of RST_STREAM.
fn reset_code(code: u32) -> (Code, Reason) {
    match code {
        7 => (Code::Unavailable, Reason::Overloaded),
        8 => (Code::Cancelled, Reason::Unspecified),
        11 => (Code::ResourceExhausted, Reason::TooLarge),
        12 => (Code::PermissionDenied, Reason::Unspecified),
        _ => (Code::Internal, Reason::Unspecified),
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
pub(crate) fn answer(status: &Status, outcome: Outcome) -> Response<Body> {
    let mut response = status.clone().into_http::<Body>();
    response
        .headers_mut()
        .insert(OUTCOME, outcome_value(outcome));
    response
}

/// The end of an answer that had begun.
pub(crate) fn trailers(error: &ForwardError) -> HeaderMap {
    let mut trailers = HeaderMap::with_capacity(4);
    // Text and details are encoded by the status itself, so nothing here can be invalid.
    let _ = Status::from(error).add_header(&mut trailers);
    trailers.insert(OUTCOME, outcome_value(error.outcome()));
    trailers
}

fn outcome_value(outcome: Outcome) -> HeaderValue {
    HeaderValue::from_static(match outcome {
        Outcome::NotDelivered => "not-delivered",
        Outcome::Unknown => "unknown",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address() -> RuntimeAddress {
        RuntimeAddress {
            account: "acme".parse().unwrap(),
            runtime: "r-1".parse().unwrap(),
        }
    }

    #[test]
    fn no_session_is_a_grpc_answer_with_reason_and_outcome() {
        let error = ForwardError::NotConnected(address());
        let response = answer(&Status::from(&error), error.outcome());
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
        let trailers = trailers(&ForwardError::Lost);
        assert_eq!(trailers["grpc-status"], "14");
        assert_eq!(trailers[OUTCOME], "unknown");
    }

    #[test]
    fn a_reset_is_mapped_as_grpc_says() {
        let code = |reset| Status::from(&ForwardError::Reset(reset)).code();
        assert_eq!(code(7), Code::Unavailable);
        assert_eq!(code(8), Code::Cancelled);
        assert_eq!(code(11), Code::ResourceExhausted);
        assert_eq!(code(2), Code::Internal);
        assert_eq!(ForwardError::Reset(7).outcome(), Outcome::NotDelivered);
    }
}
