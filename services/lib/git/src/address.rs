//! The grammar of repository URLs. Git sees no other ones.

use std::fmt;

use crate::GitError;

const MAX_BYTES: usize = 2048;

/// Whether plain HTTP is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Http {
    Refused,
    /// For tests and sandboxes; only to a loopback address.
    Loopback,
}

/// The URL of a repository: HTTPS, SSH, or HTTP to loopback.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RemoteUrl {
    text: String,
    scheme: Scheme,
    authority: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Scheme {
    Https,
    Http,
    Ssh,
}

impl RemoteUrl {
    /// Parses `https://host[:port]/path` or `ssh://user@host[:port]/path`.
    pub fn parse(text: &str, http: Http) -> Result<Self, GitError> {
        let (scheme, rest) = split_scheme(text).map_err(GitError::InvalidUrl)?;
        let (authority, path) = rest
            .split_once('/')
            .ok_or(GitError::InvalidUrl("has no path"))?;
        check_path(path).map_err(GitError::InvalidUrl)?;
        let host = match scheme {
            Scheme::Ssh => ssh_host(authority).map_err(GitError::InvalidUrl)?,
            Scheme::Https | Scheme::Http => authority,
        };
        check_host(host).map_err(GitError::InvalidUrl)?;
        if scheme == Scheme::Http && (http == Http::Refused || !is_loopback(host)) {
            return Err(GitError::InvalidUrl("needs https://"));
        }
        Ok(Self {
            text: text.to_owned(),
            scheme,
            authority: authority.to_owned(),
        })
    }

    pub(crate) fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host and the port, also where the URL has none.
    #[must_use]
    pub fn host_and_port(&self) -> (&str, &str) {
        let authority = self.authority.rsplit('@').next().unwrap_or_default();
        let (host, port) = split_port(authority);
        let default = match self.scheme {
            Scheme::Https => "443",
            Scheme::Http => "80",
            Scheme::Ssh => "22",
        };
        (host, port.unwrap_or(default))
    }

    /// Scheme and authority, the scope of a credential.
    pub(crate) fn origin(&self) -> String {
        format!("{}://{}/", self.scheme, self.authority)
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Https => "https",
            Self::Http => "http",
            Self::Ssh => "ssh",
        })
    }
}

fn split_scheme(text: &str) -> Result<(Scheme, &str), &'static str> {
    let is_plain = |c: char| c.is_ascii_graphic() && !"\\\"'`<>{}|^?#".contains(c);
    if text.len() > MAX_BYTES || !text.chars().all(is_plain) {
        return Err("has a query, a fragment, blanks or control characters, or over 2048 bytes");
    }
    let schemes = [
        ("https://", Scheme::Https),
        ("http://", Scheme::Http),
        ("ssh://", Scheme::Ssh),
    ];
    let found = schemes
        .iter()
        .find_map(|(prefix, scheme)| Some((*scheme, text.strip_prefix(prefix)?)));
    found.ok_or("needs https:// or ssh://")
}

fn check_path(path: &str) -> Result<(), &'static str> {
    let is_odd =
        |part: &str| part.is_empty() || part == "." || part == ".." || part.starts_with('-');
    let path = path.strip_suffix('/').unwrap_or(path);
    if path.contains('%') || path.split('/').any(is_odd) {
        return Err("has an empty, escaped or relative path segment");
    }
    Ok(())
}

fn ssh_host(authority: &str) -> Result<&str, &'static str> {
    let (user, host) = authority
        .split_once('@')
        .ok_or("needs a user name, as in ssh://git@host/path")?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if user.is_empty() || user.starts_with('-') || !user.chars().all(is_name) {
        return Err("has an invalid user name");
    }
    Ok(host)
}

/// A user or a password in the URL has an `@`, which no host has.
fn check_host(authority: &str) -> Result<(), &'static str> {
    let (host, port) = split_port(authority);
    let is_host = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
    let is_ipv6 = host.starts_with('[') && host.ends_with(']');
    if authority.contains('@') {
        return Err("has a user or a password: store it as the credential");
    }
    if host.is_empty() || host.starts_with(['-', '.']) || !host.chars().all(is_host) {
        return Err("has an invalid host");
    }
    if !is_ipv6 && host.contains([':', '[', ']']) {
        return Err("has an invalid host");
    }
    match port.map(str::parse::<u16>) {
        None | Some(Ok(1..)) => Ok(()),
        Some(Ok(0) | Err(_)) => Err("has an invalid port"),
    }
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

fn is_loopback(authority: &str) -> bool {
    ["127.0.0.1", "[::1]", "localhost"].contains(&split_port(authority).0)
}
