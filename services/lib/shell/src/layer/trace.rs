//! Trace layer: a server span and metrics for every call.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use causeway_assertion::Side;
use causeway_proto::method::method;
use http::{HeaderMap, Request, Response};
use http_body::{Body as HttpBody, Frame};
use hyper::body::Bytes;
use opentelemetry::{
    KeyValue,
    metrics::{Histogram, UpDownCounter},
    propagation::TextMapPropagator as _,
};
use tokio::time::Instant;
use tonic::{Code, Status, body::Body};
use tower::{Layer, Service};
use tracing::{Instrument as _, Span, field::Empty};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use super::{ResponseFuture, take_ready};
use crate::{
    access::public_path, part::Shell, status::Protocol, telemetry, trace::HeaderExtractor,
};

const SECONDS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0,
];

/// Creates a server span in the caller's trace, and counts and times calls by method and code. Methods outside the contract count
/// as `other`, so that clients cannot create labels.
#[derive(Clone, Debug)]
pub struct TraceLayer {
    part: &'static str,
    side: Side,
    duration: Histogram<f64>,
    open: UpDownCounter<i64>,
}

impl TraceLayer {
    #[must_use]
    pub fn new(shell: &Shell) -> Self {
        let meter = shell.meter();
        Self {
            part: shell.name(),
            side: shell.side(),
            duration: meter
                .f64_histogram("rpc.server.duration")
                .with_description("Duration of calls, for streams until their end")
                .with_unit("s")
                .with_boundaries(SECONDS.to_vec())
                .build(),
            open: meter
                .i64_up_down_counter("rpc.server.open")
                .with_description("Open calls and streams")
                .build(),
        }
    }

    fn span<B>(&self, name: &'static str, request: &Request<B>) -> Span {
        let name = name.trim_start_matches('/');
        let (service, rpc) = name.split_once('/').unwrap_or((name, ""));
        let span = tracing::info_span!(
            "call",
            otel.name = name,
            otel.kind = "server",
            otel.status_code = Empty,
            rpc.system = "grpc",
            rpc.service = service,
            rpc.method = rpc,
            rpc.grpc.status_code = Empty,
        );
        let caller = telemetry::propagator().extract(&HeaderExtractor(request.headers()));
        // Fails only for a disabled span, which needs no parent.
        let _ = span.set_parent(telemetry::in_part(&caller, self.part, self.side));
        span
    }

    fn side_label(&self) -> KeyValue {
        KeyValue::new("causeway.side", self.side.as_str())
    }
}

/// Path of the contract, which a handler sets as a response extension if the request has another path, as for JSON.
#[derive(Clone, Copy, Debug)]
pub struct RpcPath(pub &'static str);

/// Returns the metric label of a path: a path of the contract, or `other`.
fn metric_name(path: &str) -> &'static str {
    method(path)
        .map(|method| method.path.as_str())
        .or_else(|| public_path(path))
        .unwrap_or("other")
}

#[derive(Clone, Debug)]
pub struct TraceService<S> {
    inner: S,
    layer: TraceLayer,
}

impl<S> Layer<S> for TraceLayer {
    type Service = TraceService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        TraceService {
            inner,
            layer: self.clone(),
        }
    }
}

impl<S, B> Service<Request<B>> for TraceService<S>
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

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let mut inner = take_ready(&mut self.inner);
        let name = metric_name(request.uri().path());
        let span = self.layer.span(name, &request);
        let protocol = Protocol::from_headers(request.headers());
        let call = Call::new(&self.layer, name, span.clone());
        let response = async move {
            let response = inner.call(request).await?;
            Ok(call.follow(response, protocol))
        };
        Box::pin(response.instrument(span))
    }
}

/// A running call. Its end is recorded once: with its status, or when it is dropped.
struct Call {
    layer: TraceLayer,
    name: &'static str,
    span: Span,
    started: Instant,
    code: Code,
    ended: bool,
}

impl Call {
    fn new(layer: &TraceLayer, name: &'static str, span: Span) -> Self {
        layer.open.add(1, &[layer.side_label()]);
        Self {
            layer: layer.clone(),
            name,
            span,
            started: Instant::now(),
            // Remains if the caller disconnects.
            code: Code::Cancelled,
            ended: false,
        }
    }

    fn follow(mut self, mut response: Response<Body>, protocol: Protocol) -> Response<Body> {
        if let Some(RpcPath(name)) = response.extensions_mut().remove() {
            self.span.record("otel.name", name.trim_start_matches('/'));
            self.name = name;
        }
        match protocol {
            Protocol::Json => self.code = grpc_code_from_http(response.status()),
            Protocol::Grpc => self.code = grpc_code(response.headers()).unwrap_or(self.code),
        }
        response.map(|body| Body::new(TracedBody { body, call: self }))
    }

    fn end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        self.layer.open.add(-1, &[self.layer.side_label()]);
        let labels = [
            self.layer.side_label(),
            KeyValue::new("rpc.method", self.name.trim_start_matches('/')),
            KeyValue::new("rpc.grpc.status_code", i64::from(self.code as i32)),
        ];
        let seconds = self.started.elapsed().as_secs_f64();
        self.layer.duration.record(seconds, &labels);
        self.span.record("rpc.grpc.status_code", self.code as i32);
        let is_server_error = matches!(
            self.code,
            Code::Unknown
                | Code::DeadlineExceeded
                | Code::Unimplemented
                | Code::Internal
                | Code::Unavailable
                | Code::DataLoss
        );
        if is_server_error {
            self.span.record("otel.status_code", "ERROR");
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.end();
    }
}

fn grpc_code(headers: &HeaderMap) -> Option<Code> {
    headers
        .get("grpc-status")
        .map(|value| Code::from_bytes(value.as_bytes()))
}

fn grpc_code_from_http(status: http::StatusCode) -> Code {
    match status.as_u16() {
        100..=399 => Code::Ok,
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::NotFound,
        409 => Code::Aborted,
        429 => Code::ResourceExhausted,
        499 => Code::Cancelled,
        501 => Code::Unimplemented,
        503 => Code::Unavailable,
        504 => Code::DeadlineExceeded,
        400..=498 => Code::InvalidArgument,
        _ => Code::Internal,
    }
}

struct TracedBody {
    body: Body,
    call: Call,
}

impl HttpBody for TracedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = &mut *self;
        let body = Pin::new(&mut this.body);
        let polled = this.call.span.in_scope(|| body.poll_frame(cx));
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(code) = frame.trailers_ref().and_then(grpc_code)
        {
            this.call.code = code;
            this.call.end();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}
