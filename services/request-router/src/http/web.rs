//! The web UI: one start page for all its paths, and files whose names change with their content.
//!
//! The start page does not depend on a session: browsers send the cookie with the calls of the page, not with links from elsewhere.

use bytes::Bytes;
use causeway_web::Asset;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method as Verb, Request, Response, StatusCode, header,
};
use http_body_util::Full;
use tonic::body::Body;

use super::json;

/// First segments of the paths that the web UI has. Other paths are as without it.
const PLACES: [&str; 11] = [
    "apps",
    "audit",
    "clusters",
    "deployments",
    "images",
    "join",
    "people",
    "runtimes",
    "settings",
    "sign-in",
    "workflows",
];
const ASSETS: &str = "/assets/";

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
require-trusted-types-for 'script'; trusted-types causeway";
const PERMISSIONS: &str = "accelerometer=(), autoplay=(), camera=(), clipboard-read=(), clipboard-write=(self), \
display-capture=(), encrypted-media=(), fullscreen=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), local-fonts=(), \
magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), \
serial=(), usb=(), xr-spatial-tracking=()";

/// Answers for pages and files of the web UI; other requests are none of its business.
pub(super) fn answer(request: &Request<Body>) -> Option<Response<Body>> {
    if !matches!(*request.method(), Verb::GET | Verb::HEAD) {
        return None;
    }
    let (path, headers) = (request.uri().path(), request.headers());
    let response = if path.starts_with(ASSETS) {
        file(causeway_web::asset(&path[1..])?, headers)
    } else if is_place(path) && accepts(headers, &header::ACCEPT, "text/html") {
        page(causeway_web::index(), headers)
    } else {
        return None;
    };
    Some(match *request.method() {
        Verb::HEAD => response.map(|_| Body::empty()),
        _ => response,
    })
}

fn is_place(path: &str) -> bool {
    let first = path.split('/').nth(1);
    path == "/" || first.is_some_and(|first| PLACES.contains(&first))
}

fn page(index: &Asset, headers: &HeaderMap) -> Response<Body> {
    let mut response = respond(index, headers, "no-cache");
    let vary = HeaderValue::from_static("accept, accept-encoding");
    response.headers_mut().insert(header::VARY, vary);
    response
}

/// A file that never changes under its name.
fn file(asset: &Asset, headers: &HeaderMap) -> Response<Body> {
    let mut response = respond(asset, headers, "public, max-age=31536000, immutable");
    let vary = HeaderValue::from_static("accept-encoding");
    response.headers_mut().insert(header::VARY, vary);
    response
}

fn respond(asset: &Asset, asked: &HeaderMap, cache: &'static str) -> Response<Body> {
    let tag = format!("W/\"{}\"", &asset.sha256[..asset.sha256.len().min(32)]);
    let held = json::holds(asked, &tag);
    let (encoding, bytes) = encoded(asset, asked);
    let bytes = if held { &[] } else { bytes };
    let mut response = Response::new(Body::new(Full::new(Bytes::from_static(bytes))));
    let headers = response.headers_mut();
    protect(headers);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.extend(HeaderValue::try_from(tag).map(|tag| (header::ETAG, tag)));
    if held {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    let kind = HeaderValue::from_static(asset.content_type);
    headers.insert(header::CONTENT_TYPE, kind);
    let encoding = encoding.map(HeaderValue::from_static);
    headers.extend(encoding.map(|encoding| (header::CONTENT_ENCODING, encoding)));
    response
}

/// The smallest form that the browser takes.
fn encoded(asset: &Asset, asked: &HeaderMap) -> (Option<&'static str>, &'static [u8]) {
    let takes = |encoding| accepts(asked, &header::ACCEPT_ENCODING, encoding);
    match (asset.brotli, asset.gzip) {
        (Some(brotli), _) if takes("br") => (Some("br"), brotli),
        (_, Some(gzip)) if takes("gzip") => (Some("gzip"), gzip),
        _ => (None, asset.raw),
    }
}

/// True if a list of a header names a value, and not only to refuse it.
fn accepts(headers: &HeaderMap, name: &HeaderName, wanted: &str) -> bool {
    let lines = headers.get_all(name).iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|item| {
        let mut words = item.split(';').map(str::trim);
        let named = words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case(wanted));
        named && !words.any(is_refusal)
    })
}

/// True for a weight of zero.
fn is_refusal(parameter: &str) -> bool {
    let weight = parameter.strip_prefix("q=");
    weight.is_some_and(|weight| weight.trim().parse() == Ok(0.0_f32))
}

fn protect(headers: &mut HeaderMap) {
    let own = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (HeaderName::from_static("permissions-policy"), PERMISSIONS),
    ];
    for (name, value) in own {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_taken_by_name_and_not_with_a_weight_of_zero() {
        let takes = |list: &str| {
            let line = (header::ACCEPT_ENCODING, list.parse().unwrap());
            accepts(
                &HeaderMap::from_iter([line]),
                &header::ACCEPT_ENCODING,
                "br",
            )
        };
        for list in ["br", "gzip, br", "gzip;q=1, BR ; q=0.1", "br;q=1.0"] {
            assert!(takes(list), "{list}");
        }
        for list in ["", "gzip", "brotli", "br;q=0", "br; q=0.000", "*"] {
            assert!(!takes(list), "{list}");
        }
    }

    #[test]
    fn places_are_whole_first_segments() {
        for path in ["/", "/apps", "/apps/", "/apps/prod/a%2Fb", "/sign-in"] {
            assert!(is_place(path), "{path}");
        }
        for path in [
            "//",
            "/app",
            "/appsx",
            "/v1/apps",
            "/auth/login",
            "/healthz",
            "/openapi.json",
            "*",
            "",
        ] {
            assert!(!is_place(path), "{path}");
        }
    }
}
