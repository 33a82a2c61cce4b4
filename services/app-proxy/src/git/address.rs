//! The address of a host, looked up once, checked, and used for the connection.

use std::net::IpAddr;

use causeway_git::RemoteUrl;
use causeway_git_provider::{Http, is_allowed_address};
use tokio::net::lookup_host;

use super::RepositoryError;

/// Resolves the host of a repository by the rules for addresses.
pub(super) async fn resolve(url: &RemoteUrl, http: Http) -> Result<IpAddr, RepositoryError> {
    let (host, port) = url.host_and_port();
    let port = port.parse().unwrap_or_default();
    let host = host.trim_matches(['[', ']']);
    let unknown = |_| RepositoryError::HostUnknown(host.to_owned());
    let found: Vec<_> = lookup_host((host, port)).await.map_err(unknown)?.collect();
    let mut allowed = found.iter().map(|found| found.ip());
    let allowed = allowed.find(|address| is_allowed_address(*address, http));
    allowed.ok_or_else(|| RepositoryError::HostAddress(host.to_owned()))
}

#[cfg(test)]
mod tests;
