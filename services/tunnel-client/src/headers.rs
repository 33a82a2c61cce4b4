//! Request headers towards an upstream.

use causeway_relay::headers::{ASSERTION, DEFAULT_ROUTE, ROUTE, remove_hop_by_hop};
use http::header::{self, HeaderMap};
use http::uri::{Authority, Scheme};
use http::{Request, Uri};

/// The requested route. A name that is not text becomes the empty one, which no route has.
pub(crate) fn route(headers: &HeaderMap) -> &str {
    headers
        .get(ROUTE)
        .map_or(DEFAULT_ROUTE, |value| value.to_str().unwrap_or_default())
}

/// Rewrites the request for an upstream: only the path of the far side's URI is kept.
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
