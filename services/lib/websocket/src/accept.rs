//! Server handshake: the caller decides on the request head before a `101` is sent.

use std::{
    convert::Infallible,
    future::Future,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http::{
    Request, Response, StatusCode, Version,
    header::{self, HeaderMap, HeaderValue},
};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn, upgrade::OnUpgrade};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::timeout,
};
use tokio_tungstenite::tungstenite::{
    Error, error::ProtocolError, handshake::server::create_response_with_body, protocol::Role,
};

use crate::{
    handshake::{HEAD_BYTES, HEADERS, SUBPROTOCOL, offers_subprotocol},
    refusal::Refusal,
    stream::ByteStream,
};

const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Bounds the head, the decision and the response together.
const ACCEPT_TIMEOUT: Duration = Duration::from_secs(20);

/// Well-formed upgrade request that waits for a decision.
#[derive(Debug)]
pub struct UpgradeRequest {
    /// Path without a query; a query is refused.
    pub path: String,
    pub authorization: Option<HeaderValue>,
    /// All headers, including the authorization.
    pub headers: HeaderMap,
    pub peer: SocketAddr,
}

/// Granted upgrade: the identity of the peer and headers for the `101`.
#[derive(Debug)]
pub struct Admission<I> {
    pub identity: I,
    pub headers: HeaderMap,
}

/// Reason why an upgrade failed.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    #[error("refused the peer with {}: {}", .0.status.as_u16(), .0.message)]
    Refused(Refusal),
    #[error("the peer did not finish its upgrade within {} s", ACCEPT_TIMEOUT.as_secs())]
    Timeout,
    #[error("the peer sent no valid upgrade: {0}")]
    Http(#[from] hyper::Error),
    #[error("the peer closed the connection before it sent a request")]
    NoRequest,
}

/// Reads one upgrade request from `transport` (at most 16 KiB within 10 s) and calls `authorize`.
///
/// Answers `101` only when it grants; everything else gets its status, and the connection ends.
///
/// # Errors
/// The refusal that was sent, a timeout, or invalid HTTP.
pub async fn accept<T, I, A, F>(
    transport: T,
    peer: SocketAddr,
    authorize: A,
) -> Result<(ByteStream, I), AcceptError>
where
    T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    A: FnOnce(UpgradeRequest) -> F,
    F: Future<Output = Result<Admission<I>, Refusal>>,
{
    let authorize = Mutex::new(Some(authorize));
    let decision = Arc::new(Mutex::new(None));
    let service = service_fn(|request: Request<Incoming>| {
        let authorize = take(&authorize);
        let decision = Arc::clone(&decision);
        async move {
            let (decided, response) = match decide(request, peer, authorize).await {
                Ok((granted, response)) => (Ok(granted), response),
                Err(refusal) => {
                    let response = refusal_response(&refusal);
                    (Err(refusal), response)
                }
            };
            let mut decision = decision.lock().unwrap_or_else(PoisonError::into_inner);
            *decision = Some(decided);
            Ok::<_, Infallible>(response)
        }
    });
    let connection = builder()
        .serve_connection(TokioIo::new(transport), service)
        .with_upgrades();
    let served = timeout(ACCEPT_TIMEOUT, connection)
        .await
        .map_err(|_elapsed| AcceptError::Timeout)?;
    match take(&decision) {
        Some(Ok(granted)) => into_stream::<T, I>(granted).await,
        Some(Err(refusal)) => Err(AcceptError::Refused(refusal)),
        None => Err(served
            .err()
            .map_or(AcceptError::NoRequest, AcceptError::Http)),
    }
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

struct Granted<I> {
    identity: I,
    on_upgrade: OnUpgrade,
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS);
    builder
}

async fn decide<I, A, F>(
    mut request: Request<Incoming>,
    peer: SocketAddr,
    authorize: Option<A>,
) -> Result<(Granted<I>, Response<Full<Bytes>>), Refusal>
where
    A: FnOnce(UpgradeRequest) -> F,
    F: Future<Output = Result<Admission<I>, Refusal>>,
{
    let mut response = check(&request)?;
    let authorize = authorize.ok_or_else(|| Refusal::bad_request("one upgrade per connection"))?;
    let on_upgrade = hyper::upgrade::on(&mut request);
    let (head, _body) = request.into_parts();
    let admission = authorize(UpgradeRequest {
        path: head.uri.path().to_owned(),
        authorization: head.headers.get(header::AUTHORIZATION).cloned(),
        headers: head.headers,
        peer,
    })
    .await?;
    let headers = response.headers_mut();
    // The handshake's own headers win over those of the admission.
    for (name, value) in &admission.headers {
        headers.entry(name).or_insert_with(|| value.clone());
    }
    let granted = Granted {
        identity: admission.identity,
        on_upgrade,
    };
    Ok((granted, response))
}

/// Checks a request head and returns the `101` that answers it.
fn check<B>(request: &Request<B>) -> Result<Response<Full<Bytes>>, Refusal> {
    let headers = request.headers();
    if request.version() != Version::HTTP_11 {
        return Err(Refusal::bad_request("send the upgrade as HTTP/1.1"));
    }
    // Query strings reach access logs of proxies, where a token must not appear.
    if request.uri().query().is_some() {
        return Err(Refusal::bad_request("send the upgrade without a query"));
    }
    if headers.contains_key(header::CONTENT_LENGTH)
        || headers.contains_key(header::TRANSFER_ENCODING)
    {
        return Err(Refusal::bad_request("send the upgrade without a body"));
    }
    let mut response =
        create_response_with_body(request, Full::default).map_err(|error| to_refusal(&error))?;
    if !offers_subprotocol(headers) {
        let message = "offer the subprotocol h2.tunnel.v1";
        return Err(Refusal::bad_request(message));
    }
    let subprotocol = HeaderValue::from_static(SUBPROTOCOL);
    let headers = response.headers_mut();
    headers.insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
    Ok(response)
}

fn to_refusal(error: &Error) -> Refusal {
    use ProtocolError::{
        MissingConnectionUpgradeHeader, MissingSecWebSocketVersionHeader,
        MissingUpgradeWebSocketHeader,
    };
    let is_no_upgrade = matches!(
        error,
        Error::Protocol(MissingConnectionUpgradeHeader | MissingUpgradeWebSocketHeader)
    );
    if is_no_upgrade {
        return Refusal::upgrade_required("this is a WebSocket endpoint: send an upgrade");
    }
    if matches!(error, Error::Protocol(MissingSecWebSocketVersionHeader)) {
        return Refusal::upgrade_required("send sec-websocket-version: 13");
    }
    Refusal::bad_request(&error.to_string())
}

fn refusal_response(refusal: &Refusal) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(format!("{}\n", refusal.message)));
    *response.status_mut() = refusal.status;
    let headers = response.headers_mut();
    // Disabling keep-alive on the builder instead would also break the 101.
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    if let Some(wait) = refusal.retry_after {
        let seconds = HeaderValue::from(wait.as_secs().max(1));
        headers.insert(header::RETRY_AFTER, seconds);
    }
    if refusal.status == StatusCode::UPGRADE_REQUIRED {
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        let version = HeaderValue::from_static("13");
        headers.insert(header::SEC_WEBSOCKET_VERSION, version);
    }
    response
}

async fn into_stream<T, I>(granted: Granted<I>) -> Result<(ByteStream, I), AcceptError>
where
    T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let upgraded = granted.on_upgrade.await?;
    // Taking the parts frees the buffers of HTTP/1.1 and keeps the bytes behind the head.
    let parts = upgraded
        .downcast::<TokioIo<T>>()
        .expect("the transport is the one that was served");
    let transport = Box::new(parts.io.into_inner());
    let stream = ByteStream::new(transport, Role::Server, parts.read_buf).await;
    Ok((stream, granted.identity))
}

#[cfg(test)]
mod tests;
