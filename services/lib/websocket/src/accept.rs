//! The accepting half: the upgrade head is read and judged before anything is promised.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Request, Response, StatusCode, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use crate::frame::Role;
use crate::handshake::{HEAD_BYTES, HEADERS, SUBPROTOCOL, accept_key, has_token, single};
use crate::refusal::Refusal;
use crate::stream::ByteStream;

const HEAD_WAIT: Duration = Duration::from_secs(10);
/// The head, the decision, and the answer together.
const ACCEPT_WAIT: Duration = Duration::from_secs(20);

/// An upgrade that is well formed and waits for a decision.
#[derive(Debug)]
pub struct UpgradeRequest {
    /// Without the query, which is refused.
    pub path: String,
    pub authorization: Option<HeaderValue>,
    /// All of them, the authorization included.
    pub headers: HeaderMap,
    pub peer: SocketAddr,
}

/// A granted upgrade: who it is, and what to say in the head of the `101`.
#[derive(Debug)]
pub struct Admission<I> {
    pub identity: I,
    pub headers: HeaderMap,
}

/// Why there is no stream.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    #[error("the peer was refused with {}: {}", .0.status.as_u16(), .0.message)]
    Refused(Refusal),
    #[error("the peer did not finish its upgrade in time")]
    Timeout,
    #[error("the peer sent no valid upgrade: {0}")]
    Http(#[from] hyper::Error),
    #[error("the peer sent nothing that could be upgraded")]
    Nothing,
}

/// Reads one upgrade from `transport` (at most 16 KiB in 10 s), asks `authorise`, and answers
/// `101` only when it grants. Everything else is answered with its status and closed.
pub async fn accept<T, I, A, F>(
    transport: T,
    peer: SocketAddr,
    authorise: A,
) -> Result<(ByteStream, I), AcceptError>
where
    T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    A: FnOnce(UpgradeRequest) -> F,
    F: Future<Output = Result<Admission<I>, Refusal>>,
{
    let authorise = Mutex::new(Some(authorise));
    let outcome = Arc::new(Mutex::new(None));
    let service = service_fn(|request: Request<Incoming>| {
        let authorise = authorise
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let outcome = Arc::clone(&outcome);
        async move {
            let decided = decide(request, peer, authorise).await;
            let answer = answer(&decided);
            outcome
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .replace(decided);
            Ok::<_, Infallible>(answer)
        }
    });
    let connection = builder()
        .serve_connection(TokioIo::new(transport), service)
        .with_upgrades();
    let served = timeout(ACCEPT_WAIT, connection)
        .await
        .map_err(|_elapsed| AcceptError::Timeout)?;
    let decided = outcome
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    match decided {
        Some(Ok(granted)) => upgraded::<T, I>(granted).await,
        Some(Err(refusal)) => Err(AcceptError::Refused(refusal)),
        None => Err(served.err().map_or(AcceptError::Nothing, AcceptError::Http)),
    }
}

struct Granted<I> {
    admission: Admission<I>,
    accept_key: String,
    on_upgrade: OnUpgrade,
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS);
    builder
}

async fn decide<I, A, F>(
    mut request: Request<Incoming>,
    peer: SocketAddr,
    authorise: Option<A>,
) -> Result<Granted<I>, Refusal>
where
    A: FnOnce(UpgradeRequest) -> F,
    F: Future<Output = Result<Admission<I>, Refusal>>,
{
    let accept_key = check(&request)?;
    let authorise = authorise.ok_or_else(|| Refusal::bad_request("one upgrade per connection"))?;
    let on_upgrade = hyper::upgrade::on(&mut request);
    let (head, _body) = request.into_parts();
    let admission = authorise(UpgradeRequest {
        path: head.uri.path().to_owned(),
        authorization: head.headers.get(header::AUTHORIZATION).cloned(),
        headers: head.headers,
        peer,
    })
    .await?;
    Ok(Granted {
        admission,
        accept_key,
        on_upgrade,
    })
}

/// Everything RFC 6455 section 4.2.1 asks of the head; gives the accept key.
fn check<B>(request: &Request<B>) -> Result<String, Refusal> {
    let headers = request.headers();
    if request.method() != Method::GET || request.version() != Version::HTTP_11 {
        return Err(Refusal::bad_request("an upgrade is a GET of HTTP/1.1"));
    }
    if request.uri().query().is_some() {
        return Err(Refusal::bad_request("the tunnel takes no query"));
    }
    if headers.contains_key(header::CONTENT_LENGTH)
        || headers.contains_key(header::TRANSFER_ENCODING)
    {
        return Err(Refusal::bad_request("an upgrade has no body"));
    }
    if !has_token(headers, &header::UPGRADE, "websocket")
        || !has_token(headers, &header::CONNECTION, "upgrade")
    {
        return Err(Refusal::upgrade_required(
            "this is a WebSocket endpoint: send an upgrade",
        ));
    }
    if single(headers, &header::SEC_WEBSOCKET_VERSION) != Some("13") {
        return Err(Refusal::upgrade_required(
            "only version 13 of the WebSocket protocol is spoken",
        ));
    }
    if !has_token(headers, &header::SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL) {
        return Err(Refusal::bad_request(
            "the subprotocol h2.tunnel.v1 is not offered",
        ));
    }
    let key = single(headers, &header::SEC_WEBSOCKET_KEY).unwrap_or_default();
    if STANDARD.decode(key).map(|key| key.len()) != Ok(16) {
        return Err(Refusal::bad_request(
            "sec-websocket-key is not 16 bytes in base64",
        ));
    }
    Ok(accept_key(key))
}

fn answer<I>(decided: &Result<Granted<I>, Refusal>) -> Response<Full<Bytes>> {
    match decided {
        Ok(granted) => switch(granted),
        Err(refusal) => refuse(refusal),
    }
}

fn switch<I>(granted: &Granted<I>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.extend(granted.admission.headers.clone());
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(
        header::SEC_WEBSOCKET_PROTOCOL,
        HeaderValue::from_static(SUBPROTOCOL),
    );
    let key = HeaderValue::from_str(&granted.accept_key).expect("base64 is visible ASCII");
    headers.insert(header::SEC_WEBSOCKET_ACCEPT, key);
    response
}

fn refuse(refusal: &Refusal) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(format!("{}\n", refusal.message)));
    *response.status_mut() = refusal.status;
    let headers = response.headers_mut();
    // One answer per connection; switching keep-alive off as a whole would break the 101.
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    if let Some(wait) = refusal.retry_after {
        headers.insert(
            header::RETRY_AFTER,
            HeaderValue::from(wait.as_secs().max(1)),
        );
    }
    if refusal.status == StatusCode::UPGRADE_REQUIRED {
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(
            header::SEC_WEBSOCKET_VERSION,
            HeaderValue::from_static("13"),
        );
    }
    response
}

async fn upgraded<T, I>(granted: Granted<I>) -> Result<(ByteStream, I), AcceptError>
where
    T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let upgraded = granted.on_upgrade.await?;
    // Taking the parts frees the buffers of HTTP/1.1 and keeps what came behind the head.
    let parts = upgraded
        .downcast::<TokioIo<T>>()
        .expect("the transport is the one that was served");
    let transport = Box::new(parts.io.into_inner());
    let stream = ByteStream::new(transport, Role::Accepting, parts.read_buf);
    Ok((stream, granted.admission.identity))
}

#[cfg(test)]
mod tests;
