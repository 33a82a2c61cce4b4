//! Hop-by-hop header filtering, and the headers that address a call through the tunnel.

use http::header::{self, HeaderMap, HeaderName, HeaderValue};

/// Names the upstream of the tunnel client; absent means [`DEFAULT_ROUTE`].
pub const ROUTE: HeaderName = HeaderName::from_static("causeway-route");
pub const DEFAULT_ROUTE: &str = "router";
/// Carries the caller's `Authorization` on the tunnel hop. HPACK indexes this name, but never
/// `authorization`, so a repeated assertion costs one byte.
pub const ASSERTION: HeaderName = HeaderName::from_static("causeway-assertion");
/// Deadline of the caller in gRPC's format.
pub const GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// HTTP/2 forbids these; a proxy that translated from HTTP/1.1 may have left some.
const HOP_BY_HOP: [HeaderName; 6] = [
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// Removes the headers of one hop, including those that `Connection` names.
pub fn remove_hop_by_hop(headers: &mut HeaderMap) {
    // Most requests have none: one pass over the names is cheaper than a lookup of each.
    if !headers
        .iter()
        .any(|(name, value)| is_hop_by_hop(name, value))
    {
        return;
    }
    for name in connection_options(headers) {
        if !is_protected(&name) {
            headers.remove(&name);
        }
    }
    for name in &HOP_BY_HOP {
        headers.remove(name);
    }
    if headers
        .get(header::TE)
        .is_some_and(|value| value != "trailers")
    {
        headers.remove(header::TE);
    }
}

/// The lower-case names that `Connection` lists.
#[must_use]
pub fn connection_options(headers: &HeaderMap) -> Vec<String> {
    let mut names = Vec::new();
    for value in headers.get_all(header::CONNECTION) {
        let list = String::from_utf8_lossy(value.as_bytes());
        names.extend(list.split(',').map(|name| name.trim().to_ascii_lowercase()));
    }
    names
}

fn is_hop_by_hop(name: &HeaderName, value: &HeaderValue) -> bool {
    HOP_BY_HOP.contains(name) || (*name == header::TE && value != "trailers")
}

/// A caller's `Connection` must not remove its identity or the address of the call.
fn is_protected(name: &str) -> bool {
    name == "authorization" || name.starts_with("causeway-")
}

/// The name of the requested route; `None` where it is not a valid name.
#[must_use]
pub fn route_name(headers: &HeaderMap) -> Option<&str> {
    let Some(value) = headers.get(ROUTE) else {
        return Some(DEFAULT_ROUTE);
    };
    value.to_str().ok().filter(|name| is_route_name(name))
}

/// A route is 1 to 63 of `a-z`, `0-9` and `-`: never an address.
#[must_use]
pub fn is_route_name(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=63).contains(&text.len()) && text.bytes().all(is_allowed)
}

#[must_use]
pub fn is_grpc(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn hop_by_hop_headers_do_not_pass_and_identity_cannot_be_removed() {
        let mut headers = headers(&[
            ("connection", "x-private, Authorization, causeway-route"),
            ("x-private", "1"),
            ("authorization", "Bearer a"),
            ("causeway-route", "router"),
            ("keep-alive", "1"),
            ("te", "gzip"),
            ("traceparent", "00"),
        ]);
        remove_hop_by_hop(&mut headers);
        let mut names: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["authorization", "causeway-route", "traceparent"]);
    }

    #[test]
    fn te_trailers_passes() {
        let mut headers = headers(&[("te", "trailers")]);
        remove_hop_by_hop(&mut headers);
        assert!(headers.contains_key("te"));
    }

    #[test]
    fn a_route_is_an_enumerated_name_and_never_an_address() {
        assert_eq!(route_name(&headers(&[])), Some("router"));
        let named = headers(&[("causeway-route", "app-proxy")]);
        assert_eq!(route_name(&named), Some("app-proxy"));
        for text in ["", "169.254.169.254", "a:80", "UPPER", "a/b", "../x"] {
            let named = headers(&[("causeway-route", text)]);
            assert_eq!(route_name(&named), None, "{text}");
        }
    }
}
