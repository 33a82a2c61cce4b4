//! Sign-in by an API key. The key becomes a session of this browser and is not kept.

use std::time::Duration;

use bytes::Bytes;
use form_urlencoded::parse;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt as _, Full, Limited};
use serde_json::json;
use tonic::{Code, Status, body::Body};

use super::{
    Home, Opener, Visit, bearer, convert, cookie::SESSION, notice::Notice, return_to, see_other,
};
use crate::{
    http::{Router, json},
    refusal,
};

pub(in crate::http) const PATH: &str = "/auth/key";
const CREATE: &str = "/causeway.platform.v1.SessionService/CreateSession";
/// A key and the path of a page.
const LARGEST_BODY: usize = 4 << 10;
/// How long a browser may take to send it.
const READ_TIME: Duration = Duration::from_secs(10);
const KEY: &str = "cwk_";
const LONGEST_KEY: usize = 128;

/// What a browser sends.
#[derive(Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SignIn {
    key: String,
    return_to: String,
}

/// The two forms in which a browser gets an answer.
#[derive(Clone, Copy)]
enum Form {
    Page,
    Json,
}

/// Changes an API key for a session.
pub(in crate::http) async fn answer(
    router: &Router,
    home: &Home,
    head: &Parts,
    body: Body,
) -> Response<Body> {
    if head.method != http::Method::POST {
        return json::other_verb(head, &http::Method::POST);
    }
    let form = Form::of(&head.headers);
    let Some(place) = home.place(&head.headers, &head.uri) else {
        return form.notice(Notice::Elsewhere);
    };
    if !place.asks(&head.headers) {
        return form.notice(Notice::Foreign);
    }
    let visit = Visit {
        router,
        cookies: home.cookies(),
        place,
        opener: Opener::of(&head.headers),
        head,
    };
    let answer = visit.sign_in_by_key(body, form).await;
    answer.unwrap_or_else(|status| form.refusal(status))
}

impl Visit<'_> {
    async fn sign_in_by_key(&self, body: Body, form: Form) -> Result<Response<Body>, Status> {
        let asked = read(&self.head.headers, body).await?;
        let key = asked.key.trim();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if !key.starts_with(KEY) || key.len() > LONGEST_KEY || !key.bytes().all(plain) {
            return Err(refusal::field("key", "key must be an API key, cwk_…"));
        }
        let request = convert::create_session();
        let made = self.ask(CREATE, &request, bearer(key)).await?;
        let session = convert::created(made);
        let path = return_to::path(&asked.return_to);
        let cookie = self.cookies.set(SESSION, &session.token, session.seconds);
        let cookie = cookie.ok_or_else(|| refusal::lost("the session has no usable token"))?;
        let mut response = form.signed_in(path, &session.user)?;
        response.headers_mut().append(header::SET_COOKIE, cookie);
        Ok(response)
    }
}

impl Form {
    /// Scripts ask for JSON, forms for a page.
    fn of(headers: &HeaderMap) -> Self {
        let accept = headers.get(header::ACCEPT);
        let accept = accept.and_then(|accept| accept.to_str().ok());
        match accept {
            Some(accept) if accept.contains("application/json") => Self::Json,
            _ => Self::Page,
        }
    }

    fn signed_in(self, path: &str, user: &str) -> Result<Response<Body>, Status> {
        match self {
            Self::Page => {
                let place = HeaderValue::try_from(path);
                Ok(see_other(
                    place.map_err(|_| refusal::field("return_to", "not a path"))?,
                ))
            }
            Self::Json => {
                let text = json!({ "returnTo": path, "user": user }).to_string();
                Ok(json::respond(
                    StatusCode::OK,
                    "application/json",
                    Full::new(Bytes::from(text)),
                ))
            }
        }
    }

    fn refusal(self, status: Status) -> Response<Body> {
        match (self, status.code()) {
            (Self::Json, _) => json::refused(status),
            (Self::Page, Code::Unauthenticated | Code::InvalidArgument) => {
                Notice::NoKey.into_response()
            }
            (Self::Page, _) => Notice::from_status(&status).into_response(),
        }
    }

    fn notice(self, notice: Notice) -> Response<Body> {
        match self {
            Self::Page => notice.into_response(),
            Self::Json => json::refused(notice.to_status()),
        }
    }
}

/// Reads a form or JSON.
async fn read(headers: &HeaderMap, body: Body) -> Result<SignIn, Status> {
    let limited = Limited::new(body, LARGEST_BODY).collect();
    let body = tokio::time::timeout(READ_TIME, limited).await;
    let body = body.map_err(|_| refusal::request_too_slow())?;
    let body = body.map_err(|error| refusal::unread(&*error))?.to_bytes();
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    match kind.split(';').next().unwrap_or_default().trim() {
        "application/json" => serde_json::from_slice(&body)
            .map_err(|_| refusal::field("body", "the body is not JSON with the field key")),
        "application/x-www-form-urlencoded" => Ok(SignIn {
            key: field(&body, "key"),
            return_to: field(&body, "return_to"),
        }),
        _ => Err(refusal::field(
            "content-type",
            "send a form or application/json",
        )),
    }
}

/// A field of a form that is there once.
fn field(body: &[u8], name: &str) -> String {
    let mut values = parse(body).filter(|(key, _)| key == name);
    match (values.next(), values.next()) {
        (Some((_, value)), None) => value.into_owned(),
        _ => String::new(),
    }
}
