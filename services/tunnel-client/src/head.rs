//! What of a call's head may pass on to an upstream, and where it wants to go.

use http::header::{self, HeaderMap, HeaderName};
use http::uri::{Authority, Scheme};
use http::{Request, Uri};

/// Names the route of a call; absent means [`DEFAULT_ROUTE`].
pub(crate) const ROUTE: &str = "causeway-route";
const DEFAULT_ROUTE: &str = "router";

/// The caller's `Authorization` on the tunnel hop, where HTTP/2 remembers it by this name.
const ASSERTION: HeaderName = HeaderName::from_static("causeway-assertion");

/// Fields that speak to the next hop only.
const HOP_BY_HOP: [HeaderName; 6] = [
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
];

pub(crate) fn remove_hop_by_hop(headers: &mut HeaderMap) {
    // The common head has none: one look at its names is cheaper than a search for each.
    if !headers.keys().any(|name| HOP_BY_HOP.contains(name)) {
        return;
    }
    for name in &HOP_BY_HOP {
        headers.remove(name);
    }
}

/// The name that the call asks for; what is not text is no name at all.
pub(crate) fn route(headers: &HeaderMap) -> &str {
    headers
        .get(ROUTE)
        .map_or(DEFAULT_ROUTE, |value| value.to_str().unwrap_or_default())
}

/// Points the call at an upstream: of what the far side wrote, only the path is kept.
pub(crate) fn point_at<B>(request: &mut Request<B>, upstream: &Authority) {
    let headers = request.headers_mut();
    headers.remove(ROUTE);
    remove_hop_by_hop(headers);
    if let Some(assertion) = headers.remove(ASSERTION) {
        headers.insert(header::AUTHORIZATION, assertion);
    }
    let mut parts = std::mem::take(request.uri_mut()).into_parts();
    parts.scheme = Some(Scheme::HTTP);
    parts.authority = Some(upstream.clone());
    parts
        .path_and_query
        .get_or_insert_with(|| http::uri::PathAndQuery::from_static("/"));
    *request.uri_mut() = Uri::from_parts(parts).expect("scheme, authority and path are all there");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_path_of_a_call_reaches_the_upstream() {
        let mut request = Request::post("http://evil.example:80/a.B/C?d=e")
            .header(ROUTE, "router")
            .header("keep-alive", "1")
            .header("causeway-assertion", "Bearer x")
            .body(())
            .unwrap();
        point_at(&mut request, &Authority::from_static("127.0.0.1:7500"));
        assert_eq!(request.uri(), "http://127.0.0.1:7500/a.B/C?d=e");
        assert_eq!(request.headers().len(), 1);
        assert_eq!(request.headers()["authorization"], "Bearer x");
    }

    #[test]
    fn a_call_without_a_route_goes_to_the_router() {
        assert_eq!(route(&HeaderMap::new()), "router");
    }
}
