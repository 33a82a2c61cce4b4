//! Calls over HTTP with JSON: unary answers as one object, streams as one object per line or per event.

mod answer;
mod refused;
mod stream;

use std::time::Duration;

use bytes::Bytes;
use causeway_proto::{access::v1::Kind, ids::RequestId};
use causeway_shell::{ByteBudget, Health};
use futures::{FutureExt as _, future::BoxFuture};
use http::{
    HeaderMap, HeaderValue, Method as Verb, Request, Response, StatusCode, header as names,
    request::Parts,
};
use http_body_util::{BodyExt as _, Full, Limited};
use serde_json::json;
use tonic::{Status, body::Body};

pub(super) use self::answer::{holds, tag, unary};
use self::{answer::ResponseWriter, refused::Refused};
use super::{Router, browser, documents};
use crate::{
    call::Payload,
    grpc_frame::Frame,
    header, intake, refusal,
    table::{Lookup, Method},
    template::RequestPath,
    transcode::{Draft, TranscodeError, View, mask::Mask},
};

const LARGEST_DISCARD: usize = 16 << 20;
const DISCARD_TIME: Duration = Duration::from_secs(2);
/// The largest message of an upstream that is written as JSON.
const LARGEST_ANSWER: usize = 8 << 20;

/// The answer to a request of any kind whose headers are too large.
pub(super) fn headers_too_large() -> Response<Body> {
    Refused::headers_too_large().into_response()
}

/// The answer to a request that goes no further.
pub(super) fn refused(status: Status) -> Response<Body> {
    Refused::from(status).into_response()
}

/// The answer to a request by another verb than the only one of its path.
pub(super) fn other_verb(head: &Parts, allowed: &Verb) -> Response<Body> {
    let refused = Refused::only(&head.method, allowed).into_response();
    match head.method {
        Verb::OPTIONS => refused::allowed(&refused),
        Verb::HEAD => refused.map(|_| Body::empty()),
        _ => refused,
    }
}

/// Answers any request that is not gRPC.
pub(super) async fn answer(router: &Router, request: Request<Body>) -> Response<Body> {
    let (mut head, body) = request.into_parts();
    // Before a look at the headers alone becomes a visit: that would begin or end a sign-in.
    if let Some(response) = browser::answer(router, &head).await {
        return response;
    }
    if head.uri.path() == browser::key::PATH
        && let Some(home) = &router.home
    {
        return browser::key::answer(router, home, &head, body).await;
    }
    let only_head = head.method == Verb::HEAD;
    if only_head {
        head.method = Verb::GET;
    }
    let answer = match head.uri.path() {
        "/" => plain(&head, about(router)),
        "/healthz" => plain(&head, health(router)),
        documents::JSON => plain(&head, documents::json(router, &head.headers)),
        documents::YAML => plain(&head, documents::yaml(router, &head.headers)),
        _ => call(router, &head, body).await,
    };
    let response = answer.unwrap_or_else(Refused::into_response);
    if only_head {
        response.map(|_| Body::empty())
    } else {
        response
    }
}

fn plain(head: &Parts, response: Response<Body>) -> Result<Response<Body>, Refused> {
    match head.method {
        Verb::GET => Ok(response),
        Verb::OPTIONS => Ok(refused::options([&Verb::GET])),
        _ => Err(Refused::other_verb(&head.method, [&Verb::GET])),
    }
}

fn about(router: &Router) -> Response<Body> {
    let web_ui = router.home.as_ref().map(|_| "/ in a browser");
    let json = json!({
        "name": "Causeway",
        "part": "request-router",
        "version": router.version,
        "grpc": "every RPC of the contract, with reflection and health, at this port",
        "json": "GET /v1/applications, and every RPC at its own path or at that of its gRPC requests, with POST",
        "openapi": "/openapi.json, /openapi.yaml",
        "credential": "authorization: Bearer <API key or session token>",
        "webUi": web_ui,
        "signIn": "/auth/login in a browser, or 'causeway login'",
        "health": "/healthz",
    });
    let text = Full::new(json.to_string().into());
    let mut response = respond(StatusCode::OK, "application/json", text);
    // Browsers get the web UI here.
    let vary = web_ui.map(|_| HeaderValue::from_static("accept"));
    response
        .headers_mut()
        .extend(vary.map(|vary| (names::VARY, vary)));
    response
}

fn health(router: &Router) -> Response<Body> {
    let (status, text) = match &*router.health.borrow() {
        Health::Ready => (StatusCode::OK, "ok"),
        Health::Starting { .. } => (StatusCode::SERVICE_UNAVAILABLE, "starting"),
        Health::Draining => (StatusCode::SERVICE_UNAVAILABLE, "draining"),
    };
    let json = json!({ "status": text }).to_string();
    respond(status, "application/json", Full::new(json.into()))
}

async fn call(router: &Router, head: &Parts, body: Body) -> Result<Response<Body>, Refused> {
    let path = RequestPath::parse(head.uri.path()).map_err(Status::from)?;
    let (method, binding, values) = match router.table.lookup(&head.method, &path) {
        Lookup::Found(method, binding, values) => (method, binding, values),
        Lookup::OtherVerb(verbs) if head.method == Verb::OPTIONS => {
            return Ok(refused::options(verbs));
        }
        Lookup::OtherVerb(verbs) => return Err(Refused::other_verb(&head.method, verbs)),
        Lookup::Unknown => return Err(unknown(router, head.uri.path())),
    };
    tracing::Span::current().record("otel.name", method.path().trim_start_matches('/'));
    let call = router.call(method, &head.headers, head)?;
    if let Err(status) = router.exchange.check_credential(&call) {
        discard(body).await;
        return Err(status.into());
    }
    let verify = || router.exchange.verify_credential(&call).boxed();
    let body = call
        .receive(read(head, body, &router.exchange.budget, verify))
        .await??;
    let mut draft = Draft::from_body(&method.contract.descriptor.input(), &binding.body, &body)
        .map_err(Status::from)?;
    draft
        .bind_path(&binding.fields, &values)
        .map_err(Status::from)?;
    let query = head.uri.query().unwrap_or_default();
    draft
        .bind_query(query, &binding.body, |key| method.is_mask(key))
        .map_err(Status::from)?;
    let request_id = fill_request_id(method, &mut draft, &head.headers)?;
    resume(method, &mut draft, &head.headers)?;
    let wanted = ResponseWriter {
        method,
        head,
        view: view(method, query).map_err(Status::from)?,
        version: router.version,
        budget: &router.exchange.budget,
    };
    let frame = Frame::encode(draft.message());
    let answer = router.exchange.call(&call, Payload::Message(frame)).await;
    let mut response = match answer {
        Ok(answer) => wanted.write(answer).await,
        Err(status) => Err(status),
    }
    .unwrap_or_else(|status| Refused::from(status).into_response());
    if let Some(request_id) = request_id {
        response
            .headers_mut()
            .insert(header::REQUEST_ID, request_id);
    }
    Ok(response)
}

fn unknown(router: &Router, path: &str) -> Refused {
    let known = router.table.method(path);
    match known.filter(|method| method.contract.kind == Kind::Session) {
        Some(method) => refusal::needs_grpc(method.path()).into(),
        None => Refused::unknown(path, &router.table),
    }
}

/// The whole body of a request, if it is one that can be read.
async fn read<'v>(
    head: &Parts,
    mut body: Body,
    budget: &ByteBudget,
    verify: impl FnOnce() -> BoxFuture<'v, Result<(), Status>>,
) -> Result<Bytes, Refused> {
    let plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    if !head
        .headers
        .get_all(names::CONTENT_ENCODING)
        .iter()
        .all(plain)
    {
        return Err(Refused::encoded());
    }
    let length = head.headers.get(names::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > refusal::LARGEST_REQUEST) {
        discard(body).await;
        return Err(Refused::too_large());
    }
    let body = match intake::read(&mut body, refusal::LARGEST_REQUEST, budget, verify).await {
        Ok(body) => body,
        Err(status) => {
            discard(body).await;
            return Err(status.into());
        }
    };
    if body.is_empty() || is_json(&head.headers) {
        Ok(body)
    } else {
        Err(Refused::not_json())
    }
}

/// Reads some of what will not be used: a client that is still writing when the connection closes never sees the answer.
async fn discard(body: Body) {
    let reading = Limited::new(body, LARGEST_DISCARD)
        .map_frame(drop_frame)
        .collect();
    // Whoever sends more, or slowly, has been given the chance.
    let _ = tokio::time::timeout(DISCARD_TIME, reading).await;
}

fn drop_frame(_: http_body::Frame<Bytes>) -> http_body::Frame<Bytes> {
    http_body::Frame::data(Bytes::new())
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(names::CONTENT_TYPE) else {
        return true;
    };
    let value = value.to_str().unwrap_or_default();
    let kind = value.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// What is wanted of the answer.
fn view(method: &Method, query: &str) -> Result<View, TranscodeError> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let wanted = pairs.filter(|(key, _)| method.is_mask(key));
    let wanted: Vec<_> = wanted.map(|(_, paths)| paths).collect();
    let answer = method.contract.descriptor.output();
    let mask = match wanted.as_slice() {
        [] => Mask::Whole,
        wanted => Mask::parse(&wanted.join(","), &answer)?,
    };
    Ok(View::new(answer, mask))
}

/// A reader of events who comes again says how far it came, which is later than what its URL says.
fn resume(method: &Method, draft: &mut Draft, headers: &HeaderMap) -> Result<(), Status> {
    let id = header::text(headers, &header::LAST_EVENT_ID)?;
    let Some(id) = id.filter(|id| !id.is_empty()) else {
        return Ok(());
    };
    let number = method.cursor().ok_or_else(|| {
        let text = "this call has no cursor to go on from; leave the header last-event-id out";
        refusal::field("last-event-id", text)
    })?;
    draft.set_text(number, id.to_owned());
    Ok(())
}

/// A call that changes something has an id: the body's, the header's, or a new one.
fn fill_request_id(
    method: &Method,
    draft: &mut Draft,
    headers: &HeaderMap,
) -> Result<Option<HeaderValue>, Status> {
    let (Kind::Mutation, Some(number)) = (method.contract.kind, method.request_id()) else {
        return Ok(None);
    };
    let given = header::text(headers, &header::IDEMPOTENCY_KEY)?.map(unquoted);
    let text = match (draft.text(number).into_owned(), given) {
        (own, None) if own.is_empty() => RequestId::generate().to_string(),
        (own, Some(given)) if own.is_empty() || own == given => {
            let parsed = given.parse::<RequestId>();
            let id =
                parsed.map_err(|error| refusal::field("idempotency-key", error.to_string()))?;
            id.to_string()
        }
        (own, None) => own,
        (_, Some(_)) => {
            let text = "requestId and the header idempotency-key differ; give one of them";
            return Err(refusal::field("idempotency-key", text));
        }
    };
    let header = HeaderValue::try_from(&text).ok();
    draft.set_text(number, text);
    Ok(header)
}

/// The header is defined as a text in quotes, and mostly sent without.
fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('"');
    let inner = inner.and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(text)
}

pub(super) fn respond<B>(status: StatusCode, content_type: &'static str, body: B) -> Response<Body>
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut response = Response::new(Body::new(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(names::CONTENT_TYPE, HeaderValue::from_static(content_type));
    // Answers depend on who asks, and nothing between may guess at them.
    headers.insert(names::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        names::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}
