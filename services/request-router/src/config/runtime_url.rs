//! A runtime that is reached by ingress: its id and where its router listens.

use std::str::FromStr;

use causeway_proto::ids::RuntimeId;

use super::{UpstreamUrl, is_loopback};

/// A runtime, and `https://host:port` of its router; `http` on loopback only.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RuntimeUrlArg {
    pub runtime: RuntimeId,
    pub url: UpstreamUrl,
}

/// A text that names no runtime with its address.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "'{0}' is not ID=https://HOST: write for example 4f9c…=https://east.example.com, with the id that 'causeway runtime list -o wide' shows and no path"
)]
pub struct RuntimeUrlArgError(String);

impl FromStr for RuntimeUrlArg {
    type Err = RuntimeUrlArgError;

    fn from_str(text: &str) -> Result<Self, RuntimeUrlArgError> {
        let error = || RuntimeUrlArgError(text.to_owned());
        let (runtime, url) = text.split_once('=').ok_or_else(error)?;
        let runtime = runtime.parse().map_err(|_| error())?;
        let safe = |url: &UpstreamUrl| url.is_secure() || is_loopback(url.authority());
        let url = UpstreamUrl::parse(url).filter(safe).ok_or_else(error)?;
        Ok(Self { runtime, url })
    }
}
