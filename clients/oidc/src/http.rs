//! Calls to a provider: bounded in time and bytes, never redirected, encrypted unless on loopback.

use std::time::Duration;

use bytes::BytesMut;
use reqwest::{Certificate, Client, RequestBuilder, StatusCode, Url, redirect::Policy};
use serde::de::DeserializeOwned;

use crate::ProviderError;

const CONNECT: Duration = Duration::from_secs(5);
const CALL: Duration = Duration::from_secs(10);
/// The largest answer that is read, in bytes.
const LARGEST: usize = 256 << 10;

/// A client for one provider.
#[derive(Debug, Clone)]
pub(crate) struct Http {
    client: Client,
    issuer: String,
}

/// An answer of a few bytes.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    body: BytesMut,
}

/// Whether what is sent there can be read by nobody else.
pub(crate) fn is_safe(url: &Url) -> bool {
    let loopback = match url.host_str() {
        Some("localhost" | "[::1]") => true,
        Some(host) => host
            .parse::<std::net::Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback()),
        None => false,
    };
    url.scheme() == "https" || (url.scheme() == "http" && loopback)
}

impl Http {
    pub(crate) fn new(issuer: &str, ca: Option<&[u8]>) -> Result<Self, ProviderError> {
        let unusable = |error: reqwest::Error| ProviderError::Certificates(cause(&error));
        let mut builder = Client::builder()
            .connect_timeout(CONNECT)
            .timeout(CALL)
            .redirect(Policy::none());
        if let Some(pem) = ca {
            let certificates = Certificate::from_pem_bundle(pem).map_err(unusable)?;
            builder = builder.tls_certs_merge(certificates);
        }
        let client = builder.build().map_err(unusable)?;
        let issuer = issuer.to_owned();
        Ok(Self { client, issuer })
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Gets a JSON document.
    pub(crate) async fn get<T: DeserializeOwned>(&self, url: &Url) -> Result<T, ProviderError> {
        let answer = self.send(self.client.get(url.clone())).await?;
        match answer.status {
            StatusCode::OK => self.read(&answer),
            status => Err(self.malformed(format!("{} for {}", status, url.path()))),
        }
    }

    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Answer, ProviderError> {
        let lost = |error: reqwest::Error| ProviderError::Unavailable {
            issuer: self.issuer.clone(),
            cause: cause(&error),
        };
        let mut response = request.send().await.map_err(lost)?;
        let (status, mut body) = (response.status(), BytesMut::new());
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            if body.len() + chunk.len() > LARGEST {
                return Err(self.malformed(format!("more than {} KiB", LARGEST >> 10)));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Answer { status, body })
    }

    /// The document of an answer. What does not parse is not shown: it may hold secrets.
    pub(crate) fn read<T: DeserializeOwned>(&self, answer: &Answer) -> Result<T, ProviderError> {
        let read = serde_json::from_slice(&answer.body);
        read.map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            self.malformed(format!("no JSON of the expected form, {place}"))
        })
    }

    pub(crate) fn malformed(&self, cause: impl Into<String>) -> ProviderError {
        ProviderError::Malformed {
            issuer: self.issuer.clone(),
            cause: cause.into(),
        }
    }
}

/// The deepest cause, which names the fault; the outer ones repeat the URL.
fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} s", CALL.as_secs());
    }
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn only_encrypted_or_local_addresses_are_safe() {
        let safe = |text: &str| is_safe(&text.parse().unwrap());
        for text in [
            "https://dex.example.com",
            "http://127.0.0.1:1/dex",
            "http://localhost",
            "http://[::1]:5556",
        ] {
            assert!(safe(text), "{text}");
        }
        for text in [
            "http://dex.example.com",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "ftp://localhost",
            "http://128.0.0.1",
        ] {
            assert!(!safe(text), "{text}");
        }
    }
}
