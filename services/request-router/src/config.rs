//! The router's flags.

mod runtime_url;

use std::{fmt, path::PathBuf, str::FromStr};

use causeway_client::{PlatformPeerArgs, ProxyArgs, RuntimeArgs};
use causeway_proto::ids::PartName;
use causeway_shell::TlsArgs;
use http::{
    Uri,
    uri::{Authority, Scheme},
};
use ipnet::IpNet;

use crate::limits::LimitArgs;

pub use runtime_url::{RuntimeUrlArg, RuntimeUrlArgError};

/// What the router needs to know.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Where this router stands: in front of the platform's parts or of a runtime's
    #[arg(
        long,
        env = "CAUSEWAY_SIDE",
        value_name = "SIDE",
        default_value = "platform"
    )]
    pub side: Side,

    /// Where a part listens, for example inventory=http://127.0.0.1:7403; once for each part
    #[arg(
        long = "upstream",
        env = "CAUSEWAY_UPSTREAMS",
        value_name = "PART=URL",
        value_delimiter = ','
    )]
    pub upstreams: Vec<UpstreamArg>,

    /// PEM file with the certificates that vouch for https upstreams; without it those of the system
    #[arg(long, env = "CAUSEWAY_UPSTREAM_CA", value_name = "FILE")]
    pub upstream_ca: Option<PathBuf>,

    /// Where the router of a runtime is reached by ingress instead of by the tunnel, for example 4f9c…=https://east.example.com; once for each runtime, by the id that 'causeway runtime list -o wide' shows
    #[arg(
        long = "runtime-url",
        env = "CAUSEWAY_RUNTIME_URLS",
        value_name = "ID=URL",
        value_delimiter = ','
    )]
    pub runtime_urls: Vec<RuntimeUrlArg>,

    /// PEM file with the certificates that vouch for runtimes that are reached by ingress; without it those of the system
    #[arg(long, env = "CAUSEWAY_RUNTIME_CA", value_name = "FILE")]
    pub runtime_ca: Option<PathBuf>,

    /// The address of the part `platform`, to ask for assertions; needed on the platform side
    #[arg(
        long,
        env = "CAUSEWAY_PLATFORM_URL",
        value_name = "URL",
        requires = "own_key"
    )]
    pub platform_url: Option<String>,

    /// The file with this part's own key and certificate, made by 'causeway key issue'; read again when it changes
    #[arg(
        long,
        env = "CAUSEWAY_PART_KEY",
        value_name = "FILE",
        group = "own_key"
    )]
    pub part_key: Option<PathBuf>,

    /// The file with the platform's key for its parts (keys/parts.pem of the part `platform`), by which this process certifies its own part
    #[arg(
        long,
        env = "CAUSEWAY_PART_ISSUER_KEY",
        value_name = "FILE",
        group = "own_key"
    )]
    pub part_issuer_key: Option<PathBuf>,

    /// The folder with the runtime's keys; with it a runtime's router tells the platform that it is there
    #[arg(long, env = "CAUSEWAY_RUNTIME_FOLDER", value_name = "FOLDER")]
    pub runtime_folder: Option<PathBuf>,

    /// Where browsers find this port, for example https://causeway.example.com; needed for sign-in by a browser that is not on this machine
    #[arg(long, env = "CAUSEWAY_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<PublicUrl>,

    /// Networks of proxies whose header x-forwarded-for is trusted, for example 10.0.0.0/8
    #[arg(
        long,
        env = "CAUSEWAY_TRUSTED_PROXIES",
        value_name = "NETWORK",
        value_delimiter = ','
    )]
    pub trusted_proxies: Vec<IpNet>,

    /// Origins whose pages may call with a credential of their own, for example https://tools.example.com; no others may
    #[arg(
        long = "cors-origin",
        env = "CAUSEWAY_CORS_ORIGINS",
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    pub cors_origins: Vec<Origin>,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub proxy: ProxyArgs,

    #[command(flatten)]
    pub tls: TlsArgs,
}

impl Args {
    /// How to reach the part `platform`, where it is said.
    pub(crate) fn platform(&self) -> Option<PlatformPeerArgs> {
        let (part_key, part_issuer_key) = (self.part_key.clone(), self.part_issuer_key.clone());
        part_key.as_ref().or(part_issuer_key.as_ref())?;
        Some(PlatformPeerArgs {
            platform_url: self.platform_url.clone()?,
            part_key,
            part_issuer_key,
        })
    }

    /// Whose router this is, where it is said.
    pub(crate) fn runtime(&self) -> Option<RuntimeArgs> {
        let runtime_folder = self.runtime_folder.clone()?;
        let part_key = self.part_key.clone();
        Some(RuntimeArgs {
            runtime_folder,
            part_key,
            proxy: self.proxy.clone(),
        })
    }
}

/// Where a router stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub enum Side {
    /// Changes API keys into assertions and routes to the platform's parts and to runtimes
    Platform,
    /// Carries assertions to the parts of one runtime
    Runtime,
}

/// A part and where it listens.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UpstreamArg {
    pub part: PartName,
    pub url: UpstreamUrl,
}

/// `http://host:port` or `https://host:port`, and nothing else.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UpstreamUrl {
    scheme: Scheme,
    authority: Authority,
}

/// `https://host`, with a port where it is not the usual one; `http` on loopback only.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PublicUrl(UpstreamUrl);

/// Whose pages a browser shows: `https://host` or `http://host`, with a port where it is not the usual one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Origin(String);

/// A text that is no origin.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "'{0}' is not one origin: write for example https://tools.example.com, with no path and no star"
)]
pub struct OriginError(String);

impl Origin {
    /// As browsers send it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let url = UpstreamUrl::parse(text).and_then(UpstreamUrl::normalized);
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._[]:".contains(&byte);
        let one = |url: &UpstreamUrl| url.authority.as_str().bytes().all(plain);
        url.filter(one)
            .map(|url| Self(url.to_string()))
            .ok_or_else(|| OriginError(text.to_owned()))
    }
}

/// True if a browser that goes there stays on its machine.
pub(crate) fn is_loopback(authority: &Authority) -> bool {
    matches!(authority.host(), "localhost" | "127.0.0.1" | "[::1]")
}

/// A text that is no public address.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("'{0}' is not https://HOST: write for example https://causeway.example.com, with no path")]
pub struct PublicUrlError(String);

impl PublicUrl {
    pub fn is_secure(&self) -> bool {
        self.0.is_secure()
    }
}

impl FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(text: &str) -> Result<Self, PublicUrlError> {
        let url = UpstreamUrl::parse(text).and_then(UpstreamUrl::normalized);
        let safe = |url: &UpstreamUrl| url.is_secure() || is_loopback(&url.authority);
        let url = url.filter(safe);
        url.map(Self).ok_or_else(|| PublicUrlError(text.to_owned()))
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A text that is no upstream.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "'{0}' is not PART=URL: write for example inventory=http://127.0.0.1:7403, with http or https and no path"
)]
pub struct UpstreamArgError(String);

impl FromStr for UpstreamArg {
    type Err = UpstreamArgError;

    fn from_str(text: &str) -> Result<Self, UpstreamArgError> {
        let error = || UpstreamArgError(text.to_owned());
        let (part, url) = text.split_once('=').ok_or_else(error)?;
        let part = part.parse().map_err(|_| error())?;
        let url = UpstreamUrl::parse(url).ok_or_else(error)?;
        Ok(Self { part, url })
    }
}

impl UpstreamUrl {
    /// Takes the text of a URL.
    pub fn parse(text: &str) -> Option<Self> {
        let parts = text.parse::<Uri>().ok()?.into_parts();
        let path = parts
            .path_and_query
            .map_or(String::new(), |path| path.to_string());
        let scheme = parts.scheme?;
        let authority = parts.authority?;
        let known = scheme == Scheme::HTTP || scheme == Scheme::HTTPS;
        let plain = matches!(path.as_str(), "" | "/") && !authority.as_str().contains('@');
        (known && plain).then_some(Self { scheme, authority })
    }

    pub fn is_secure(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }

    /// In lower case, and without the port that its scheme has anyway.
    fn normalized(self) -> Option<Self> {
        let host = self.authority.host().to_ascii_lowercase();
        let usual = if self.is_secure() { 443 } else { 80 };
        let text = match self.authority.port_u16() {
            Some(port) if port != usual => format!("{host}:{port}"),
            _ => host,
        };
        let authority = text.parse().ok()?;
        Some(Self { authority, ..self })
    }

    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Host and port to dial.
    pub fn address(&self) -> (String, u16) {
        let host = self.authority.host();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let default = if self.is_secure() { 443 } else { 80 };
        (
            host.to_owned(),
            self.authority.port_u16().unwrap_or(default),
        )
    }
}

impl fmt::Display for UpstreamUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}", self.scheme, self.authority)
    }
}

#[cfg(test)]
mod tests;
