//! How a provider is reached: its API URL, the certificates that are accepted, and the priority of requests.

use std::{net::IpAddr, sync::Arc};

use reqwest::{Certificate, Url};

use crate::{
    Priority, ProviderError,
    address::{CheckedResolver, is_allowed_address},
};

pub(crate) const REFUSED: &str = "leads to a loopback, link-local or metadata address";

/// Whether plain HTTP is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Http {
    Refused,
    /// For tests and sandboxes; only to a loopback address.
    Loopback,
}

/// Base URL of an API, which every request stays below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiUrl(pub(crate) Url, Http);

/// Where and how a provider is called.
#[derive(Debug, Clone)]
pub struct Connection {
    pub url: ApiUrl,
    pub priority: Priority,
    /// PEM bundle that replaces the system's certificates.
    pub ca: Option<Vec<u8>>,
}

impl ApiUrl {
    /// Parses `https://host[:port][/path]`.
    pub fn parse(text: &str, http: Http) -> Result<Self, ProviderError> {
        let url: Url = text
            .parse()
            .map_err(|_| ProviderError::InvalidUrl("is no URL, as in https://git.example.com"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ProviderError::InvalidUrl(
                "has a user or a password: store it as the credential",
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(ProviderError::InvalidUrl("has a query or a fragment"));
        }
        // A name is checked where it is looked up.
        let host = url.host_str().unwrap_or_default();
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        if address.is_ok_and(|address| !is_allowed_address(address, http)) {
            return Err(ProviderError::InvalidUrl(REFUSED));
        }
        let is_loopback = ["127.0.0.1", "[::1]", "localhost"].contains(&host);
        match url.scheme() {
            "https" => Ok(Self(url, http)),
            "http" if http == Http::Loopback && is_loopback => Ok(Self(url, http)),
            _ => Err(ProviderError::InvalidUrl("needs https://")),
        }
    }

    /// Resolves names by the rules for addresses.
    pub(crate) fn resolver(&self) -> Arc<CheckedResolver> {
        Arc::new(CheckedResolver(self.1))
    }

    /// Host and port, as errors name it.
    #[must_use]
    pub fn host(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        self.0
            .port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}

impl Connection {
    pub(crate) fn certificates(&self) -> Result<Option<Vec<Certificate>>, ProviderError> {
        let unusable = |_| ProviderError::InvalidUrl("has a certificate bundle that is no PEM");
        self.ca
            .as_deref()
            .map(|pem| Certificate::from_pem_bundle(pem).map_err(unusable))
            .transpose()
    }
}
