//! Addresses of the server over time, so that repository URLs stay valid after a restart.

use std::{
    fs, io,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
};

const REMEMBERED: usize = 16;

/// Addresses of this server, the present one last.
#[derive(Debug)]
pub(super) struct Addresses {
    file: PathBuf,
    known: Vec<SocketAddr>,
}

impl Addresses {
    pub(super) fn load(folder: &Path) -> Self {
        let file = folder.join("addresses");
        let text = fs::read_to_string(&file).unwrap_or_default();
        let known = text.lines().filter_map(|line| line.parse().ok()).collect();
        Self { file, known }
    }

    /// The address of the last run, when the same host is asked for with any port.
    pub(super) fn last(&self, listen: SocketAddr) -> Option<SocketAddr> {
        let same = |address: &&SocketAddr| listen.port() == 0 && address.ip() == listen.ip();
        self.known.last().filter(same).copied()
    }

    pub(super) fn remember(&mut self, address: SocketAddr) -> io::Result<()> {
        self.known.retain(|known| *known != address);
        self.known.push(address);
        let first = self.known.len().saturating_sub(REMEMBERED);
        self.known.drain(..first);
        let lines: String = self
            .known
            .iter()
            .map(|known| format!("{known}\n"))
            .collect();
        fs::write(&self.file, lines)
    }

    /// The repository's name when `url` points at this server, now or before a restart.
    pub(super) fn name_in<'a>(&self, url: &'a str) -> Option<&'a str> {
        let (authority, path) = url.strip_prefix("http://")?.split_once('/')?;
        let (host, port) = authority.rsplit_once(':')?;
        let port: u16 = port.parse().ok()?;
        let ours = self
            .known
            .iter()
            .any(|known| known.port() == port && is_host(host, known.ip()));
        let name = path.trim_end_matches('/');
        ours.then(|| name.strip_suffix(".git").unwrap_or(name))
    }
}

fn is_host(host: &str, ip: IpAddr) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let asked: Option<IpAddr> = host.parse().ok();
    let loopback = host == "localhost" || asked.is_some_and(|asked| asked.is_loopback());
    asked == Some(ip)
        || (loopback && ip.is_unspecified())
        || (host == "localhost" && ip.is_loopback())
}

#[cfg(test)]
mod tests;
