//! Whether a request means one thing to everybody who reads it on its way: it has one host and one kind of end.
//!
//! What is in front of this port may have read another host or another length than this port does, and a caller could use that. So what
//! can be read in two ways is refused rather than read in one. A length beside chunks does not come this far: the connection's reader
//! takes the chunks and closes the connection after the answer, as RFC 9112 asks.

use http::{
    HeaderMap, HeaderValue, Uri, Version,
    header::{HOST, TRANSFER_ENCODING},
    uri::Authority,
};

/// A request that means more than one thing.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum FramingError {
    #[error("the request must have the header host exactly once")]
    Hosts,
    #[error("the header host is not one host with at most one port")]
    NoHost,
    #[error("the header host and the address of the request name different hosts")]
    OtherHost,
    #[error("the only transfer-encoding that is taken is chunked, once")]
    Encoding,
}

/// Refuses what could be read in two ways.
pub(crate) fn check(version: Version, uri: &Uri, headers: &HeaderMap) -> Result<(), FramingError> {
    let mut encodings = headers.get_all(TRANSFER_ENCODING).iter();
    let chunked = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"chunked");
    if !encodings.next().is_none_or(chunked) || encodings.next().is_some() {
        return Err(FramingError::Encoding);
    }
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next();
    if hosts.next().is_some() || host.is_none() && version == Version::HTTP_11 {
        return Err(FramingError::Hosts);
    }
    let host = host.map(one).transpose()?;
    match (uri.authority(), host) {
        (Some(named), Some(host)) if *named != host => Err(FramingError::OtherHost),
        (Some(named), _) => check_host(named),
        (None, _) => Ok(()),
    }
}

fn one(value: &HeaderValue) -> Result<Authority, FramingError> {
    let host = Authority::try_from(value.as_bytes()).map_err(|_| FramingError::NoHost)?;
    check_host(&host)?;
    Ok(host)
}

fn check_host(host: &Authority) -> Result<(), FramingError> {
    let text = host.as_str();
    let name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%[]:".contains(&byte);
    let rest = text.strip_prefix(host.host()).unwrap_or(text);
    let port = rest.is_empty() || rest == ":" || host.port_u16().is_some();
    let good = !host.host().is_empty() && text.bytes().all(name) && port;
    good.then_some(()).ok_or(FramingError::NoHost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(
        version: Version,
        uri: &str,
        lines: &[(&'static str, &str)],
    ) -> Result<(), FramingError> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        check(version, &uri.parse().unwrap(), &headers)
    }

    fn host(host: &str) -> Result<(), FramingError> {
        checked(Version::HTTP_11, "/", &[("host", host)])
    }

    #[test]
    fn a_request_names_one_host() {
        for good in [
            "x",
            "x:80",
            "x.example.com:8443",
            "127.0.0.1:7400",
            "[::1]:7400",
            "[::1]",
            "X_y",
        ] {
            assert_eq!(host(good), Ok(()), "{good}");
        }
        for bad in [
            "", "x, y", "x y", "x/y", "x?y", "x#y", "u@x", "x:y", "x:1:2", "x:99999", "<x>", ":80",
        ] {
            assert_eq!(host(bad), Err(FramingError::NoHost), "{bad}");
        }
        let twice = [("host", "x"), ("host", "x")];
        for version in [Version::HTTP_10, Version::HTTP_11, Version::HTTP_2] {
            let found = checked(version, "/", &twice);
            assert_eq!(found, Err(FramingError::Hosts), "{version:?}");
        }
        assert_eq!(checked(Version::HTTP_10, "/", &[]), Ok(()));
        let found = checked(Version::HTTP_11, "/", &[]);
        assert_eq!(found, Err(FramingError::Hosts));
    }

    #[test]
    fn the_address_of_a_request_names_no_other_host() {
        let found = |uri, host| checked(Version::HTTP_2, uri, &[("host", host)]);
        assert_eq!(found("http://x:80/a", "x:80"), Ok(()));
        assert_eq!(found("http://x/a", "X"), Ok(()));
        assert_eq!(found("http://x/a", "y"), Err(FramingError::OtherHost));
        assert_eq!(found("http://x:81/a", "x"), Err(FramingError::OtherHost));
        assert_eq!(checked(Version::HTTP_2, "http://x/a", &[]), Ok(()));
        let user = checked(Version::HTTP_2, "http://u@x/a", &[]);
        assert_eq!(user, Err(FramingError::NoHost));
    }

    #[test]
    fn the_only_encoding_is_chunked() {
        let found = |values: &[&str]| {
            let lines = values.iter().map(|value| ("transfer-encoding", *value));
            let lines: Vec<_> = [("host", "x")].into_iter().chain(lines).collect();
            checked(Version::HTTP_11, "/", &lines)
        };
        assert_eq!(found(&["Chunked"]), Ok(()));
        for bad in [
            &["gzip, chunked"][..],
            &["identity"],
            &[""],
            &["chunked", "chunked"],
            &["gzip", "chunked"],
        ] {
            assert_eq!(found(bad), Err(FramingError::Encoding), "{bad:?}");
        }
    }
}
