//! What the browser shows at the end. Nothing of it comes from a request.

use http::{Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Bytes;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    Done,
    Refused,
    /// It belongs to another sign-in, or to none.
    Foreign,
    /// The sign-in has ended before.
    Over,
    Nothing,
}

impl Page {
    pub(super) fn into_response(self) -> Response<Full<Bytes>> {
        let (status, text) = match self {
            Self::Done => (
                StatusCode::OK,
                "Go back to the terminal: it says whether you are signed in. This page can be closed.",
            ),
            Self::Refused => (
                StatusCode::OK,
                "The identity provider did not complete the sign-in. The terminal says more.",
            ),
            Self::Foreign => (
                StatusCode::BAD_REQUEST,
                "This does not belong to the sign-in that the terminal waits for. Begin again with causeway login.",
            ),
            Self::Over => (
                StatusCode::BAD_REQUEST,
                "This sign-in has ended before. Begin again with causeway login.",
            ),
            Self::Nothing => (StatusCode::NOT_FOUND, "Nothing is here."),
        };
        let html = format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Causeway</title><h1>Causeway</h1><p>{text}</p></html>\n"
        );
        let mut response = Response::new(Full::new(Bytes::from(html)));
        *response.status_mut() = status;
        let headers = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CACHE_CONTROL, "no-store"),
            (
                header::CONTENT_SECURITY_POLICY,
                "default-src 'none'; frame-ancestors 'none'",
            ),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        for (name, value) in headers {
            let value = header::HeaderValue::from_static(value);
            response.headers_mut().insert(name, value);
        }
        response
    }
}
