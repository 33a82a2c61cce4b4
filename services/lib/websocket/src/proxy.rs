//! An outgoing HTTP proxy: one CONNECT, then the bytes are the peer's.

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Uri;
use http::uri::Scheme;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const ANSWER_BYTES: usize = 8 * 1024;

/// An HTTP proxy, as people write it in `HTTPS_PROXY`: `http://[user:password@]host:port`.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    address: String,
    credentials: Option<String>,
}

/// What is wrong with a proxy or its answer.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    #[error("the proxy must be written http://[user:password@]host:port")]
    Address,
    #[error("the proxy answered {0} to CONNECT")]
    Refused(u16),
    #[error("the proxy's answer is not HTTP")]
    Answer,
    #[error("the proxy cannot be reached")]
    Io(#[from] std::io::Error),
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Proxy({})", self.address)
    }
}

impl FromStr for Proxy {
    type Err = ProxyError;

    fn from_str(text: &str) -> Result<Self, ProxyError> {
        let uri = Uri::from_str(text).map_err(|_invalid| ProxyError::Address)?;
        if uri.scheme().is_some_and(|scheme| *scheme != Scheme::HTTP) {
            return Err(ProxyError::Address);
        }
        let authority = uri.authority().ok_or(ProxyError::Address)?;
        let credentials = authority
            .as_str()
            .rsplit_once('@')
            .map(|(user, _host)| user.to_owned());
        let address = format!(
            "{}:{}",
            authority.host(),
            authority.port_u16().unwrap_or(80)
        );
        Ok(Self {
            address,
            credentials,
        })
    }
}

impl Proxy {
    /// A connection to `target` (`host:port`) through the proxy.
    pub(crate) async fn connect(&self, target: &str) -> Result<TcpStream, ProxyError> {
        let mut stream = TcpStream::connect(&self.address).await?;
        stream.set_nodelay(true)?;
        let authorization = self
            .credentials
            .as_ref()
            .map_or_else(String::new, |credentials| {
                format!(
                    "Proxy-Authorization: Basic {}\r\n",
                    STANDARD.encode(credentials)
                )
            });
        let head = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{authorization}\r\n");
        stream.write_all(head.as_bytes()).await?;
        match answer(&mut stream).await? {
            200..=299 => Ok(stream),
            status => Err(ProxyError::Refused(status)),
        }
    }
}

/// Byte by byte, so that nothing of what follows the head is taken.
async fn answer(stream: &mut TcpStream) -> Result<u16, ProxyError> {
    let mut head = Vec::with_capacity(256);
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() >= ANSWER_BYTES {
            return Err(ProxyError::Answer);
        }
        head.push(stream.read_u8().await?);
    }
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = std::str::from_utf8(line).map_err(|_invalid| ProxyError::Answer)?;
    let mut words = line.split(' ');
    let version = words.next().unwrap_or_default();
    let status = words.next().and_then(|word| word.parse().ok());
    status
        .filter(|_| version.starts_with("HTTP/1."))
        .ok_or(ProxyError::Answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_read_with_and_without_credentials() {
        let plain: Proxy = "http://proxy.example:3128".parse().unwrap();
        assert_eq!(
            plain,
            Proxy {
                address: "proxy.example:3128".to_owned(),
                credentials: None
            }
        );
        let known: Proxy = "http://me:secret@proxy.example".parse().unwrap();
        assert_eq!(known.address, "proxy.example:80");
        assert_eq!(known.credentials.as_deref(), Some("me:secret"));
        assert!(!format!("{known:?}").contains("secret"));
    }

    #[test]
    fn a_proxy_that_is_not_plain_http_is_refused() {
        for text in [
            "https://proxy:3128",
            "socks5://proxy:1080",
            "http://",
            "",
            "a b",
        ] {
            assert!(text.parse::<Proxy>().is_err(), "{text}");
        }
    }
}
