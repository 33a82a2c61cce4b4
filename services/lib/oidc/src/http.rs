//! Calls to a provider: bounded in time and bytes, never redirected, encrypted unless on loopback.

use std::{
    net::{IpAddr, Ipv6Addr},
    time::Duration,
};

use bytes::BytesMut;
use reqwest::{
    Certificate, Client, RequestBuilder, StatusCode, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect::Policy,
};
use serde::de::DeserializeOwned;

use crate::ProviderError;

const CONNECT: Duration = Duration::from_secs(5);
const CALL: Duration = Duration::from_secs(10);
/// The largest answer that is read, in bytes.
const LARGEST: usize = 256 << 10;

/// A client for one provider.
#[derive(Debug, Clone)]
pub(crate) struct Http {
    client: Client,
    issuer: String,
    reach: AddressPolicy,
}

/// Response with a bounded body.
pub(crate) struct BoundedResponse {
    pub(crate) status: StatusCode,
    body: BytesMut,
}

/// Addresses that a provider may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressPolicy {
    /// Behind https, but neither on this machine nor where machines of a cloud are told their secrets. Names are looked up once for
    /// each connection, and what they say is checked then.
    Network,
    /// The same, and on loopback without encryption too: for trials.
    Loopback,
}

impl AddressPolicy {
    /// True for URLs that keep requests confidential and reach a permitted address.
    pub(crate) fn allows(self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let literal = host.trim_start_matches('[').trim_end_matches(']');
        let address = literal.parse::<IpAddr>().ok();
        if address.is_some_and(hides_ipv4) {
            return false;
        }
        let loopback = match address {
            Some(address) => address.to_canonical().is_loopback(),
            None => host == "localhost" || host.ends_with(".localhost"),
        };
        let encrypted = url.scheme() == "https" && !host.is_empty();
        match self {
            Self::Loopback if loopback => encrypted || url.scheme() == "http",
            Self::Network if loopback => false,
            Self::Loopback | Self::Network => encrypted && address.is_none_or(|it| self.admits(it)),
        }
    }

    /// True if a connection to an address is allowed.
    fn admits(self, address: IpAddr) -> bool {
        /// Where Amazon's machines are told their secrets by IPv6.
        const METADATA: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
        let bad = match target(address) {
            IpAddr::V4(it) => {
                it.is_link_local() || it.is_multicast() || it.is_broadcast() || it.octets()[0] == 0
            }
            IpAddr::V6(it) => {
                it.is_unicast_link_local()
                    || it.is_multicast()
                    || it.is_unspecified()
                    || it == METADATA
                    || is_local_nat64(it)
                    || is_ipv4_compatible(it)
            }
        };
        !bad && (self == Self::Loopback || !target(address).is_loopback())
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Network => "only https to another machine is allowed",
            Self::Loopback => "only https, or http on loopback, is safe",
        }
    }
}

/// The prefix by which a network reaches IPv4 addresses (RFC 6052).
const NAT64: [u16; 6] = [0x64, 0xff9b, 0, 0, 0, 0];

/// True for literals of IPv6 that mean an address of IPv4. Nobody needs to write one so.
fn hides_ipv4(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(_) => false,
        IpAddr::V6(it) => {
            it.to_ipv4_mapped().is_some()
                || is_ipv4_compatible(it)
                || is_nat64(it)
                || is_local_nat64(it)
        }
    }
}

/// True for the deprecated `::a.b.c.d`; `::` and `::1` are none.
fn is_ipv4_compatible(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    segments[..6] == [0; 6] && u128::from(address) > 1
}

fn is_nat64(address: Ipv6Addr) -> bool {
    address.segments()[..6] == NAT64
}

/// True for `64:ff9b:1::/48`, in which the place of the IPv4 address is each network's own choice.
fn is_local_nat64(address: Ipv6Addr) -> bool {
    address.segments()[..3] == [0x64, 0xff9b, 1]
}

/// The address at the end of a connection. In a network without IPv4 each name has NAT64 addresses, so those stand for their target.
fn target(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(it) if is_nat64(it) => {
            let [.., a, b, c, d] = it.octets();
            IpAddr::from([a, b, c, d])
        }
        canonical @ (IpAddr::V4(_) | IpAddr::V6(_)) => canonical,
    }
}

fn is_loopback(issuer: &str) -> bool {
    let url = issuer.parse::<Url>();
    url.is_ok_and(|url| {
        !AddressPolicy::Network.allows(&url) && AddressPolicy::Loopback.allows(&url)
    })
}

/// Looks names up, and forgets the addresses that are out of reach.
#[derive(Debug)]
struct Resolver(AddressPolicy);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let within: Vec<_> = found.filter(|it| reach.admits(it.ip())).collect();
            if within.is_empty() {
                return Err("its addresses are out of reach".into());
            }
            Ok(Box::new(within.into_iter()) as Addrs)
        })
    }
}

impl Http {
    pub(crate) fn new(
        issuer: &str,
        ca: Option<&[u8]>,
        reach: AddressPolicy,
    ) -> Result<Self, ProviderError> {
        let unusable = |error: reqwest::Error| ProviderError::Certificates(cause(&error));
        let mut builder = Client::builder()
            .connect_timeout(CONNECT)
            .timeout(CALL)
            .dns_resolver(Resolver(reach))
            .redirect(Policy::none());
        if let Some(pem) = ca {
            let certificates = Certificate::from_pem_bundle(pem).map_err(unusable)?;
            builder = builder.tls_certs_only(certificates);
        }
        // Not even by way of a proxy of the environment, to which a code would go in clear.
        if is_loopback(issuer) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(unusable)?;
        let issuer = issuer.to_owned();
        Ok(Self {
            client,
            issuer,
            reach,
        })
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.issuer
    }

    pub(crate) fn reach(&self) -> AddressPolicy {
        self.reach
    }

    /// Gets a JSON document.
    pub(crate) async fn get<T: DeserializeOwned>(&self, url: &Url) -> Result<T, ProviderError> {
        let answer = self.send(self.client.get(url.clone())).await?;
        match answer.status {
            StatusCode::OK => self.read(&answer),
            status => Err(self.malformed(format!("{} for {}", status, url.path()))),
        }
    }

    pub(crate) async fn send(
        &self,
        request: RequestBuilder,
    ) -> Result<BoundedResponse, ProviderError> {
        let lost = |error: reqwest::Error| ProviderError::Unavailable {
            issuer: self.issuer.clone(),
            cause: cause(&error),
        };
        let mut response = request.send().await.map_err(lost)?;
        let (status, mut body) = (response.status(), BytesMut::new());
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            if body.len() + chunk.len() > LARGEST {
                return Err(self.malformed(format!("more than {} KiB", LARGEST >> 10)));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(BoundedResponse { status, body })
    }

    /// The document of an answer. What does not parse is not shown: it may hold secrets.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        answer: &BoundedResponse,
    ) -> Result<T, ProviderError> {
        let read = serde_json::from_slice(&answer.body);
        read.map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            self.malformed(format!("no JSON of the expected form, {place}"))
        })
    }

    pub(crate) fn malformed(&self, cause: impl Into<String>) -> ProviderError {
        ProviderError::Malformed {
            issuer: self.issuer.clone(),
            cause: cause.into(),
        }
    }
}

/// The deepest cause, which names the fault; the outer ones repeat the URL.
fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} s", CALL.as_secs());
    }
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

#[cfg(test)]
mod tests {
    use super::AddressPolicy;

    fn allows(reach: AddressPolicy, text: &str) -> bool {
        reach.allows(&text.parse().unwrap())
    }

    #[test]
    fn only_encrypted_or_local_addresses_are_safe() {
        for text in [
            "https://dex.example.com",
            "http://127.0.0.1:1/dex",
            "http://localhost",
            "http://[::1]:5556",
        ] {
            assert!(allows(AddressPolicy::Loopback, text), "{text}");
        }
        for text in [
            "http://dex.example.com",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "ftp://localhost",
            "http://128.0.0.1",
        ] {
            assert!(!allows(AddressPolicy::Loopback, text), "{text}");
        }
    }

    #[test]
    fn n_57_no_spelling_of_this_machine_or_of_a_clouds_secrets_is_within_reach() {
        for text in [
            "https://dex.example.com",
            "https://10.1.2.3/dex",
            "https://[fd12::1]/",
        ] {
            assert!(allows(AddressPolicy::Network, text), "{text}");
        }
        for text in [
            "http://dex.example.com",
            "https://localhost",
            "https://x.localhost",
            "https://127.0.0.1",
            "https://127.1",
            "https://2130706433",
            "https://0x7f.1",
            "https://0177.0.0.1",
            "https://[::1]",
            "https://[::ffff:127.0.0.1]",
            "https://0.0.0.0",
            "https://[::]",
            "https://169.254.169.254/latest/meta-data",
            "https://0xa9fea9fe",
            "https://2852039166",
            "https://[::ffff:169.254.169.254]",
            "https://[fe80::1]",
            "https://[fd00:ec2::254]",
            "https://224.0.0.1",
            "https://255.255.255.255",
            "ftp://dex.example.com",
            "https://[64:ff9b::a9fe:a9fe]",
            "https://[64:ff9b::7f00:1]",
            "https://[64:ff9b::10.1.2.3]",
            "https://[64:ff9b:1::a9fe:a9fe]",
            "https://[::169.254.169.254]",
            "https://[::7f00:1]",
            "https://[::ffff:10.1.2.3]",
            "https://[fe80::a9fe:a9fe]",
            "https://[febf::1]",
        ] {
            assert!(!allows(AddressPolicy::Network, text), "{text}");
        }
    }

    #[test]
    fn n_57_trials_on_loopback_reach_no_secrets_of_a_cloud_either() {
        for text in [
            "https://169.254.169.254",
            "https://[fe80::1]",
            "https://[fd00:ec2::254]",
            "https://[64:ff9b::a9fe:a9fe]",
            "https://[::ffff:169.254.169.254]",
            "http://[::ffff:127.0.0.1]",
        ] {
            assert!(!allows(AddressPolicy::Loopback, text), "{text}");
        }
    }

    #[test]
    fn n_57_a_name_is_not_dialed_at_an_address_that_a_gateway_turns_into_a_clouds_secrets() {
        let admits = |text: &str| AddressPolicy::Network.admits(text.parse().unwrap());
        for text in [
            "64:ff9b::a9fe:a9fe",
            "64:ff9b::7f00:1",
            "64:ff9b::",
            "64:ff9b:1::a9fe:a9fe",
            "64:ff9b:1:a9fe:a9:fe00::",
            "::169.254.169.254",
            "::ffff:169.254.169.254",
            "169.254.169.254",
            "fe80::1",
        ] {
            assert!(!admits(text), "{text}");
        }
        for text in ["64:ff9b::5db8:d822", "2001:db8::1", "93.184.216.34"] {
            assert!(admits(text), "{text}");
        }
    }

    #[tokio::test]
    async fn n_64_a_name_that_means_this_machine_is_not_dialed() {
        use reqwest::dns::Resolve as _;
        let resolve = |reach| super::Resolver(reach).resolve("localhost".parse().unwrap());
        assert!(resolve(AddressPolicy::Network).await.is_err());
        assert!(resolve(AddressPolicy::Loopback).await.is_ok());
    }
}
