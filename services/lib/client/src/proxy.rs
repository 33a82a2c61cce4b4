//! HTTP proxy settings from flags or the standard environment variables.

use std::fmt;

use http::Uri;
use hyper_util::client::{
    legacy::connect::{HttpConnector, proxy::Tunnel},
    proxy::matcher::Matcher,
};

/// Settings of outgoing connections.
#[derive(clap::Args, Clone, Default)]
pub struct ProxyArgs {
    /// HTTP proxy for outgoing connections: http://[USER:PASSWORD@]HOST:PORT
    #[arg(
        long,
        env = "HTTPS_PROXY",
        value_name = "URL",
        hide_env_values = true,
        value_parser = proxy
    )]
    pub https_proxy: Option<String>,
    /// Destinations without the proxy: hosts, domains with their subdomains, addresses and networks, separated by commas
    #[arg(long, env = "NO_PROXY", value_name = "HOSTS")]
    pub no_proxy: Option<String>,
}

impl fmt::Debug for ProxyArgs {
    /// Omits the URL, which may contain a password.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = formatter.debug_struct("ProxyArgs");
        text.field("no_proxy", &self.no_proxy)
            .finish_non_exhaustive()
    }
}

impl ProxyArgs {
    /// Returns true if the proxy is used for this TLS address.
    #[must_use]
    pub fn applies_to(&self, uri: &Uri) -> bool {
        self.to(uri).is_some()
    }

    /// Returns the connector of the proxy for an address; none for a direct connection.
    pub(crate) fn to(&self, uri: &Uri) -> Option<Tunnel<HttpConnector>> {
        let proxy = self.https_proxy.as_deref()?;
        let no = self.no_proxy.as_deref().unwrap_or_default();
        let matcher = Matcher::builder().https(proxy).no(no).build();
        let way = matcher.intercept(uri)?;
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let tunnel = Tunnel::new(way.uri().clone(), connector);
        Some(match way.basic_auth() {
            Some(credentials) => tunnel.with_auth(credentials.clone()),
            None => tunnel,
        })
    }
}

fn proxy(text: &str) -> Result<String, &'static str> {
    let uri: Option<Uri> = text.parse().ok();
    let plain = |uri: &Uri| matches!(uri.scheme_str(), None | Some("http")) && uri.host().is_some();
    if uri.as_ref().is_some_and(plain) {
        Ok(text.to_owned())
    } else {
        Err("write http://[user:password@]host:port")
    }
}

#[cfg(test)]
mod tests;
