//! One call from the caller to the part that serves it: who asks, with what credential it goes on, where to, until when.

mod admission;
mod question;

use std::{future::Future, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use causeway_proto::{access::v1::Kind, error::v1::Reason};
use causeway_relay::RelayBody;
use causeway_shell::{ByteBudget, ClientConnection, layer::first_message::FirstMessage};
use futures::{
    FutureExt as _,
    future::{BoxFuture, select_all},
};
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::time::Instant;
use tonic::{Code, Status, body::Body};

use crate::{
    authorize::{Authorizer, CallGuard, GrantUse},
    config::Side,
    grpc_frame::{Frame, PREFIX},
    header::{self, Credential},
    intake::{self, LARGEST_UNVERIFIED},
    limits::{Limits, Turn},
    refusal,
    request_guard::{RequestGuard, guard_requests},
    source::Source,
    table::{Method, Shape},
    upstream::{ConnectionSlot, Upstream, Upstreams},
};

/// How long a unary call may take whose caller does not say.
const UNARY_TIME: Duration = Duration::from_secs(60);
/// How long a caller may take to send a request that is read as a whole.
const REQUEST_TIME: Duration = Duration::from_secs(30);
const BROKEN: &str = "the connection to the part broke before the answer ended";
/// Streams may continue this long in the drain.
const DRAIN_GRACE: Duration = Duration::from_secs(1);
/// The upstream that carries calls into runtimes.
pub(crate) const TUNNEL: &str = "tunnel-server";
pub(crate) const ROUTE: HeaderValue = HeaderValue::from_static("router");

/// Resolves when a call must end although its upstream continues.
pub(crate) type End = BoxFuture<'static, Status>;
/// The response of a part. Its guards free the connection's slot, end the request stream, and let the next call have its turn.
pub(crate) type Relayed = RelayBody<Incoming, (ConnectionSlot, Option<RequestGuard>, Vec<Turn>)>;

/// Where calls go from here.
pub(crate) struct Exchange {
    pub(crate) side: Side,
    pub(crate) upstreams: Upstreams,
    /// The routers of runtimes that are reached by ingress, by the ids of these; all others are reached by the tunnel.
    pub(crate) runtimes: Upstreams,
    /// On the platform side only.
    pub(crate) authorizer: Option<Authorizer>,
    /// On the platform side only.
    pub(crate) limits: Option<Limits>,
    pub(crate) shutdown: causeway_shell::Shutdown,
    /// Memory for what is held as a whole.
    pub(crate) budget: ByteBudget,
}

/// What a caller wants.
pub(crate) struct Call<'c> {
    pub(crate) method: &'c Method,
    pub(crate) headers: &'c HeaderMap,
    pub(crate) source: Option<Source>,
    /// Absent where there is no connection of a client.
    connection: Option<ClientConnection>,
    deadline: Option<Instant>,
}

/// The request's body.
pub(crate) enum Payload {
    Stream(Body),
    Message(Frame),
}

/// What comes back: headers with or without a status, then the body.
pub(crate) struct Answer {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Relayed,
}

impl<'c> Call<'c> {
    pub(crate) fn new(
        method: &'c Method,
        headers: &'c HeaderMap,
        source: Option<Source>,
        connection: Option<ClientConnection>,
    ) -> Result<Self, Status> {
        let unary = (method.shape == Shape::Unary).then_some(UNARY_TIME);
        let timeout = header::timeout(headers)?.or(unary);
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        Ok(Self {
            method,
            headers,
            source,
            connection,
            deadline,
        })
    }

    /// Notes at the connection that a part has begun to answer, and so has verified the credential.
    fn admitted(&self, answer: &HeaderMap) {
        let is_public = self.method.contract.kind == Kind::Public;
        let failed = Status::from_header_map(answer).is_some_and(|it| it.code() != Code::Ok);
        if let Some(connection) = self.connection.as_ref().filter(|_| !is_public && !failed) {
            connection.authenticated();
        }
    }

    /// Waits no longer than the caller does.
    pub(crate) async fn within<T>(&self, future: impl Future<Output = T>) -> Result<T, Status> {
        match self.deadline {
            None => Ok(future.await),
            Some(deadline) => tokio::time::timeout_at(deadline, future)
                .await
                .map_err(|_| refusal::deadline_exceeded()),
        }
    }

    /// Waits for a request that is read as a whole.
    pub(crate) async fn receive<T>(&self, future: impl Future<Output = T>) -> Result<T, Status> {
        let received = self.within(tokio::time::timeout(REQUEST_TIME, future));
        received.await?.map_err(|_| refusal::request_too_slow())
    }

    fn upstream_headers(&self) -> HeaderMap {
        let mut headers = header::request(self.headers);
        if let Some(deadline) = self.deadline {
            let remaining = deadline.saturating_duration_since(Instant::now());
            headers.insert(header::GRPC_TIMEOUT, header::to_grpc_timeout(remaining));
        }
        causeway_shell::inject_trace(&mut headers);
        headers
    }
}

impl Payload {
    /// The message that a call is known by: the only one, or the first of a session. Beside it is all that goes on.
    async fn read<'v>(
        self,
        kind: Kind,
        budget: &ByteBudget,
        verify: impl FnOnce() -> BoxFuture<'v, Result<(), Status>>,
    ) -> Result<(Bytes, Self), Status> {
        match self {
            Self::Stream(body) if kind == Kind::Session => {
                // It names what the session is for, and is as small as that.
                let first = FirstMessage::read(body, LARGEST_UNVERIFIED);
                let FirstMessage { message, body } = first.await?;
                Ok((message, Self::Stream(body)))
            }
            payload @ (Self::Stream(_) | Self::Message(_)) => {
                let frame = payload.into_frame(budget, verify).await?;
                Ok((frame.message(), Self::Message(frame)))
            }
        }
    }

    /// The one message of a call, read as a whole.
    async fn into_frame<'v>(
        self,
        budget: &ByteBudget,
        verify: impl FnOnce() -> BoxFuture<'v, Result<(), Status>>,
    ) -> Result<Frame, Status> {
        match self {
            Self::Message(frame) => Ok(frame),
            Self::Stream(mut body) => {
                let largest = refusal::LARGEST_REQUEST + PREFIX;
                Ok(Frame::from_body(
                    intake::read(&mut body, largest, budget, verify).await?,
                )?)
            }
        }
    }

    /// What is sent, and what it is guarded to where more may follow.
    fn into_body(self) -> (Option<RequestGuard>, Body) {
        match self {
            Self::Stream(body) => {
                let (guard, body) = guard_requests(body);
                (Some(guard), body)
            }
            Self::Message(frame) => (None, Body::new(Full::new(frame.into_bytes()))),
        }
    }
}

/// A call that may go on.
struct Admitted {
    headers: HeaderMap,
    payload: Payload,
    call_guard: CallGuard,
    /// Resolves when the caller loses the right to an open stream.
    revoked: Option<End>,
    turns: Vec<Turn>,
}

impl Exchange {
    /// Makes the call. The answer has begun when this resolves; dropping either cancels it.
    pub(crate) async fn call(&self, call: &Call<'_>, payload: Payload) -> Result<Answer, Status> {
        let part = self.part(call.method)?;
        let mut admitted = self.admit(call, payload).await?;
        let upstream = self.upstream(part, &admitted.headers);
        let upstream = upstream.inspect_err(|status| admitted.call_guard.ended(status))?;
        let (guard, body) = admitted.payload.into_body();
        let sent = upstream.send(call.method.target.clone(), admitted.headers, body);
        let answer = match call.within(sent).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(Status::from(error)),
            Err(status) => Err(status),
        };
        let (response, place) = answer.inspect_err(|status| admitted.call_guard.ended(status))?;
        let (head, incoming) = response.into_parts();
        if !is_grpc(&head) {
            let status = not_grpc(head.status);
            admitted.call_guard.ended(&status);
            return Err(status);
        }
        call.admitted(&head.headers);
        let mut end = self.end(call.deadline, admitted.revoked);
        if call.method.contract.kind == Kind::Session {
            end = end.map(refusal::cut_off).boxed();
        }
        let mut call_guard = admitted.call_guard;
        call_guard.effected(&head.headers);
        let body = RelayBody::new(incoming, (place, guard, admitted.turns), |_error| {
            refusal::lost(BROKEN)
        })
        .requiring_status(&head.headers, move |status| call_guard.ended(status))
        .ending_when(end);
        let headers = header::response(&head.headers);
        Ok(Answer { headers, body })
    }

    /// The part that takes a call from here.
    fn part<'m>(&self, method: &'m Method) -> Result<&'m str, Status> {
        let path = method.path();
        match (self.side, method.is_inside_runtime()) {
            (_, true) if method.contract.kind == Kind::Stream => {
                let text =
                    format!("{path} has a stream of requests, which never crosses into a runtime");
                Err(Status::unimplemented(text))
            }
            (Side::Platform, true) => Ok(TUNNEL),
            (Side::Runtime, false) => {
                let text = format!("{path} is served by the platform, not inside of a runtime");
                Err(Status::unimplemented(text))
            }
            (Side::Platform, false) | (Side::Runtime, true) => Ok(&method.contract.part),
        }
    }

    /// Where that part is; into a runtime by ingress where this one's is known.
    pub(crate) fn upstream(&self, part: &str, headers: &HeaderMap) -> Result<&Upstream, Status> {
        let runtime = headers.get(header::RUNTIME).filter(|_| part == TUNNEL);
        let runtime = runtime.and_then(|id| self.runtimes.get(id.to_str().ok()?));
        runtime.or_else(|| self.upstreams.get(part)).ok_or_else(|| {
            let text = format!(
                "this router does not know where {part} is: start it with --upstream {part}=URL"
            );
            refusal::status(Code::Unavailable, Reason::UpstreamUnavailable, text)
        })
    }

    /// Refuses a call that shows no credential although it needs one, before any of its body is read.
    pub(crate) fn check_credential(&self, call: &Call<'_>) -> Result<(), Status> {
        let public = call.method.contract.kind == Kind::Public;
        match (header::credential(call.headers)?, &self.authorizer) {
            (Credential::None, _) if !public => Err(refusal::credential_missing()),
            (Credential::ApiKey(_), None) if !public => Err(no_keys_here()),
            (Credential::None | Credential::ApiKey(_) | Credential::Assertion(_), _) => Ok(()),
        }
    }

    /// Verifies the credential of a call, before more than a little of its body is read.
    pub(crate) async fn verify_credential(&self, call: &Call<'_>) -> Result<(), Status> {
        self.check_credential(call)?;
        if call.method.contract.kind == Kind::Public {
            return Err(refusal::public_too_large());
        }
        match (header::credential(call.headers)?, &self.authorizer) {
            (Credential::ApiKey(key), Some(authorizer)) => {
                authorizer.verify(key, call.source).await
            }
            // Only the part that serves the call verifies an assertion.
            (Credential::None | Credential::ApiKey(_) | Credential::Assertion(_), _) => {
                Err(refusal::assertion_unverified())
            }
        }
    }

    async fn admit(&self, call: &Call<'_>, payload: Payload) -> Result<Admitted, Status> {
        let carry = |authorization: Option<HeaderValue>| {
            let mut headers = call.upstream_headers();
            if self.side == Side::Platform && call.method.is_inside_runtime() {
                let runtime = authorization.as_ref().and_then(runtime_of);
                route(&mut headers, runtime);
            }
            if let Some(authorization) = authorization {
                headers.insert(AUTHORIZATION, authorization);
            }
            headers
        };
        let public = call.method.contract.kind == Kind::Public;
        let payload = if public {
            let frame = payload.into_frame(&self.budget, || {
                async { Err(refusal::public_too_large()) }.boxed()
            });
            Payload::Message(call.receive(frame).await??)
        } else {
            payload
        };
        let mut turns = Vec::new();
        let headers = match (header::credential(call.headers)?, &self.authorizer) {
            // Public calls go on with this router's assertion of their source only: a forged assertion of an unauthenticated
            // client would otherwise pass with the router's address.
            (_, Some(authorizer)) if public => {
                let mut headers = carry(None);
                if let Some(source) = call.source {
                    authorizer.introduce(&call.method.contract, source, &mut headers)?;
                }
                headers
            }
            (Credential::Assertion(assertion), _) => {
                turns.extend(self.enter_by_address(call, &assertion).await?);
                carry(Some(assertion))
            }
            // A key must not travel further than it has to.
            (Credential::None | Credential::ApiKey(_), None) if public => carry(None),
            (Credential::None, _) => return Err(refusal::credential_missing()),
            (Credential::ApiKey(_), None) => return Err(no_keys_here()),
            (Credential::ApiKey(key), Some(authorizer)) => {
                let exchanged = self.exchange(call, payload, (key, authorizer));
                return exchanged.boxed().await;
            }
        };
        let call_guard = CallGuard::default();
        Ok(Admitted {
            headers,
            payload,
            call_guard,
            revoked: None,
            turns,
        })
    }

    /// Changes an API key into an assertion for this request.
    async fn exchange(
        &self,
        call: &Call<'_>,
        payload: Payload,
        (key, authorizer): (String, &Authorizer),
    ) -> Result<Admitted, Status> {
        let kind = call.method.contract.kind;
        if call.method.shape == Shape::RequestStream && kind != Kind::Session {
            let text = "a call with a stream of requests is for parts of Causeway, which show an assertion of their own key; it takes no API key";
            return Err(refusal::status(
                Code::PermissionDenied,
                Reason::PermissionDenied,
                text,
            ));
        }
        let turn = self.enter_known(call, &key).await?;
        let verify = || authorizer.verify(key.clone(), call.source).boxed();
        let (message, payload) = call
            .receive(payload.read(kind, &self.budget, verify))
            .await??;
        let headers = call.upstream_headers();
        let mut question = question::of(call, &headers, &message, key)?;
        let grant_use = match kind {
            Kind::Mutation | Kind::SecretRead => GrantUse::Once,
            Kind::Session => GrantUse::Session,
            Kind::Read | Kind::Public | Kind::Stream | Kind::Unspecified => GrantUse::Repeated,
        };
        let permit = authorizer.permit(question.clone(), grant_use).boxed();
        let (grant, mut call_guard) = call.within(permit).await??;
        let turns = self.enter_granted(call, turn, &question.credential, &grant);
        let turns = turns.await.inspect_err(|status| call_guard.ended(status))?;
        let mut headers = headers;
        if call.method.is_inside_runtime() {
            route(&mut headers, Some(grant.runtime));
        }
        headers.insert(AUTHORIZATION, grant.authorization);
        question.going_on = kind == Kind::Session;
        let streams = call.method.shape != Shape::Unary;
        let revoked = streams.then(|| call_guard.revoked(question).boxed());
        Ok(Admitted {
            headers,
            payload,
            call_guard,
            revoked,
            turns,
        })
    }

    /// When an answer ends even if the upstream goes on.
    fn end(&self, deadline: Option<Instant>, revoked: Option<End>) -> End {
        let shutdown = self.shutdown.requested();
        let drained = async move {
            shutdown.await;
            tokio::time::sleep(DRAIN_GRACE).await;
            let text = "this router is stopping; try again";
            refusal::status(Code::Unavailable, Reason::Draining, text)
        };
        let mut ends = vec![drained.boxed()];
        ends.extend(revoked);
        ends.extend(deadline.map(|deadline| {
            tokio::time::sleep_until(deadline)
                .map(|()| refusal::deadline_exceeded())
                .boxed()
        }));
        select_all(ends).map(|(status, _, _)| status).boxed()
    }
}

fn no_keys_here() -> Status {
    let text = "API keys are taken by the platform's router; a runtime's router takes assertions";
    refusal::status(Code::Unauthenticated, Reason::CredentialInvalid, text)
}

fn route(headers: &mut HeaderMap, runtime: Option<HeaderValue>) {
    headers.insert(header::ROUTE, ROUTE);
    if let Some(runtime) = runtime {
        headers.insert(header::RUNTIME, runtime);
    }
}

/// What an assertion claims. The part that it is for verifies it; here it is only a hint.
#[derive(serde::Deserialize)]
struct Claims {
    aud: String,
    #[serde(default)]
    sub: String,
}

impl Claims {
    fn of(authorization: &HeaderValue) -> Option<Self> {
        let payload = authorization.to_str().ok()?.split('.').nth(1)?;
        let payload = URL_SAFE_NO_PAD.decode(payload).ok()?;
        serde_json::from_slice(&payload).ok()
    }
}

/// The runtime that an assertion is for.
fn runtime_of(authorization: &HeaderValue) -> Option<HeaderValue> {
    let home = Claims::of(authorization)?.aud;
    HeaderValue::from_str(home.split('/').nth(1)?).ok()
}

fn is_grpc(head: &http::response::Parts) -> bool {
    head.status == http::StatusCode::OK && header::is_grpc(&head.headers)
}

fn not_grpc(status: http::StatusCode) -> Status {
    let text = format!(
        "the part did not answer in gRPC but with HTTP {status}; check the --upstream of this router"
    );
    refusal::lost(text)
}
