//! Deadline layer: ends calls at their deadline, at the maximum duration of unary calls, or shortly after a drain starts.

use std::{
    convert::Infallible,
    task::{Context, Poll},
    time::Duration,
};

use causeway_proto::{error::v1::Reason, method::method};
use http::{HeaderMap, Request, Response};
use http_body::Body as _;
use tokio::time::Instant;
use tonic::{Code, Status, body::Body};
use tower::{Layer, Service};

use super::{ResponseFuture, take_ready, terminated_body::end_body_when};
use crate::{
    shutdown::Shutdown,
    status::{Protocol, respond, status},
};

/// Time after which the drain ends streams that handlers leave open, with `UNAVAILABLE`.
const DRAIN_GRACE: Duration = Duration::from_secs(1);

/// Deadline of the caller, from the request extensions. Handlers propagate it to the services they call.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Deadline(Instant);

impl Deadline {
    #[must_use]
    pub fn from_request<T>(request: &tonic::Request<T>) -> Option<Self> {
        request.extensions().get().copied()
    }

    #[must_use]
    pub fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}

/// Ends calls in time, with `DEADLINE_EXCEEDED`. `grpc-timeout` is honoured; unary calls of the contract have a maximum duration.
#[derive(Clone, Debug)]
pub struct DeadlineLayer {
    shutdown: Shutdown,
    max: Duration,
}

impl DeadlineLayer {
    pub const DEFAULT_MAX: Duration = Duration::from_secs(60);

    #[must_use]
    pub fn new(shutdown: Shutdown, max: Duration) -> Self {
        Self { shutdown, max }
    }

    fn deadline(&self, headers: &HeaderMap, path: &str) -> Result<Option<Deadline>, Status> {
        let requested = grpc_timeout(headers)?;
        let max = method(path)
            .filter(|method| !is_streaming(method))
            .map(|_| self.max);
        let timeout = requested.into_iter().chain(max).min();
        Ok(timeout
            .and_then(|timeout| Instant::now().checked_add(timeout))
            .map(Deadline))
    }
}

fn is_streaming(method: &causeway_proto::method::Method) -> bool {
    method.descriptor.is_client_streaming() || method.descriptor.is_server_streaming()
}

#[derive(Clone, Debug)]
pub struct DeadlineService<S> {
    inner: S,
    layer: DeadlineLayer,
}

impl<S> Layer<S> for DeadlineLayer {
    type Service = DeadlineService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        DeadlineService {
            inner,
            layer: self.clone(),
        }
    }
}

impl<S, B> Service<Request<B>> for DeadlineService<S>
where
    S: Service<Request<B>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let mut inner = take_ready(&mut self.inner);
        let protocol = Protocol::from_headers(request.headers());
        let deadline = match self.layer.deadline(request.headers(), request.uri().path()) {
            Ok(deadline) => deadline,
            Err(status) => return Box::pin(std::future::ready(Ok(respond(&status, protocol)))),
        };
        if let Some(deadline) = deadline {
            request.extensions_mut().insert(deadline);
        }
        let shutdown = self.layer.shutdown.clone();
        Box::pin(async move {
            let response = inner.call(request);
            let response = match deadline {
                None => response.await,
                Some(Deadline(at)) => match tokio::time::timeout_at(at, response).await {
                    Ok(response) => response,
                    Err(_) => return Ok(respond(&exceeded(), protocol)),
                },
            };
            response.map(|response| end_body_in_time(response, deadline, &shutdown, protocol))
        })
    }
}

fn end_body_in_time(
    response: Response<Body>,
    deadline: Option<Deadline>,
    shutdown: &Shutdown,
    protocol: Protocol,
) -> Response<Body> {
    if protocol == Protocol::Json || response.body().is_end_stream() {
        return response;
    }
    let shutdown = shutdown.requested();
    let end = async move {
        let drained = async {
            shutdown.await;
            tokio::time::sleep(DRAIN_GRACE).await;
        };
        match deadline {
            None => drained.await,
            Some(Deadline(at)) => tokio::select! {
                () = tokio::time::sleep_until(at) => return exceeded(),
                () = drained => {}
            },
        }
        draining()
    };
    response.map(|body| end_body_when(body, end))
}

fn exceeded() -> Status {
    Status::deadline_exceeded(
        "the deadline of this call has passed; allow more time or request less",
    )
}

fn draining() -> Status {
    status(
        Code::Unavailable,
        Reason::Draining,
        "this part is shutting down; retry",
    )
}

fn grpc_timeout(headers: &HeaderMap) -> Result<Option<Duration>, Status> {
    let Some(value) = headers.get("grpc-timeout") else {
        return Ok(None);
    };
    value
        .to_str()
        .ok()
        .and_then(parse_grpc_timeout)
        .map(Some)
        .ok_or_else(|| {
            Status::invalid_argument("grpc-timeout: use up to 8 digits and one of H, M, S, m, u, n")
        })
}

/// Parses a value of `grpc-timeout`: up to eight digits and a unit.
#[must_use]
pub fn parse_grpc_timeout(text: &str) -> Option<Duration> {
    let digits = text.get(..text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match text.as_bytes().last()? {
        b'H' => Some(Duration::from_secs(count * 60 * 60)),
        b'M' => Some(Duration::from_secs(count * 60)),
        b'S' => Some(Duration::from_secs(count)),
        b'm' => Some(Duration::from_millis(count)),
        b'u' => Some(Duration::from_micros(count)),
        b'n' => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
