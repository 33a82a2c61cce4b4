//! The addresses that a Git host may have.
//!
//! Never: the services of a cloud that hand out credentials of the machine, whatever a name leads to.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::{Http, connection::REFUSED};

/// Services for the machines of Azure, Oracle and Alibaba; those of the other clouds are link-local.
const METADATA_V4: [Ipv4Addr; 3] = [
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(100, 100, 100, 200),
];
/// The service for the machines of AWS.
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254);

/// A host has only addresses that no Git host may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedAddress;

impl fmt::Display for RefusedAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REFUSED)
    }
}

impl std::error::Error for RefusedAddress {}

/// False for loopback, link-local and metadata addresses. Loopback is for tests and sandboxes.
#[must_use]
pub fn is_allowed_address(address: IpAddr, http: Http) -> bool {
    let address = address.to_canonical();
    if address.is_loopback() {
        return http == Http::Loopback;
    }
    let is_refused = match address {
        IpAddr::V4(it) => it.is_link_local() || it.is_broadcast() || METADATA_V4.contains(&it),
        IpAddr::V6(it) => it.is_unicast_link_local() || it == METADATA_V6,
    };
    !is_refused && !address.is_unspecified() && !address.is_multicast()
}

/// Looks names up and drops refused addresses, at each connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckedResolver(pub(crate) Http);

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let http = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let is_allowed = |found: &SocketAddr| is_allowed_address(found.ip(), http);
            let allowed: Vec<SocketAddr> = found.filter(is_allowed).collect();
            if allowed.is_empty() {
                return Err(RefusedAddress.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests;
