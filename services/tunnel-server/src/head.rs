//! What of a request's and a response's head may pass a hop, and what the head says to the hop.

use std::time::Duration;

use http::header::{self, HeaderMap, HeaderName, HeaderValue};

/// Names the upstream that the far side shall use; absent means [`DEFAULT_ROUTE`].
pub(crate) const ROUTE: &str = "causeway-route";
pub(crate) const DEFAULT_ROUTE: &str = "router";

/// The caller's `Authorization` on the tunnel hop.
pub(crate) const ASSERTION: HeaderName = HeaderName::from_static("causeway-assertion");

/// Fields that speak to the next hop only. HTTP/2 forbids them; a front that translated from
/// HTTP/1.1 may have left some.
const HOP_BY_HOP: [HeaderName; 6] = [
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// Makes a caller's head fit for the tunnel hop.
pub(crate) fn prepare(headers: &mut HeaderMap) {
    remove_hop_by_hop(headers);
    // Under its own name the library would spell it out in every call; under this one it is
    // remembered, and a repeated call costs one byte.
    headers.remove(ASSERTION);
    if let Some(assertion) = headers.remove(header::AUTHORIZATION) {
        headers.insert(ASSERTION, assertion);
    }
}

/// Removes what must not pass, including what `Connection` names.
pub(crate) fn remove_hop_by_hop(headers: &mut HeaderMap) {
    // The common head has nothing to remove: one look at its names is cheaper than a search for each.
    if !headers
        .iter()
        .any(|(name, value)| is_hop_by_hop(name, value))
    {
        return;
    }
    if let Some(named) = headers.get(header::CONNECTION).cloned() {
        let names = named.to_str().unwrap_or_default().split(',');
        for name in names.map(str::trim).filter(|name| !is_ours(name)) {
            headers.remove(name);
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

fn is_hop_by_hop(name: &HeaderName, value: &HeaderValue) -> bool {
    HOP_BY_HOP.contains(name) || (*name == header::TE && value != "trailers")
}

/// A caller's `Connection` must not be able to remove who it is.
fn is_ours(name: &str) -> bool {
    name.eq_ignore_ascii_case("authorization") || name.to_ascii_lowercase().starts_with("causeway-")
}

/// The route that a request names; an error gives back what is not one.
pub(crate) fn route(headers: &HeaderMap) -> Result<&str, String> {
    let Some(value) = headers.get(ROUTE) else {
        return Ok(DEFAULT_ROUTE);
    };
    let grammar = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let text = value.to_str().unwrap_or_default();
    if (1..=63).contains(&text.len()) && text.bytes().all(grammar) {
        return Ok(text);
    }
    Err(text.chars().take(63).collect())
}

/// The caller's deadline as gRPC writes it: up to eight digits and a unit.
pub(crate) fn timeout(headers: &HeaderMap) -> Option<Duration> {
    parse_timeout(headers.get("grpc-timeout")?)
}

fn parse_timeout(value: &HeaderValue) -> Option<Duration> {
    let text = value.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if !(1..=8).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(number * 3600)),
        "M" => Some(Duration::from_secs(number * 60)),
        "S" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_millis(number)),
        "u" => Some(Duration::from_micros(number)),
        "n" => Some(Duration::from_nanos(number)),
        _ => None,
    }
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
    fn hop_by_hop_fields_do_not_pass_and_identity_cannot_be_named_away() {
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
        assert_eq!(route(&headers(&[])), Ok("router"));
        assert_eq!(
            route(&headers(&[("causeway-route", "app-proxy")])),
            Ok("app-proxy")
        );
        for text in ["", "169.254.169.254", "a:80", "UPPER", "a/b", "../x"] {
            assert!(route(&headers(&[(ROUTE, text)])).is_err(), "{text}");
        }
    }

    #[test]
    fn a_deadline_is_read_in_every_unit_and_nonsense_is_none() {
        let read = |text: &'static str| timeout(&headers(&[("grpc-timeout", text)]));
        assert_eq!(read("2H"), Some(Duration::from_secs(7200)));
        assert_eq!(read("3M"), Some(Duration::from_secs(180)));
        assert_eq!(read("99999999S"), Some(Duration::from_secs(99_999_999)));
        assert_eq!(read("5m"), Some(Duration::from_millis(5)));
        assert_eq!(read("6u"), Some(Duration::from_micros(6)));
        assert_eq!(read("7n"), Some(Duration::from_nanos(7)));
        for text in ["", "S", "1", "1s", "123456789S", "-1S", "1.5S"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
