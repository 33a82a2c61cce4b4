//! Sign-in and sign-out of a browser, and its cookie as the credential of its calls.
//!
//! A sign-in belongs to the browser that began it: the verifier that ends it is in a cookie of that browser and nowhere else. The
//! token of the session is in a cookie that no script reads and no other site makes a browser send, and a call that changes
//! something counts only from a page of this host. Who may do what is not decided here: the cookie becomes the bearer of the call.

mod convert;
mod cookie;
mod home;
pub(super) mod key;
mod notice;
mod page;
mod return_to;
mod sign_in;

use causeway_proto::error::v1::Reason;
use http::{
    HeaderMap, HeaderValue, Method as Verb, Request, Response, StatusCode, header, request::Parts,
};
use prost::Message;
use tonic::{Code, Status, body::Body};

pub(crate) use self::home::Home;
use self::{
    cookie::{Cookies, SESSION},
    home::{Opener, Place},
    notice::Notice,
};
use super::{Router, json};
use crate::{call::Payload, grpc_frame::Frame, refusal};

const LOGIN: &str = "/auth/login";
/// Before the account and the provider: each provider has a page of its own.
const CALLBACK: &str = "/auth/callback/";
const LOGOUT: &str = "/auth/logout";
const SIGN_OUT: &str = "/causeway.platform.v1.SessionService/SignOut";
const TOKEN: &str = "cws_";
const LONGEST_TOKEN: usize = 128;

/// Makes the session of a browser's cookie the credential of its call. What carries a credential of its own has no use for it. What
/// another site has a browser send to change something goes no further, whether or not there is a session: it would be an attempt of
/// this browser's address.
pub(super) fn admit(home: &Home, request: &mut Request<Body>) -> Result<(), Status> {
    let own = request.headers().contains_key(header::AUTHORIZATION);
    if own || request.uri().path().starts_with("/auth/") {
        return Ok(());
    }
    let changes = !request.method().is_safe();
    if changes && Opener::of(request.headers()).is_foreign() {
        return Err(foreign());
    }
    let place = home.place(request.headers(), request.uri());
    let session = session(home.cookies(), request.headers())?;
    let Some(token) = session else {
        return Ok(());
    };
    if changes && !place.is_some_and(|place| place.asks(request.headers())) {
        return Err(foreign());
    }
    let bearer = bearer(token);
    let headers = request.headers_mut();
    headers.remove(header::COOKIE);
    headers.extend(bearer.map(|bearer| (header::AUTHORIZATION, bearer)));
    Ok(())
}

/// The credential of a terminal. A browser sends a WebSocket for pages of every site with its cookies and without asking first, so the
/// cookie counts only with exactly the origin of this host.
pub(super) fn terminal_credential(
    home: Option<&Home>,
    request: &Request<Body>,
) -> Result<Option<HeaderValue>, Status> {
    let headers = request.headers();
    let origin = headers.get(header::ORIGIN);
    let own = headers.get(header::AUTHORIZATION).cloned();
    let home = home.ok_or_else(|| Status::not_found("a runtime's router opens no terminals"))?;
    let place = home.place(headers, request.uri());
    let is_own = |place: Place| origin.is_some_and(|origin| origin == place.origin());
    let from_page = place.is_some_and(is_own) && !Opener::of(headers).is_foreign();
    if !from_page && (origin.is_some() || own.is_none()) {
        return Err(foreign());
    }
    if own.is_some() {
        return Ok(own);
    }
    Ok(session(home.cookies(), headers)?.and_then(bearer))
}

fn foreign() -> Status {
    let text = "a call by a browser changes something only from a page of this host; elsewhere send 'authorization: Bearer' with an API key";
    let reason = Reason::PermissionDenied;
    refusal::status(Code::PermissionDenied, reason, text)
}

/// The token of the one session that a browser shows.
fn session(cookies: Cookies, headers: &HeaderMap) -> Result<Option<&str>, Status> {
    let found = cookies.get(headers, SESSION);
    let found = found.map_err(|twice| {
        let reason = Reason::CredentialInvalid;
        refusal::status(Code::Unauthenticated, reason, twice.to_string())
    })?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    Ok(found.filter(|token| {
        token.starts_with(TOKEN) && token.len() <= LONGEST_TOKEN && token.bytes().all(plain)
    }))
}

fn bearer(token: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("Bearer {token}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// What a path shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    Login,
    Callback,
    Logout,
}

/// One visit of a browser at a page of sign-in.
struct Visit<'r> {
    router: &'r Router,
    cookies: Cookies,
    place: Place,
    opener: Opener,
    head: &'r Parts,
}

/// Answers for the pages of sign-in; other paths are none of its business.
pub(super) async fn answer(router: &Router, head: &Parts) -> Option<Response<Body>> {
    let home = router.home.as_ref()?;
    let (page, verb) = match head.uri.path() {
        LOGIN => (Page::Login, Verb::GET),
        LOGOUT => (Page::Logout, Verb::POST),
        path if path.starts_with(CALLBACK) => (Page::Callback, Verb::GET),
        _ => return None,
    };
    if head.method != verb {
        return Some(json::other_verb(head, &verb));
    }
    let Some(place) = home.place(&head.headers, &head.uri) else {
        return Some(Notice::Elsewhere.into_response());
    };
    let opener = Opener::of(&head.headers);
    if opener == Opener::Hidden {
        return Some(Notice::Foreign.into_response());
    }
    let visit = Visit {
        router,
        cookies: home.cookies(),
        place,
        opener,
        head,
    };
    let answer = match page {
        Page::Login => visit.begin().await,
        Page::Callback => visit.end().await,
        Page::Logout => visit.sign_out().await,
    };
    Some(answer.unwrap_or_else(Notice::into_response))
}

impl Visit<'_> {
    async fn sign_out(&self) -> Result<Response<Body>, Notice> {
        if !self.place.asks(&self.head.headers) {
            return Err(Notice::Foreign);
        }
        let session = session(self.cookies, &self.head.headers);
        if let Some(token) = session.ok().flatten() {
            let request = convert::sign_out();
            let ended = self.ask(SIGN_OUT, &request, bearer(token)).await;
            match ended.map(convert::signed_out) {
                // It has ended already.
                Err(status) if status.code() == Code::Unauthenticated => {}
                Err(status) => return Err(Notice::from_status(&status)),
                Ok(()) => {}
            }
        }
        let mut response = page::signed_out();
        let forget = self.cookies.forget(SESSION);
        response.headers_mut().append(header::SET_COOKIE, forget);
        Ok(response)
    }

    /// Calls the platform, with the browser's credential if there is one.
    async fn ask<A: Message + Default>(
        &self,
        path: &str,
        question: &impl Message,
        authorization: Option<HeaderValue>,
    ) -> Result<A, Status> {
        let method = self.router.table.method(path);
        let method = method.ok_or_else(|| Status::unimplemented("no such method"))?;
        let mut headers = HeaderMap::new();
        headers.extend(authorization.map(|value| (header::AUTHORIZATION, value)));
        let call = self.router.call(method, &headers, self.head)?;
        let payload = Payload::Message(Frame::encode(question));
        let answer = Box::pin(self.router.exchange.call(&call, payload)).await?;
        let message = json::unary(answer, &self.router.exchange.budget).await?;
        A::decode(message).map_err(|_| refusal::lost("the part platform answers in another form"))
    }
}

/// A page of ours elsewhere.
fn see_other(place: HeaderValue) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(header::LOCATION, place);
    page::protect(response.headers_mut());
    response
}

#[cfg(test)]
mod tests;
