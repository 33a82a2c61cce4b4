//! What pages of other sites may do: those whose origins a flag names may call with a credential of their own and read the answer.
//!
//! A browser's cookies never count for them, so such a page can do nothing that it could not do without the browser.

use http::{HeaderMap, HeaderValue, Method as Verb, Request, Response, StatusCode, header};
use tonic::{Status, body::Body};

use super::json;
use crate::config::Origin;

/// What such a page may send.
const SENT: HeaderValue = HeaderValue::from_static(
    "accept, authorization, causeway-timeout, content-type, grpc-timeout, idempotency-key, if-none-match, last-event-id, \
     traceparent, tracestate, x-grpc-web, x-user-agent",
);
/// What it may read, beside what every page may.
const READ: HeaderValue = HeaderValue::from_static(
    "allow, causeway-outcome, causeway-request-id, etag, grpc-message, grpc-status, grpc-status-details-bin, retry-after, \
     www-authenticate",
);
const VERBS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE");
/// How long a browser need not ask again.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// The origins that may call.
pub(crate) struct Cors(Vec<Origin>);

impl Cors {
    pub(crate) fn new(origins: Vec<Origin>) -> Self {
        Self(origins)
    }

    /// The origin of a request, if it is one of those.
    pub(super) fn allowed(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let origin = origins.next().filter(|_| origins.next().is_none())?;
        let named = self.0.iter().any(|named| origin == named.as_str());
        named.then(|| origin.clone())
    }

    /// The answer to a browser that asks whether a page may send a request at all.
    pub(super) fn preflight(&self, request: &Request<Body>) -> Option<Response<Body>> {
        let headers = request.headers();
        let asks = headers.contains_key(header::ORIGIN)
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        if request.method() != Verb::OPTIONS || !asks {
            return None;
        }
        let Some(origin) = self.allowed(headers) else {
            return Some(self.mark(None, json::refused(refused())));
        };
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let said = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, VERBS),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, SENT),
            (header::ACCESS_CONTROL_MAX_AGE, MAX_AGE),
        ];
        response.headers_mut().extend(said);
        Some(self.mark(Some(origin), response))
    }

    /// Lets the page of an origin read an answer.
    pub(super) fn mark(
        &self,
        origin: Option<HeaderValue>,
        mut response: Response<Body>,
    ) -> Response<Body> {
        let headers = response.headers_mut();
        if let Some(origin) = origin {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, READ);
        }
        if !self.0.is_empty() {
            headers.append(header::VARY, HeaderValue::from_static("origin"));
        }
        response
    }
}

fn refused() -> Status {
    let text = "pages of this origin may not call here; name it with --cors-origin, exactly as the browser sends it";
    let reason = causeway_proto::error::v1::Reason::PermissionDenied;
    crate::refusal::status(tonic::Code::PermissionDenied, reason, text)
}
