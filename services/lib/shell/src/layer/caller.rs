//! Authentication layer: verifies the assertion and checks the [`Caller`](crate::Caller) against the access table.

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use causeway_assertion::{Subject, VerifiedAssertion, VerifyError};
use causeway_proto::{access::v1::Kind, error::v1::Reason, method::Method};
use http::{HeaderMap, Request, Response, header};
use http_body::Body as _;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use tokio::time::timeout;
use tonic::{Code, Status, body::Body};
use tower::{Layer, Service};

use super::{
    ResponseFuture,
    first_message::{FirstMessage, FirstMessageError},
    take_ready,
    terminated_body::end_body_when,
};
use crate::{
    access::{Access, Row, caller_kind, needs_one_use},
    byte_budget::{ByteBudget, ByteReservation},
    status::{Protocol, respond, status},
};
const MESSAGE_LIMIT: usize = 4 * 1024 * 1024;
/// Limit of a request that needs no credential.
pub(crate) const PUBLIC_LIMIT: usize = 64 << 10;
const PREFIX: usize = 5;
/// Timeout for the first message of a stream.
const FIRST_MESSAGE_TIMEOUT: Duration = Duration::from_secs(30);

/// Rejects every call that the access table does not allow.
#[derive(Clone)]
pub struct CallerLayer {
    access: Access,
    byte_budget: ByteBudget,
}

impl CallerLayer {
    #[must_use]
    pub fn new(access: Access, byte_budget: ByteBudget) -> Self {
        Self {
            access,
            byte_budget,
        }
    }
}

#[derive(Clone)]
pub struct CallerService<S> {
    inner: S,
    access: Access,
    byte_budget: ByteBudget,
}

impl<S> Layer<S> for CallerLayer {
    type Service = CallerService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        CallerService {
            inner,
            access: self.access.clone(),
            byte_budget: self.byte_budget.clone(),
        }
    }
}

impl<S> Service<Request<Body>> for CallerService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let mut inner = take_ready(&mut self.inner);
        let access = self.access.clone();
        let byte_budget = self.byte_budget.clone();
        let protocol = Protocol::from_headers(request.headers());
        Box::pin(async move {
            match admit(&access, &byte_budget, request).await {
                Ok(Admitted { request, streamed }) => {
                    let response = inner.call(request).await?;
                    Ok(match streamed {
                        Some(verified) => end_when_revoked(response, &access, verified),
                        None => response,
                    })
                }
                Err(refusal) => Ok(respond(&refusal, protocol)),
            }
        })
    }
}

type Refusal = Box<Status>;

/// An authenticated request.
struct Admitted {
    request: Request<Body>,
    /// Assertion whose revocation ends a streaming response.
    streamed: Option<Arc<VerifiedAssertion>>,
}

impl Admitted {
    fn public(request: Request<Body>) -> Self {
        Self {
            request,
            streamed: None,
        }
    }
}

fn end_when_revoked(
    response: Response<Body>,
    access: &Access,
    verified: Arc<VerifiedAssertion>,
) -> Response<Body> {
    if response.body().is_end_stream() {
        return response;
    }
    let verifier = access.verifier().clone();
    let end = async move { verifier.wait_for_revocation(&verified).await.into() };
    response.map(|body| end_body_when(body, end))
}

/// Authenticates a request and attaches its caller.
async fn admit(
    access: &Access,
    byte_budget: &ByteBudget,
    request: Request<Body>,
) -> Result<Admitted, Refusal> {
    let path = request.uri().path().to_owned();
    let method = match access.row(&path) {
        Row::Public => return Ok(Admitted::public(request)),
        Row::Absent => return Err(Box::new(Status::unimplemented("unknown method"))),
        Row::Method(method) => method,
    };
    if method.kind == Kind::Public {
        let request = request.map(limit_public);
        return Ok(Admitted::public(
            attach_optional_caller(access, request, &path).await,
        ));
    }
    let token = bearer(request.headers())?;
    let verified = access
        .verifier()
        .verify(token, &path)
        .await
        .map_err(verify_refusal)?;
    check_kind(method, &verified)?;
    let mut request = if needs_one_use(method.kind) {
        consume(access, byte_budget, &verified, request).await?
    } else if method.kind == Kind::Session {
        consume_for_first_message(access, &verified, request).await?
    } else {
        request
    };
    redact_credential(request.headers_mut());
    request
        .extensions_mut()
        .insert(Arc::clone(verified.caller()));
    let streamed = method.descriptor.is_server_streaming().then_some(verified);
    Ok(Admitted { request, streamed })
}

/// Ends the body of a public request at its limit.
fn limit_public(body: Body) -> Body {
    let limited = Limited::new(body, PUBLIC_LIMIT + PREFIX);
    Body::new(limited.map_err(|error| {
        if error.is::<LengthLimitError>() {
            let text =
                "the request is larger than 64 KiB, and a call without a credential takes no more";
            return status(Code::ResourceExhausted, Reason::TooLarge, text);
        }
        Status::cancelled("the request ended early")
    }))
}

/// Attaches the caller of a public request if its assertion is valid. An invalid assertion is ignored.
async fn attach_optional_caller(
    access: &Access,
    mut request: Request<Body>,
    path: &str,
) -> Request<Body> {
    let verified = match bearer(request.headers()) {
        Ok(token) => access.verifier().verify(token, path).await.ok(),
        Err(_) => None,
    };
    redact_credential(request.headers_mut());
    if let Some(verified) = verified {
        let caller = Arc::clone(verified.caller());
        request.extensions_mut().insert(caller);
    }
    request
}

fn verify_refusal(error: VerifyError) -> Refusal {
    Box::new(error.into())
}

fn bearer(headers: &HeaderMap) -> Result<&str, Refusal> {
    headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .ok_or_else(|| {
            refusal(
                Code::Unauthenticated,
                Reason::CredentialMissing,
                "this call needs an assertion: send `authorization: Bearer <assertion>`",
            )
        })
}

fn refusal(code: Code, reason: Reason, text: &str) -> Refusal {
    Box::new(status(code, reason, text))
}

fn check_kind(method: &Method, verified: &VerifiedAssertion) -> Result<(), Refusal> {
    let subject = &verified.caller().subject;
    let kind = caller_kind(subject);
    if kind.is_some_and(|kind| method.callers.contains(&kind)) && is_calling_part(method, subject) {
        return Ok(());
    }
    let kinds = method.callers.iter().map(|kind| kind.as_str_name());
    let parts = method.calling_parts.iter().map(String::as_str);
    let allowed: Vec<&str> = kinds.chain(parts).collect();
    let text = format!(
        "{subject} may not call this method: it is for {}",
        allowed.join(", ")
    );
    Err(refusal(
        Code::PermissionDenied,
        Reason::PermissionDenied,
        &text,
    ))
}

/// Returns false if the access rule lists parts and the caller is another part.
fn is_calling_part(method: &Method, subject: &Subject) -> bool {
    match subject {
        Subject::Part { part, .. } => {
            let mut allowed = method.calling_parts.iter();
            method.calling_parts.is_empty() || allowed.any(|allowed| allowed == part.as_str())
        }
        Subject::User(_) | Subject::Runtime { .. } => true,
    }
}

/// Reads the request, exactly one uncompressed message, and consumes the one-time assertion for it.
async fn consume(
    access: &Access,
    byte_budget: &ByteBudget,
    verified: &VerifiedAssertion,
    request: Request<Body>,
) -> Result<Request<Body>, Refusal> {
    let (parts, body) = request.into_parts();
    let body = read_body(body, byte_budget.reserve()).await?;
    access
        .verifier()
        .consume(verified, single_message(&body)?)
        .map_err(verify_refusal)?;
    Ok(Request::from_parts(parts, Body::new(Full::new(body))))
}

/// Reads the first message of a request stream and consumes the assertion for it before the stream is forwarded.
async fn consume_for_first_message(
    access: &Access,
    verified: &VerifiedAssertion,
    request: Request<Body>,
) -> Result<Request<Body>, Refusal> {
    let (parts, body) = request.into_parts();
    let opening = timeout(
        FIRST_MESSAGE_TIMEOUT,
        FirstMessage::read(body, MESSAGE_LIMIT),
    )
    .await;
    let opening = opening.map_err(|_| Box::new(first_message_timeout()))?;
    let FirstMessage { message, body } = opening.map_err(|error| Box::new(Status::from(error)))?;
    access
        .verifier()
        .consume_for_session(verified, &message)
        .await
        .map_err(verify_refusal)?;
    Ok(Request::from_parts(parts, body))
}

fn first_message_timeout() -> Status {
    let text = "the first message of the stream did not arrive within 30 s: send it first";
    Status::deadline_exceeded(text)
}

async fn read_body(body: Body, mut reservation: ByteReservation) -> Result<Bytes, Refusal> {
    let mut body = Limited::new(body, MESSAGE_LIMIT + PREFIX);
    let mut buffer = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Box::new(unread(&*error)))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let reserved = reservation.grow_to(buffer.len() + data.len()).await;
        reserved.map_err(|error| Box::new(Status::from(error)))?;
        if buffer.is_empty() && body.is_end_stream() {
            return Ok(reservation.attach(data));
        }
        buffer.extend_from_slice(&data);
    }
    Ok(reservation.attach(buffer.freeze()))
}

fn unread(error: &(dyn std::error::Error + 'static)) -> Status {
    if error.is::<LengthLimitError>() {
        let text = "the request is larger than 4 MiB";
        return status(Code::ResourceExhausted, Reason::TooLarge, text);
    }
    Status::cancelled("the request ended early")
}

fn single_message(body: &[u8]) -> Result<&[u8], Refusal> {
    let malformed = |text| refusal(Code::InvalidArgument, Reason::DigestMismatch, text);
    let Some((prefix, message)) = body.split_first_chunk::<PREFIX>() else {
        return Err(malformed("the request has no message"));
    };
    let [compressed, length @ ..] = *prefix;
    if compressed != 0 {
        return Err(malformed("a request with a digest must be uncompressed"));
    }
    if u32::from_be_bytes(length) as usize != message.len() {
        return Err(malformed(
            "a request with a digest must be exactly one message",
        ));
    }
    Ok(message)
}

impl From<FirstMessageError> for Status {
    fn from(error: FirstMessageError) -> Self {
        let text = error.to_string();
        match error {
            FirstMessageError::Compressed => {
                status(Code::InvalidArgument, Reason::DigestMismatch, text)
            }
            FirstMessageError::TooLarge(_) => {
                status(Code::ResourceExhausted, Reason::TooLarge, text)
            }
            FirstMessageError::Missing => Self::invalid_argument(text),
            FirstMessageError::Truncated => Self::cancelled(text),
        }
    }
}

fn redact_credential(headers: &mut HeaderMap) {
    if let Some(value) = headers.get_mut(header::AUTHORIZATION) {
        value.set_sensitive(true);
    }
}
