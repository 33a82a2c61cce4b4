//! The dialling half: TCP, perhaps a proxy, TLS always, the upgrade.

use std::sync::Arc;
use std::time::Duration;

use http::header::{self, HeaderMap, HeaderValue};
use http::{Request, Response, Uri};
use jiff::{SignedDuration, Timestamp};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::client_async_with_config;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;

use crate::SUBPROTOCOL;
use crate::proxy::{Proxy, ProxyError};
use crate::refusal::Refusal;
use crate::stream::{ByteStream, Transport, config};

const MESSAGE_CHARACTERS: usize = 512;
/// A peer cannot ask for a longer wait than this.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Where to dial, whom to trust, what to say.
#[derive(Debug, Clone)]
pub struct DialOptions {
    /// `wss://host[:port]/path`.
    pub url: Uri,
    /// From [`TrustRoots::client_config`](crate::TrustRoots::client_config).
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
}

/// Dials and upgrades, once.
pub async fn connect(options: DialOptions) -> Result<Dialed, DialError> {
    let target = Target::of(&options.url)?;
    let transport = timeout(options.connect_timeout, open(&options, &target));
    let transport = transport
        .await
        .map_err(|_elapsed| DialError::Timeout(target.address.clone()))??;
    let transport: Box<dyn Transport> = Box::new(transport);
    let upgrade = client_async_with_config(request(&options)?, transport, Some(config()));
    match timeout(options.upgrade_timeout, upgrade).await {
        Ok(Ok((socket, response))) => Ok(Dialed {
            stream: ByteStream::over(socket),
            clock_offset: clock_offset(response.headers()),
            headers: response.into_parts().0.headers,
        }),
        Ok(Err(Error::Http(response))) => Err(refused(&response)),
        Ok(Err(error)) => Err(DialError::Upgrade(error.to_string())),
        Err(_elapsed) => Err(DialError::Timeout(target.address)),
    }
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

fn request(options: &DialOptions) -> Result<Request<()>, DialError> {
    let invalid = || DialError::Url(options.url.clone());
    let host = options.url.authority().ok_or_else(invalid)?.as_str();
    let mut request = Request::get(options.url.clone())
        .header(header::HOST, host)
        .header(header::CONNECTION, "Upgrade")
        .header(header::UPGRADE, "websocket")
        .header(header::SEC_WEBSOCKET_VERSION, "13")
        .header(header::SEC_WEBSOCKET_KEY, generate_key())
        .header(header::SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL)
        .header(header::AUTHORIZATION, options.authorization.clone())
        .body(())
        .map_err(|_error| invalid())?;
    request.headers_mut().extend(options.headers.clone());
    Ok(request)
}

fn refused(response: &Response<Option<Vec<u8>>>) -> DialError {
    let headers = response.headers();
    let text = response
        .body()
        .as_deref()
        .map(String::from_utf8_lossy)
        .unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    let message = line
        .chars()
        .filter(|character| !character.is_control())
        .take(MESSAGE_CHARACTERS)
        .collect();
    let seconds = headers
        .get(header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    let refusal = Refusal {
        status: response.status(),
        retry_after: seconds.map(|seconds| Duration::from_secs(seconds).min(LONGEST_WAIT)),
        message,
    };
    DialError::Refused {
        refusal,
        clock_offset: clock_offset(headers),
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
mod tests {
    use super::*;

    #[test]
    fn only_wss_without_query_and_credentials_is_dialled() {
        let address = |text: &str| {
            Target::of(&text.parse().unwrap())
                .map(|target| target.address)
                .ok()
        };
        assert_eq!(
            address("wss://tunnel.example/tunnel/v1").as_deref(),
            Some("tunnel.example:443")
        );
        assert_eq!(
            address("wss://[::1]:7443/tunnel/v1").as_deref(),
            Some("[::1]:7443")
        );
        for text in [
            "ws://tunnel.example/",
            "https://tunnel.example/",
            "wss://me@tunnel.example/",
            "wss://t.example/?token=1",
        ] {
            assert_eq!(address(text), None, "{text}");
        }
    }

    #[test]
    fn the_clock_offset_comes_from_the_date() {
        let mut headers = HeaderMap::new();
        assert_eq!(clock_offset(&headers), None);
        headers.insert(
            header::DATE,
            HeaderValue::from_static("Thu, 01 Jan 1970 00:00:00 GMT"),
        );
        assert!(clock_offset(&headers).unwrap() < SignedDuration::from_hours(-24 * 365 * 50));
    }
}
