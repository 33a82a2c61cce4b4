//! Source address of a call: the peer, or the client address that trusted proxies report in `x-forwarded-for`.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::{Arc, OnceLock},
};

use http::{HeaderMap, HeaderName};
use ipnet::IpNet;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Longest chain of proxies that is evaluated.
const MAX_PROXIES: usize = 16;

/// Source address of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Peer of the connection.
    Peer(SocketAddr),
    /// Client of a trusted proxy, without a port.
    Behind(IpAddr),
}

/// Proxies whose `x-forwarded-for` is trusted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proxies {
    networks: Vec<IpNet>,
    /// The warning about an untrusted header was logged.
    warned: Arc<OnceLock<()>>,
}

impl Proxies {
    pub(crate) fn new(networks: Vec<IpNet>) -> Self {
        let warned = Arc::default();
        Self { networks, warned }
    }

    /// Nearest address that is not a trusted proxy. Falls back to the proxy if it wrote no address.
    pub(crate) fn source(&self, peer: SocketAddr, headers: &HeaderMap) -> Source {
        let mut source = Source::Peer(peer);
        let lines = headers.get_all(FORWARDED_FOR).iter();
        // Proxies append, so only the end of the header is trustworthy: read from the right, and tolerate invalid text
        // that a client wrote before it.
        let addresses: Vec<_> = lines
            .map(|line| String::from_utf8_lossy(line.as_bytes()))
            .collect();
        let addresses = addresses.iter().rev().flat_map(|line| line.rsplit(','));
        for text in addresses.take(MAX_PROXIES) {
            if !self.trusts(source.address()) {
                if let Source::Peer(peer) = source {
                    self.warn(peer);
                }
                break;
            }
            let Some(address) = address(text) else {
                break;
            };
            source = Source::Behind(address);
        }
        source
    }

    /// Warns once: clients of an unlisted proxy share one address, and so one rate limit.
    fn warn(&self, peer: SocketAddr) {
        if self.warned.set(()).is_ok() {
            tracing::warn!(%peer, "x-forwarded-for comes from an address that --trusted-proxies does not name, so it does not count; if it is a proxy of yours, name its network there");
        }
    }

    /// True for the address of a trusted proxy, which stands for many clients.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.networks
            .iter()
            .any(|network| network.contains(&address))
    }
}

impl Source {
    /// Address with IPv4-mapped IPv6 converted to IPv4.
    pub(crate) fn address(self) -> IpAddr {
        match self {
            Self::Peer(peer) => peer.ip().to_canonical(),
            Self::Behind(address) => address,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(peer) => peer.fmt(text),
            Self::Behind(address) => address.fmt(text),
        }
    }
}

/// Parses an address, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    let with_port = || text.parse().map(|address: SocketAddr| address.ip());
    let parsed = bare.parse().or_else(|_| with_port());
    parsed.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests;
