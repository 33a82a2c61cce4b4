//! Every error of the router as a status: the only place that decides codes and reasons.

use std::time::Duration;

use causeway_proto::{error::v1::Reason, reason::DOMAIN};
use causeway_relay::{Delivery, with_delivery};
use causeway_shell::BudgetExhausted;
use http_body_util::LengthLimitError;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::{
    fields::FieldsError, framing::FramingError, grpc_frame::FrameError, header::HeaderError,
    limits::LimitError, template::PathError, transcode::TranscodeError, upstream::UpstreamError,
};

/// The largest request that the router reads as a whole.
pub(crate) const LARGEST_REQUEST: usize = 4 << 20;

/// A status with a reason and no more.
pub(crate) fn status(code: Code, reason: Reason, text: impl Into<String>) -> Status {
    causeway_shell::status::status(code, reason, text)
}

/// A field of the request, or a header, that is wrong.
pub(crate) fn field(name: &str, text: impl Into<String>) -> Status {
    let text = text.into();
    let mut details = ErrorDetails::with_error_info(Reason::FieldInvalid.code(), DOMAIN, []);
    details.add_bad_request_violation(name, text.clone());
    Status::with_error_details(Code::InvalidArgument, text, details)
}

pub(crate) fn too_large() -> Status {
    let text = "the request is larger than 4 MiB; send less at once";
    status(Code::ResourceExhausted, Reason::TooLarge, text)
}

/// Why a body that was read up to a limit did not arrive.
pub(crate) fn unread(error: &(dyn std::error::Error + 'static)) -> Status {
    if error.is::<LengthLimitError>() {
        return too_large();
    }
    cut_request()
}

/// More than is read without a credential.
pub(crate) fn public_too_large() -> Status {
    let text = "the request is larger than 64 KiB, and a call without a credential takes no more";
    status(Code::ResourceExhausted, Reason::TooLarge, text)
}

/// More than is read before the credential is verified, with one that only another part verifies.
pub(crate) fn assertion_unverified() -> Status {
    let text = "with an assertion JSON carries at most 64 KiB, and no terminal: call by gRPC";
    status(Code::ResourceExhausted, Reason::TooLarge, text)
}

/// Nothing of the request went on.
pub(crate) fn no_memory(error: BudgetExhausted) -> Status {
    with_delivery(error.into(), Delivery::NotDelivered)
}

/// An answer that cannot be written as JSON: too large, or no message.
pub(crate) fn answer(error: FrameError) -> Status {
    match error {
        FrameError::TooLarge(_) => answer_too_large(),
        FrameError::Compressed | FrameError::NotOne | FrameError::Cut => error.into(),
    }
}

fn answer_too_large() -> Status {
    let text = "the answer is larger than 8 MiB: ask for less by page_size or a field mask, or call by gRPC";
    status(Code::ResourceExhausted, Reason::TooLarge, text)
}

pub(crate) fn cut_request() -> Status {
    Status::invalid_argument("the body of the request is broken or was cut off; send it again")
}

pub(crate) fn request_too_slow() -> Status {
    Status::deadline_exceeded("the request did not arrive within 30 s; send it faster")
}

pub(crate) fn headers_too_large() -> Status {
    let text = "the headers are larger than 32 KiB; send fewer";
    status(Code::ResourceExhausted, Reason::TooLarge, text)
}

/// A stream that goes on would show what its reader may not see any more, or hide what they may see now.
pub(crate) fn scope_changed() -> Status {
    let text = "what you may see has changed: open the stream again";
    status(Code::Aborted, Reason::ScopeChanged, text)
}

pub(crate) fn credential_missing() -> Status {
    let text = "no credential: send the header 'authorization: Bearer' with an API key (cwk_…) or a session token (cws_…)";
    status(Code::Unauthenticated, Reason::CredentialMissing, text)
}

pub(crate) fn deadline_exceeded() -> Status {
    Status::deadline_exceeded(
        "the time for this call is over; allow more with grpc-timeout or causeway-timeout",
    )
}

/// The upstream received the request and its response broke off.
pub(crate) fn lost(text: impl Into<String>) -> Status {
    unavailable(text.into(), Delivery::Unknown)
}

/// The router ended a session, so the effect of its command is unknown.
pub(crate) fn cut_off(status: Status) -> Status {
    with_delivery(status, Delivery::Unknown)
}

/// JSON over HTTP cannot carry a stream of requests.
pub(crate) fn needs_grpc(path: &str) -> Status {
    Status::unimplemented(format!(
        "{path} has a stream of requests, which JSON over HTTP does not carry: call it by gRPC, as grpcurl and 'causeway app exec' do"
    ))
}

/// The platform is unavailable, so the call is not authorized.
pub(crate) fn undecided() -> Status {
    let text =
        "the part platform is unavailable, so the call cannot be authorized; try again later";
    unavailable(text.to_owned(), Delivery::NotDelivered)
}

/// States in the details and in a header whether the upstream can have received the request.
fn unavailable(text: String, delivery: Delivery) -> Status {
    let info = [("outcome".to_owned(), delivery.as_str().to_owned())];
    let reason = Reason::UpstreamUnavailable.code();
    let details = ErrorDetails::with_error_info(reason, DOMAIN, info);
    let status = Status::with_error_details(Code::Unavailable, text, details);
    with_delivery(status, delivery)
}

impl From<UpstreamError> for Status {
    fn from(error: UpstreamError) -> Self {
        match error {
            UpstreamError::Unreachable { .. } => {
                let text = format!("{error}; try again when it is back");
                unavailable(text, Delivery::NotDelivered)
            }
            UpstreamError::Lost { .. } => lost(error.to_string()),
        }
    }
}

impl From<LimitError> for Status {
    fn from(error: LimitError) -> Self {
        let after = match error {
            LimitError::Rate { after, .. } => after,
            LimitError::AtOnce { .. } => Duration::from_secs(1),
            LimitError::Streams { .. } => {
                return status(
                    Code::ResourceExhausted,
                    Reason::Throttled,
                    error.to_string(),
                );
            }
        };
        causeway_shell::status::status_with_retry(
            Code::ResourceExhausted,
            Reason::Throttled,
            error.to_string(),
            after,
        )
    }
}

impl From<HeaderError> for Status {
    fn from(error: HeaderError) -> Self {
        let text = error.to_string();
        match error {
            HeaderError::DuplicateCredential | HeaderError::UnknownCredential => {
                status(Code::Unauthenticated, Reason::CredentialInvalid, text)
            }
            HeaderError::Repeated(name) | HeaderError::NotText(name) => field(name.as_str(), text),
            HeaderError::GrpcTimeout => field("grpc-timeout", text),
            HeaderError::Timeout => field("causeway-timeout", text),
        }
    }
}

impl From<FramingError> for Status {
    fn from(error: FramingError) -> Self {
        let text = error.to_string();
        match error {
            FramingError::Hosts | FramingError::NoHost | FramingError::OtherHost => {
                field("host", text)
            }
            FramingError::Encoding => field("transfer-encoding", text),
        }
    }
}

impl From<FrameError> for Status {
    fn from(error: FrameError) -> Self {
        let text = error.to_string();
        match error {
            FrameError::Compressed => Self::unimplemented(text),
            FrameError::NotOne | FrameError::Cut => Self::invalid_argument(text),
            FrameError::TooLarge(_) => status(Code::ResourceExhausted, Reason::TooLarge, text),
        }
    }
}

impl From<FieldsError> for Status {
    fn from(error: FieldsError) -> Self {
        match error {
            FieldsError::Malformed | FieldsError::Duplicate => {
                Self::invalid_argument(error.to_string())
            }
        }
    }
}

impl From<PathError> for Status {
    fn from(error: PathError) -> Self {
        field("path", error.to_string())
    }
}

impl From<TranscodeError> for Status {
    fn from(error: TranscodeError) -> Self {
        let text = error.to_string();
        match error {
            TranscodeError::UnknownField { field: name, .. }
            | TranscodeError::InvalidField { field: name, .. } => field(&name, text),
            TranscodeError::MalformedJson { .. } | TranscodeError::BodyNotTaken => {
                field("body", text)
            }
        }
    }
}
