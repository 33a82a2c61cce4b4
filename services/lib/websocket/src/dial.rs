//! The dialling half: TCP, perhaps a proxy, TLS always, the upgrade.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use jiff::{SignedDuration, Timestamp};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::frame::Role;
use crate::handshake::{HEAD_BYTES, HEADERS, SUBPROTOCOL, accept_key, has_token, new_key, single};
use crate::proxy::{Proxy, ProxyError};
use crate::refusal::Refusal;
use crate::stream::{ByteStream, Transport};

const MESSAGE_CHARACTERS: usize = 512;
/// Read of what a server says when it refuses.
const REFUSAL_BYTES: usize = 4 * 1024;
/// A peer cannot ask for a longer wait than this.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Where to dial, whom to trust, what to say.
#[derive(Debug, Clone)]
pub struct DialOptions {
    /// `wss://host[:port]/path`.
    pub url: Uri,
    /// Must offer the ALPN protocol `http/1.1` only.
    pub tls: Arc<ClientConfig>,
    pub authorization: HeaderValue,
    pub headers: HeaderMap,
    pub proxy: Option<Proxy>,
    /// For TCP, the proxy and TLS together.
    pub connect_timeout: Duration,
    /// For the upgrade.
    pub upgrade_timeout: Duration,
}

/// A stream, and what the peer said in the head of its `101`.
pub struct Dialed {
    pub stream: ByteStream,
    pub headers: HeaderMap,
    /// The peer's clock minus this one, to the second; nothing when it sent no date.
    pub clock_offset: Option<SignedDuration>,
}

/// Why there is no stream.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    #[error("the url must be wss://host[:port]/path, not '{0}'")]
    Url(Uri),
    #[error("{0} cannot be reached: {1}")]
    Tcp(String, #[source] std::io::Error),
    #[error(transparent)]
    Proxy(#[from] ProxyError),
    #[error("tls with {0}: {1}")]
    Tls(String, #[source] std::io::Error),
    #[error("{0} did not answer in time")]
    Timeout(String),
    #[error("the server refused with {}: {}", .refusal.status.as_u16(), .refusal.message)]
    Refused {
        refusal: Refusal,
        clock_offset: Option<SignedDuration>,
    },
    #[error("the server's answer to the upgrade: {0}")]
    Upgrade(String),
    #[error("the server's answer to the upgrade is not HTTP: {0}")]
    Http(#[from] hyper::Error),
}

/// Dials and upgrades, once.
pub async fn connect(options: DialOptions) -> Result<Dialed, DialError> {
    let target = Target::of(&options.url)?;
    let transport = timeout(options.connect_timeout, open(&options, &target));
    let transport = transport
        .await
        .map_err(|_elapsed| DialError::Timeout(target.address.clone()))??;
    let upgrade = upgrade(&options, Box::new(transport));
    timeout(options.upgrade_timeout, upgrade)
        .await
        .map_err(|_elapsed| DialError::Timeout(target.address))?
}

struct Target {
    host: String,
    address: String,
}

impl Target {
    fn of(url: &Uri) -> Result<Self, DialError> {
        let invalid = || DialError::Url(url.clone());
        if url.scheme_str() != Some("wss") {
            return Err(invalid());
        }
        let authority = url.authority().ok_or_else(invalid)?;
        if authority.as_str().contains('@') || url.query().is_some() {
            return Err(invalid());
        }
        let host = authority.host();
        let address = format!("{host}:{}", authority.port_u16().unwrap_or(443));
        let host = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned();
        Ok(Self { host, address })
    }
}

async fn open(options: &DialOptions, target: &Target) -> Result<TlsStream<TcpStream>, DialError> {
    let tcp = match &options.proxy {
        Some(proxy) => proxy.connect(&target.address).await?,
        None => TcpStream::connect(&target.address)
            .await
            .map_err(|error| DialError::Tcp(target.address.clone(), error))?,
    };
    tcp.set_nodelay(true)
        .map_err(|error| DialError::Tcp(target.address.clone(), error))?;
    let name = ServerName::try_from(target.host.clone())
        .map_err(|_invalid| DialError::Url(options.url.clone()))?;
    let connector = TlsConnector::from(Arc::clone(&options.tls));
    let connected = connector.connect(name, tcp).await;
    connected.map_err(|error| DialError::Tls(target.address.clone(), error))
}

async fn upgrade(
    options: &DialOptions,
    transport: Box<dyn Transport>,
) -> Result<Dialed, DialError> {
    let key = new_key();
    let request = request(options, &key)?;
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS)
        .handshake(TokioIo::new(transport))
        .await?;
    let exchange = async {
        let response = sender.send_request(request).await?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Err(refused(response).await);
        }
        check(&response, &key)?;
        dialed(response).await
    };
    // Its end shows in the exchange.
    let driven = async { drop(connection.with_upgrades().await) };
    let (mut exchange, driven) = (std::pin::pin!(exchange), std::pin::pin!(driven));
    tokio::select! {
        outcome = &mut exchange => outcome,
        () = driven => exchange.await,
    }
}

fn request(options: &DialOptions, key: &str) -> Result<Request<Empty<Bytes>>, DialError> {
    let invalid = || DialError::Url(options.url.clone());
    let host = options.url.authority().ok_or_else(invalid)?.as_str();
    let mut request = Request::get(options.url.path())
        .header(header::HOST, host)
        .header(header::CONNECTION, "Upgrade")
        .header(header::UPGRADE, "websocket")
        .header(header::SEC_WEBSOCKET_VERSION, "13")
        .header(header::SEC_WEBSOCKET_KEY, key)
        .header(header::SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL)
        .header(header::AUTHORIZATION, options.authorization.clone())
        .body(Empty::new())
        .map_err(|_error| invalid())?;
    request.headers_mut().extend(options.headers.clone());
    Ok(request)
}

/// Everything RFC 6455 section 4.1 asks of the answer.
fn check<B>(response: &Response<B>, key: &str) -> Result<(), DialError> {
    let headers = response.headers();
    let wrong = |text: &str| Err(DialError::Upgrade(text.to_owned()));
    if !has_token(headers, &header::UPGRADE, "websocket")
        || !has_token(headers, &header::CONNECTION, "upgrade")
    {
        return wrong("it switches to something else than a WebSocket");
    }
    if single(headers, &header::SEC_WEBSOCKET_ACCEPT) != Some(accept_key(key).as_str()) {
        return wrong("its accept key does not belong to this upgrade");
    }
    if single(headers, &header::SEC_WEBSOCKET_PROTOCOL) != Some(SUBPROTOCOL) {
        return wrong("it does not speak the subprotocol h2.tunnel.v1");
    }
    if headers.contains_key(header::SEC_WEBSOCKET_EXTENSIONS) {
        return wrong("it uses an extension that was not asked for");
    }
    Ok(())
}

async fn dialed(mut response: Response<Incoming>) -> Result<Dialed, DialError> {
    let upgraded = hyper::upgrade::on(&mut response).await?;
    let parts = upgraded
        .downcast::<TokioIo<Box<dyn Transport>>>()
        .expect("the transport is the one that was given");
    Ok(Dialed {
        stream: ByteStream::new(parts.io.into_inner(), Role::Dialling, parts.read_buf),
        clock_offset: clock_offset(response.headers()),
        headers: response.into_parts().0.headers,
    })
}

async fn refused(response: Response<Incoming>) -> DialError {
    let (head, body) = response.into_parts();
    // A refusal without words, or with too many, is one all the same.
    let text = Limited::new(body, REFUSAL_BYTES).collect().await;
    let text = text.map(|text| text.to_bytes()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().next().unwrap_or_default();
    let message = line
        .chars()
        .filter(|character| !character.is_control())
        .take(MESSAGE_CHARACTERS)
        .collect();
    let seconds = head
        .headers
        .get(header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    let refusal = Refusal {
        status: head.status,
        retry_after: seconds.map(|seconds| Duration::from_secs(seconds).min(LONGEST_WAIT)),
        message,
    };
    DialError::Refused {
        refusal,
        clock_offset: clock_offset(&head.headers),
    }
}

fn clock_offset(headers: &HeaderMap) -> Option<SignedDuration> {
    let date = headers.get(header::DATE)?.to_str().ok()?;
    let theirs = jiff::fmt::rfc2822::parse(date).ok()?.timestamp();
    Some(SignedDuration::from_secs(
        theirs.as_second() - Timestamp::now().as_second(),
    ))
}

#[cfg(test)]
mod tests;
