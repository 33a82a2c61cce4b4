//! Rejections that the shell makes itself, in the form that the caller's protocol expects.

pub use causeway_proto::status::{status, status_with_retry};
use http::{HeaderMap, Response, StatusCode, header};
use http_body_util::Full;
use tonic::{Code, Status, body::Body};
use tonic_types::StatusExt as _;

/// The header by which a part says what a successful call did, for the audit, such as the id of a commit.
pub const EFFECT: &str = "causeway-effect";

/// Protocol of a caller, which determines the form of errors.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Protocol {
    Grpc,
    Json,
}

impl Protocol {
    /// Detects the protocol by the content type of the request.
    #[must_use]
    pub fn from_headers(request: &HeaderMap) -> Self {
        let grpc = request
            .get(header::CONTENT_TYPE)
            .is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"));
        if grpc { Self::Grpc } else { Self::Json }
    }
}

/// Converts a status to a response: trailers-only for gRPC callers, `google.rpc.Status` as JSON for others.
#[must_use]
pub fn respond(status: &Status, protocol: Protocol) -> Response<Body> {
    let (content_type, body) = match protocol {
        Protocol::Grpc => ("application/grpc", Body::empty()),
        Protocol::Json => ("application/json", to_json(status)),
    };
    let mut response = Response::new(body);
    match protocol {
        Protocol::Grpc => *response.headers_mut() = to_trailers(status),
        Protocol::Json => *response.status_mut() = http_status(status.code()),
    }
    let content_type = header::HeaderValue::from_static(content_type);
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, content_type);
    response
}

fn to_json(status: &Status) -> Body {
    let json = serde_json::json!({
        "code": i32::from(status.code()),
        "message": status.message(),
        "details": details(status),
    });
    Body::new(Full::new(json.to_string().into()))
}

fn details(status: &Status) -> Vec<serde_json::Value> {
    status
        .get_details_error_info()
        .map(|info| {
            serde_json::json!({
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": info.reason,
                "domain": info.domain,
            })
        })
        .into_iter()
        .collect()
}

/// Returns the HTTP status that `google.rpc.Code` documents for a gRPC code.
#[must_use]
pub fn http_status(code: Code) -> StatusCode {
    match code {
        Code::Ok => StatusCode::OK,
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => {
            StatusCode::BAD_REQUEST
        }
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists | Code::Aborted => StatusCode::CONFLICT,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Cancelled => {
            StatusCode::from_u16(499).expect("499 is within the range of status codes")
        }
        Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        Code::Unknown | Code::Internal | Code::DataLoss => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Converts a status to the trailers that end a gRPC stream.
pub(crate) fn to_trailers(status: &Status) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    if status.add_header(&mut trailers).is_err() {
        trailers.insert(
            "grpc-status",
            header::HeaderValue::from(i32::from(status.code())),
        );
    }
    trailers
}
