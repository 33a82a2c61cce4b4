//! Which headers cross the router, and which credential a request carries.
//!
//! What is not on the list stays behind, whatever its spelling; identity is only what the router itself sets afterwards.

use std::time::Duration;

use causeway_relay::headers::connection_options;
pub(crate) use causeway_relay::headers::{GRPC_TIMEOUT, ROUTE};
use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Names the runtime that a call goes to, towards the tunnel server.
pub(crate) const RUNTIME: HeaderName = HeaderName::from_static("causeway-runtime");
/// Where a call that anyone may make comes from, towards the part `platform`.
pub(crate) const SOURCE: HeaderName = HeaderName::from_static("causeway-source");
/// How long a call may take, for callers over HTTP, for example `10s` or `500ms`.
pub(crate) const TIMEOUT: HeaderName = HeaderName::from_static("causeway-timeout");
/// The id of a request that changes something, for callers over HTTP: a UUID.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The last id that a reader of events has seen.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Tells a caller over HTTP which id its request had.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("causeway-request-id");

/// How an API key begins, and the token of a session.
const SECRETS: [&str; 2] = ["cwk_", "cws_"];
const GRPC: HeaderValue = HeaderValue::from_static("application/grpc");
const LONGEST_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// What a request carries to show who asks.
#[derive(Clone, Eq, PartialEq)]
pub(crate) enum Credential {
    None,
    /// A user's key, or the token of a session, to be changed into an assertion.
    ApiKey(String),
    /// A JWT, which is carried on as it is.
    Assertion(HeaderValue),
}

/// A header that cannot be taken.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum HeaderError {
    #[error("the header {0} is given more than once; send one")]
    Repeated(HeaderName),
    #[error("the header {0} is not plain text")]
    NotText(HeaderName),
    #[error("the header authorization is given more than once; send one")]
    DuplicateCredential,
    #[error(
        "the header authorization is not 'Bearer' and an API key (cwk_…), a session token (cws_…) or an assertion"
    )]
    UnknownCredential,
    #[error("the header grpc-timeout is not up to 8 digits and one of H, M, S, m, u, n")]
    GrpcTimeout,
    #[error("the header causeway-timeout is not a time such as 10s or 500ms")]
    Timeout,
}

/// The bytes of a request before its body, nearly.
pub(crate) fn size(uri: &http::Uri, headers: &HeaderMap) -> usize {
    let path = uri.path_and_query().map_or(0, |path| path.as_str().len());
    let lines = headers.iter();
    let line = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + 4;
    lines.map(line).sum::<usize>() + path
}

/// The one credential of a request.
pub(crate) fn credential(headers: &HeaderMap) -> Result<Credential, HeaderError> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok(Credential::None);
    };
    if values.next().is_some() {
        return Err(HeaderError::DuplicateCredential);
    }
    let text = value.to_str().map_err(|_| HeaderError::UnknownCredential)?;
    let token = bearer(text).ok_or(HeaderError::UnknownCredential)?;
    if SECRETS.iter().any(|begin| token.starts_with(begin)) {
        return Ok(Credential::ApiKey(token.to_owned()));
    }
    let parts: Vec<_> = token.split('.').collect();
    if parts.len() == 3 && parts.iter().all(|part| is_base64url(part)) {
        return Ok(Credential::Assertion(value.clone()));
    }
    Err(HeaderError::UnknownCredential)
}

fn bearer(text: &str) -> Option<&str> {
    let (scheme, token) = text.split_once(' ')?;
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b',';
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() && token.bytes().all(plain))
        .then_some(token)
}

fn is_base64url(part: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !part.is_empty() && part.bytes().all(allowed)
}

/// The headers of a request that go on to an upstream, without credential and deadline.
pub(crate) fn request(from: &HeaderMap) -> HeaderMap {
    let hop = connection_options(from);
    let grpc = is_grpc(from);
    let mut to = HeaderMap::with_capacity(16);
    for (name, value) in from {
        let text = name.as_str();
        // How JSON is negotiated says nothing about the gRPC behind it.
        let negotiated = text == "content-type" || text.starts_with("grpc-");
        let listed = matches!(text, "traceparent" | "tracestate")
            || grpc && negotiated && *name != GRPC_TIMEOUT;
        if listed && !hop.iter().any(|hop| hop == text) {
            to.append(name, value.clone());
        }
    }
    if !to.contains_key(header::CONTENT_TYPE) {
        to.insert(header::CONTENT_TYPE, GRPC);
    }
    to.insert(header::TE, HeaderValue::from_static("trailers"));
    to
}

/// True if a request or an answer is gRPC, of which gRPC-Web is another form.
pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    content_type(headers).is_some_and(|rest| matches!(rest.first(), None | Some(b'+' | b';')))
}

/// True if a request is gRPC-Web.
pub(crate) fn is_grpc_web(headers: &HeaderMap) -> bool {
    content_type(headers).is_some_and(|rest| rest.starts_with(b"-web"))
}

/// Has a caller of gRPC-Web who names no form of it for the answer get the form of the request.
pub(crate) fn accept_own_kind(headers: &mut HeaderMap) {
    let named = |value: &HeaderValue| value.as_bytes().starts_with(b"application/grpc-web");
    let named = headers.get(header::ACCEPT).is_some_and(named);
    if let Some(own) = headers
        .get(header::CONTENT_TYPE)
        .filter(|_| !named)
        .cloned()
    {
        headers.insert(header::ACCEPT, own);
    }
}

/// What follows `application/grpc`.
fn content_type(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(header::CONTENT_TYPE)?;
    value.as_bytes().strip_prefix(b"application/grpc")
}

/// The headers of an answer that go back to the caller.
pub(crate) fn response(from: &HeaderMap) -> HeaderMap {
    let hop = connection_options(from);
    let mut to = HeaderMap::with_capacity(from.len());
    for (name, value) in from {
        let text = name.as_str();
        let listed = matches!(text, "content-type" | "retry-after")
            || text.starts_with("grpc-")
            || text.starts_with("causeway-");
        if listed && !hop.iter().any(|hop| hop == text) {
            to.append(name, value.clone());
        }
    }
    to
}

/// Text of a header that must not be repeated, because two values would be ambiguous.
pub(crate) fn text<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'h str>, HeaderError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(HeaderError::Repeated(name.clone()));
    }
    let text = value.to_str();
    text.map(Some)
        .map_err(|_| HeaderError::NotText(name.clone()))
}

/// How long the caller wants to wait.
pub(crate) fn timeout(headers: &HeaderMap) -> Result<Option<Duration>, HeaderError> {
    if let Some(text) = text(headers, &GRPC_TIMEOUT)? {
        let timeout = causeway_shell::parse_grpc_timeout(text).ok_or(HeaderError::GrpcTimeout)?;
        return Ok(Some(timeout.min(LONGEST_TIMEOUT)));
    }
    let Some(text) = text(headers, &TIMEOUT)? else {
        return Ok(None);
    };
    let timeout = humantime::parse_duration(text).map_err(|_| HeaderError::Timeout)?;
    Ok(Some(timeout.min(LONGEST_TIMEOUT)))
}

/// A time as `grpc-timeout` writes it: in milliseconds while those fit, else in seconds.
pub(crate) fn to_grpc_timeout(remaining: Duration) -> HeaderValue {
    let millis = remaining.as_millis();
    let text = if millis < 100_000_000 {
        format!("{millis}m")
    } else {
        format!("{}S", remaining.as_secs().min(99_999_999))
    };
    HeaderValue::try_from(text).expect("digits and a letter are a valid header")
}

#[cfg(test)]
mod tests;
