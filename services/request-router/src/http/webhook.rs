//! Webhooks of Git providers: `POST /webhooks/ROUTE` at a runtime, `POST /webhooks/ACCOUNT/RUNTIME/ROUTE` at the platform.
//!
//! Senders have no credential of Causeway. The platform only carries bytes into the runtime that the path names by its ids, with an
//! assertion that says so to the tunnel and that no part accepts. The runtime verifies the signature, so a webhook that the platform
//! made up is refused there. All refusals of a sender are 401 without a reason.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use causeway_assertion::Audience;
use causeway_client::{Credential, Peer, Signer, reason};
use causeway_proto::{
    error::v1::Reason,
    ids::{AccountId, RuntimeId},
    webhook::v1::{
        self as pb, receive_webhook_request::Part,
        webhook_receiver_service_client::WebhookReceiverServiceClient,
    },
};
use causeway_relay::headers::remove_hop_by_hop;
use causeway_shell::ClientConnection;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method as Verb, Request, Response, StatusCode, header,
    request::Parts, uri::PathAndQuery,
};
use http_body_util::{BodyExt as _, Full, Limited};
use tokio::{
    sync::{Semaphore, mpsc},
    time::{Instant, sleep_until, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, body::Body};

use super::json;
use crate::{
    call::{Exchange, ROUTE, TUNNEL},
    header as names,
    upstream::Upstream,
};

const PREFIX: &str = "/webhooks/";
/// The provider's own credential on its way to the runtime.
const AUTHORIZATION: HeaderName = HeaderName::from_static("causeway-webhook-authorization");
/// No route takes more.
const LARGEST_BODY: usize = 25 << 20;
/// Of a body in one message.
const PIECE: usize = 64 << 10;
const MOST_HEADERS: usize = 64;
/// Webhooks in flight. Each holds at most a window of 256 KiB here.
const PLACES: usize = 512;
/// Of one runtime, at the platform.
const RUNTIME_PLACES: usize = 64;
/// Providers wait 10 s for an answer.
const RECEIVE_WITHIN: Duration = Duration::from_secs(10);
const ANSWER_WITHIN: Duration = Duration::from_secs(1);

/// Takes webhooks.
pub(crate) struct Webhooks {
    destination: Destination,
    places: Semaphore,
    lanes: Lanes,
}

enum Destination {
    Receiver(Box<WebhookReceiverServiceClient<Peer>>),
    Tunnel(Arc<Signer>),
}

/// Webhooks in flight by runtime.
#[derive(Clone, Default)]
struct Lanes(Arc<Mutex<HashMap<(AccountId, RuntimeId), usize>>>);

/// A place in a lane.
struct Turn {
    lanes: Lanes,
    runtime: (AccountId, RuntimeId),
}

/// Where a path leads.
#[derive(Debug, PartialEq, Eq)]
struct Target<'p> {
    runtime: Option<(AccountId, RuntimeId)>,
    route: &'p str,
}

impl Webhooks {
    /// Carries webhooks into runtimes.
    pub(crate) fn by_tunnel(credential: Credential) -> Option<Self> {
        match credential {
            Credential::Signed(signer) => Some(Self::new(Destination::Tunnel(signer))),
            Credential::None | Credential::ApiKey(_) => None,
        }
    }

    /// Hands webhooks to the part of this runtime that receives them.
    pub(crate) fn to_receiver(receiver: Peer) -> Self {
        Self::new(Destination::Receiver(Box::new(
            WebhookReceiverServiceClient::new(receiver),
        )))
    }

    fn new(destination: Destination) -> Self {
        Self {
            destination,
            places: Semaphore::new(PLACES),
            lanes: Lanes::default(),
        }
    }
}

/// True for a path of webhooks.
pub(super) fn is_path(path: &str) -> bool {
    path.starts_with(PREFIX)
}

/// Answers a request to a path of webhooks.
pub(super) async fn answer(
    exchange: &Exchange,
    webhooks: &Webhooks,
    request: Request<Body>,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    if head.method != Verb::POST {
        return json::other_verb(&head, &Verb::POST);
    }
    let Ok(_place) = webhooks.places.try_acquire() else {
        return respond(StatusCode::SERVICE_UNAVAILABLE);
    };
    let is_platform = matches!(webhooks.destination, Destination::Tunnel(_));
    let Some(target) = read_target(head.uri.path(), is_platform) else {
        return respond(StatusCode::UNAUTHORIZED);
    };
    if announces_more(&head.headers) {
        return respond(StatusCode::PAYLOAD_TOO_LARGE);
    }
    let status = match (&webhooks.destination, target) {
        (Destination::Receiver(client), Target { route, .. }) => {
            receive(client.as_ref().clone(), route, &head.headers, body).await
        }
        (
            Destination::Tunnel(signer),
            Target {
                runtime: Some(runtime),
                route,
            },
        ) => match webhooks.lanes.enter(runtime.clone()) {
            Some(_turn) => carry((exchange, signer), runtime, route, &head, body).await,
            None => StatusCode::TOO_MANY_REQUESTS,
        },
        (Destination::Tunnel(_), Target { runtime: None, .. }) => StatusCode::UNAUTHORIZED,
    };
    if let Some(connection) = head.extensions.get::<ClientConnection>()
        && status == StatusCode::OK
    {
        connection.authenticated();
    }
    respond(status)
}

/// Reads the names in a path. Each is plain text, so nothing in it can mean another place.
fn read_target(path: &str, is_platform: bool) -> Option<Target<'_>> {
    let mut steps = path.strip_prefix(PREFIX)?.split('/');
    let runtime = if is_platform {
        let account = steps.next()?.parse().ok()?;
        Some((account, steps.next()?.parse().ok()?))
    } else {
        None
    };
    let route = steps.next().filter(|_| steps.next().is_none())?;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_name = (1..=63).contains(&route.len()) && route.bytes().all(plain);
    is_name.then_some(Target { runtime, route })
}

fn announces_more(headers: &HeaderMap) -> bool {
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    length.is_some_and(|length| length > LARGEST_BODY)
}

/// Sends a webhook to the part that receives it, while it arrives.
async fn receive(
    mut client: WebhookReceiverServiceClient<Peer>,
    route: &str,
    headers: &HeaderMap,
    body: Body,
) -> StatusCode {
    let (pieces_tx, pieces) = mpsc::channel(4);
    let head = pb::WebhookHead {
        route: route.to_owned(),
        headers: to_sent(headers),
    };
    let answer = client.receive_webhook(ReceiverStream::new(pieces));
    let pump = pump(head, body, &pieces_tx);
    tokio::pin!(answer, pump);
    let mut until = Instant::now() + RECEIVE_WITHIN;
    let mut is_sent = false;
    loop {
        tokio::select! {
            answer = &mut answer => return match answer {
                Ok(_) => StatusCode::OK,
                Err(status) => to_http(&status),
            },
            sent = &mut pump, if !is_sent => {
                if !sent {
                    return StatusCode::BAD_REQUEST;
                }
                is_sent = true;
                until = Instant::now() + ANSWER_WITHIN;
            }
            () = sleep_until(until) => return StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// Sends head, body and end. Returns false for a body that was cut off, after which no end may follow.
async fn pump(
    head: pb::WebhookHead,
    mut body: Body,
    pieces: &mpsc::Sender<pb::ReceiveWebhookRequest>,
) -> bool {
    let send = async |part| {
        let message = pb::ReceiveWebhookRequest { part: Some(part) };
        // The other end has answered already if it takes no more.
        let _ = pieces.send(message).await;
    };
    send(Part::Head(head)).await;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return false };
        let Ok(mut data) = frame.into_data() else {
            continue;
        };
        while !data.is_empty() {
            let piece: Bytes = data.split_to(data.len().min(PIECE));
            send(Part::Body(piece)).await;
        }
    }
    send(Part::End(pb::WebhookEnd {})).await;
    true
}

/// Sends a webhook to the router of a runtime.
async fn carry(
    (exchange, signer): (&Exchange, &Signer),
    (account, runtime): (AccountId, RuntimeId),
    route: &str,
    head: &Parts,
    body: Body,
) -> StatusCode {
    let path = format!("{PREFIX}{route}");
    let Some(headers) = to_carried(signer, (account, runtime), &path, &head.headers) else {
        return StatusCode::SERVICE_UNAVAILABLE;
    };
    let upstream: &Upstream = match exchange.upstream(TUNNEL, &headers) {
        Ok(upstream) => upstream,
        Err(_not_configured) => return StatusCode::SERVICE_UNAVAILABLE,
    };
    let path = PathAndQuery::try_from(path).expect("names of routes are plain");
    let body = Body::new(Limited::new(body, LARGEST_BODY).map_err(Status::from_error));
    let sent = timeout(
        RECEIVE_WITHIN + ANSWER_WITHIN,
        upstream.send(path, headers, body),
    );
    let Ok(Ok((response, _place))) = sent.await else {
        return StatusCode::SERVICE_UNAVAILABLE;
    };
    // An answer of the tunnel itself is a gRPC status.
    if names::is_grpc(response.headers()) {
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    match response.status() {
        status @ (StatusCode::OK
        | StatusCode::BAD_REQUEST
        | StatusCode::UNAUTHORIZED
        | StatusCode::PAYLOAD_TOO_LARGE
        | StatusCode::TOO_MANY_REQUESTS) => status,
        _other => StatusCode::SERVICE_UNAVAILABLE,
    }
}

fn to_carried(
    signer: &Signer,
    (account, runtime): (AccountId, RuntimeId),
    path: &str,
    from: &HeaderMap,
) -> Option<HeaderMap> {
    let id = HeaderValue::from_str(runtime.as_str()).ok()?;
    let audience = Audience {
        account,
        runtime: Some(runtime),
        part: crate::PART.parse().ok()?,
    };
    let assertion = signer.for_runtime_path(path, audience).ok()?;
    let mut headers = HeaderMap::new();
    for (name, value) in sent_headers(from) {
        headers.append(name, value);
    }
    if let Some(own) = headers.remove(header::AUTHORIZATION) {
        headers.insert(AUTHORIZATION, own);
    }
    headers.insert(names::ROUTE, ROUTE);
    headers.insert(names::RUNTIME, id);
    let bearer = HeaderValue::try_from(format!("Bearer {assertion}")).ok()?;
    headers.insert(header::AUTHORIZATION, bearer);
    causeway_shell::inject_trace(&mut headers);
    Some(headers)
}

fn to_sent(headers: &HeaderMap) -> Vec<pb::WebhookHeader> {
    let sent = sent_headers(headers);
    let to_header = |(name, value): (HeaderName, HeaderValue)| pb::WebhookHeader {
        name: name.as_str().to_owned(),
        value: Bytes::copy_from_slice(value.as_bytes()),
    };
    sent.map(to_header).collect()
}

/// Headers that a provider may have meant: its own, and a credential that is no one of Causeway.
fn sent_headers(headers: &HeaderMap) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let mut sent = headers.clone();
    remove_hop_by_hop(&mut sent);
    let own = sent.remove(AUTHORIZATION);
    let own = own.or_else(|| sent.remove(header::AUTHORIZATION));
    sent.remove(header::AUTHORIZATION);
    let is_basic = |value: &HeaderValue| {
        let scheme = value.as_bytes().get(..6);
        scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"basic "))
    };
    if let Some(own) = own.filter(is_basic) {
        sent.insert(header::AUTHORIZATION, own);
    }
    let is_meant = |(name, _): &(HeaderName, HeaderValue)| {
        let text = name.as_str();
        let is_listed = matches!(
            text,
            "authorization" | "content-type" | "idempotency-key" | "user-agent"
        );
        is_listed || text.starts_with("x-") || text.starts_with("webhook-")
    };
    let pairs: Vec<_> = sent
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    pairs.into_iter().filter(is_meant).take(MOST_HEADERS)
}

fn to_http(status: &Status) -> StatusCode {
    match (status.code(), reason(status)) {
        (Code::Unauthenticated, Some(Reason::CredentialInvalid)) => StatusCode::UNAUTHORIZED,
        (Code::ResourceExhausted, Some(Reason::TooLarge)) => StatusCode::PAYLOAD_TOO_LARGE,
        (Code::ResourceExhausted, Some(Reason::Throttled)) => StatusCode::TOO_MANY_REQUESTS,
        (Code::InvalidArgument, _) => StatusCode::BAD_REQUEST,
        _other => {
            tracing::warn!(%status, "a webhook was not received");
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}

fn respond(status: StatusCode) -> Response<Body> {
    let text = match status {
        StatusCode::OK => "received\n",
        StatusCode::BAD_REQUEST => "the body was cut off\n",
        StatusCode::PAYLOAD_TOO_LARGE => "the body is too large\n",
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "try again\n",
        _refused => "",
    };
    let mut response = Response::new(Body::new(Full::new(Bytes::from_static(text.as_bytes()))));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, plain);
    if matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    ) {
        let second = HeaderValue::from_static("1");
        response.headers_mut().insert(header::RETRY_AFTER, second);
    }
    response
}

impl Lanes {
    fn enter(&self, runtime: (AccountId, RuntimeId)) -> Option<Turn> {
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = lanes.entry(runtime.clone()).or_default();
        if *count >= RUNTIME_PLACES {
            return None;
        }
        *count += 1;
        Some(Turn {
            lanes: self.clone(),
            runtime,
        })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut lanes = self.lanes.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = lanes.get_mut(&self.runtime) {
            *count -= 1;
            if *count == 0 {
                lanes.remove(&self.runtime);
            }
        }
    }
}

#[cfg(test)]
mod tests;
