//! Where a call comes from: its peer's address or, behind proxies that the operator names, what the nearest of them saw.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::{Arc, OnceLock},
};

use http::{HeaderMap, HeaderName};
use ipnet::IpNet;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Proxies in a row; what is further away is not looked at.
const MOST_PROXIES: usize = 16;

/// Where a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Whoever is at the other end of the connection.
    Peer(SocketAddr),
    /// Whoever was at the other end of a trusted proxy's connection, which does not tell ports.
    Behind(IpAddr),
}

/// The proxies whose word counts; anybody else's `x-forwarded-for` does not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proxies {
    networks: Vec<IpNet>,
    /// Whether it was told that somebody else's word does not count.
    warned: Arc<OnceLock<()>>,
}

impl Proxies {
    pub(crate) fn new(networks: Vec<IpNet>) -> Self {
        let warned = Arc::default();
        Self { networks, warned }
    }

    /// The nearest address that is no trusted proxy. Where a proxy wrote no address, it is the proxy itself.
    pub(crate) fn source(&self, peer: SocketAddr, headers: &HeaderMap) -> Source {
        let mut source = Source::Peer(peer);
        let lines = headers.get_all(FORWARDED_FOR).iter();
        // What a stranger wrote before it must not hide what a proxy appended.
        let told: Vec<_> = lines
            .map(|line| String::from_utf8_lossy(line.as_bytes()))
            .collect();
        let told = told.iter().rev().flat_map(|line| line.rsplit(','));
        for text in told.take(MOST_PROXIES) {
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

    /// Behind a proxy that no flag names, all of its clients have one address: what one of them fails at, all of them pay for.
    fn warn(&self, peer: SocketAddr) {
        if self.warned.set(()).is_ok() {
            tracing::warn!(%peer, "x-forwarded-for comes from an address that --trusted-proxies does not name, so it does not count; if it is a proxy of yours, name its network there");
        }
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.networks
            .iter()
            .any(|network| network.contains(&address))
    }
}

impl Source {
    /// An old address in the form of a new one is the old one.
    fn address(self) -> IpAddr {
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

/// An address, as some proxies write it with a port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    let with_port = || text.parse().map(|address: SocketAddr| address.ip());
    let parsed = bare.parse().or_else(|_| with_port());
    parsed.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests;
