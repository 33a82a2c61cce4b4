//! The pages of sign-in. They hold no script, load nothing and show themselves in no frame.

use bytes::Bytes;
use causeway_proto::ids::AccountId;
use form_urlencoded::Serializer;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::Full;
use tonic::body::Body;

use super::{LOGIN, convert::Choice};

const POLICY: &str =
    "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// What went wrong. The text is one of ours.
pub(super) fn notice(status: StatusCode, text: &'static str) -> Response<Body> {
    let body = format!("<p>{text}</p><p><a href=\"{LOGIN}\">Sign in</a></p>");
    page(status, "", &body)
}

pub(super) fn signed_out() -> Response<Body> {
    let body = format!("<p>You are signed out.</p><p><a href=\"{LOGIN}\">Sign in</a></p>");
    page(StatusCode::OK, "", &body)
}

/// Goes on by itself to a path of this host. A redirect would still count as coming from the identity provider's site, and the
/// browser would not send the cookie that this page brings. It stays for as long as it takes to read who one is now.
pub(super) fn signed_in(account: &AccountId, user: &str, path: &str) -> Response<Body> {
    let (user, path) = (escaped(user), escaped(path));
    let head = format!("<meta http-equiv=\"refresh\" content=\"2;url={path}\">");
    let body = format!(
        "<p>You are signed in to the account {account} as {user}. <a href=\"{path}\">Go on</a></p>"
    );
    page(StatusCode::OK, &head, &body)
}

/// The ways to sign in to an account, in the place of the session that is there where there is one.
pub(super) fn choice(
    account: &str,
    ways: &[Choice],
    return_to: &str,
    signed_in: bool,
) -> Response<Body> {
    let links = ways.iter().map(|way| {
        let mut query = Serializer::new(String::new());
        query.append_pair("provider", &way.provider);
        query.append_pair("account", account);
        query.append_pair("return_to", return_to);
        let (query, name) = (escaped(&query.finish()), escaped(&way.name));
        format!("<li><a href=\"{LOGIN}?{query}\">{name}</a></li>")
    });
    let links: String = links.collect();
    let account = escaped(account);
    let instead = if signed_in {
        "<p>This browser is signed in already. Another sign-in takes its place.</p>"
    } else {
        ""
    };
    let body = format!("{instead}<p>Sign in to the account {account} with</p><ul>{links}</ul>");
    page(StatusCode::OK, "", &body)
}

fn page(status: StatusCode, head: &str, body: &str) -> Response<Body> {
    let html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Causeway</title>{head}</head><body><h1>Causeway</h1>{body}</body></html>\n"
    );
    let mut response = Response::new(Body::new(Full::new(Bytes::from(html))));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, kind);
    protect(headers);
    response
}

/// What keeps a page from being kept, framed, guessed at or followed back.
pub(super) fn protect(headers: &mut HeaderMap) {
    let own = [
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in own {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// A text as HTML shows it, also between quotes.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}
