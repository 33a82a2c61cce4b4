//! Client handshake: TCP, an optional HTTP proxy, TLS, the upgrade.

use std::{sync::Arc, time::Duration};

use http::{
    Response, Uri,
    header::{self, HeaderMap, HeaderValue},
};
use jiff::{SignedDuration, Timestamp};
use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{TlsConnector, client::TlsStream};
use tokio_tungstenite::{
    client_async_with_config,
    tungstenite::{Error, client::IntoClientRequest, handshake::client::Request},
};

use crate::{
    handshake::SUBPROTOCOL,
    proxy::{Proxy, ProxyError},
    refusal::Refusal,
    stream::{ByteStream, Transport, limits},
};

const MESSAGE_CHARACTERS: usize = 512;
/// Maximum wait that a server may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Address, trust and headers of one upgrade.
#[derive(Debug, Clone)]
pub struct DialOptions {
    /// `wss://host[:port]/path`.
    pub url: Uri,
    /// Must offer the ALPN protocol `http/1.1` only.
    pub tls: Arc<ClientConfig>,
    pub authorization: HeaderValue,
    pub headers: HeaderMap,
    pub proxy: Option<Proxy>,
    /// Bounds TCP, the proxy and TLS together.
    pub connect_timeout: Duration,
    /// Bounds the upgrade.
    pub upgrade_timeout: Duration,
}

/// Stream and headers of the `101`.
pub struct Dialed {
    pub stream: ByteStream,
    pub headers: HeaderMap,
    /// Clock of the peer minus this clock, to the second; `None` without a date.
    pub clock_offset: Option<SignedDuration>,
}

/// Reason why dialling failed.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    #[error("the url must be wss://host[:port]/path, not '{0}'")]
    Url(Uri),
    #[error("failed to reach {0}: {1}")]
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
    #[error("invalid response to the upgrade: {0}")]
    Upgrade(#[source] Box<Error>),
}

/// Dials and upgrades once.
///
/// # Errors
/// The step that failed, a timeout, or the refusal of the server.
pub async fn connect(options: DialOptions) -> Result<Dialed, DialError> {
    let target = Target::new(&options.url)?;
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
    fn new(url: &Uri) -> Result<Self, DialError> {
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
    let handshake = client_async_with_config(request(options)?, transport, Some(limits()));
    let (socket, response) = handshake.await.map_err(to_dial_error)?;
    Ok(Dialed {
        stream: ByteStream::from_socket(socket),
        clock_offset: clock_offset(response.headers()),
        headers: response.into_parts().0.headers,
    })
}

fn request(options: &DialOptions) -> Result<Request, DialError> {
    let request = (&options.url).into_client_request();
    let mut request = request.map_err(|_invalid| DialError::Url(options.url.clone()))?;
    let headers = request.headers_mut();
    headers.extend(options.headers.clone());
    let subprotocol = HeaderValue::from_static(SUBPROTOCOL);
    headers.insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
    headers.insert(header::AUTHORIZATION, options.authorization.clone());
    Ok(request)
}

fn to_dial_error(error: Error) -> DialError {
    if let Error::Http(response) = error {
        return to_refusal(&response);
    }
    DialError::Upgrade(Box::new(error))
}

/// Reads the first line of the body that came with the head; a refusal without one is complete too.
fn to_refusal(response: &Response<Option<Vec<u8>>>) -> DialError {
    let body = response.body().as_deref().unwrap_or_default();
    let body = String::from_utf8_lossy(body);
    let line = body.lines().next().unwrap_or_default();
    let message = line.chars().filter(|character| !character.is_control());
    let seconds = response.headers().get(header::RETRY_AFTER);
    let seconds = seconds.and_then(|value| value.to_str().ok()?.parse().ok());
    let refusal = Refusal {
        status: response.status(),
        retry_after: seconds.map(|seconds| Duration::from_secs(seconds).min(LONGEST_WAIT)),
        message: message.take(MESSAGE_CHARACTERS).collect(),
    };
    DialError::Refused {
        refusal,
        clock_offset: clock_offset(response.headers()),
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
