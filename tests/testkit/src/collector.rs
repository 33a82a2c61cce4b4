//! OTLP collector on its own port that stores spans.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::{AnyValue, any_value::Value},
};
use prost::Message as _;
use tokio::{net::TcpListener, task::JoinSet};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, transport::Server};

/// Received span.
#[derive(Debug, Clone)]
pub struct Span {
    /// Service of the span.
    pub service: String,
    pub name: String,
    /// 32 hexadecimal digits.
    pub trace_id: String,
    /// 16 hexadecimal digits.
    pub span_id: String,
    /// 16 hexadecimal digits; empty for a root span.
    pub parent_id: String,
}

/// A running collector.
pub struct Collector {
    address: SocketAddr,
    spans: Spans,
    _server: JoinSet<()>,
}

#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<Span>>>, Arc<Mutex<Vec<u8>>>);

impl Collector {
    /// Starts on a free loopback port.
    ///
    /// # Panics
    /// No port is available.
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("loopback has free ports");
        let address = listener
            .local_addr()
            .expect("a bound listener has an address");
        let spans = Spans::default();
        let service = TraceServiceServer::new(spans.clone()).max_decoding_message_size(64 << 20);
        let serving = Server::builder()
            .add_service(service)
            .serve_with_incoming(TcpListenerStream::new(listener));
        let mut server = JoinSet::new();
        server.spawn(async move {
            // Ends with the test.
            let _ = serving.await;
        });
        Self {
            address,
            spans,
            _server: server,
        }
    }

    /// Returns the value of OTEL_EXPORTER_OTLP_ENDPOINT.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns everything exported so far, unparsed.
    pub fn bytes(&self) -> Vec<u8> {
        self.spans
            .1
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Returns all spans so far.
    pub fn spans(&self) -> Vec<Span> {
        self.spans
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[tonic::async_trait]
impl TraceService for Spans {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let exported = request.get_ref().encode_to_vec();
        self.1
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(exported);
        let spans = request
            .into_inner()
            .resource_spans
            .into_iter()
            .flat_map(|resource| {
                let attributes = resource
                    .resource
                    .map(|resource| resource.attributes)
                    .unwrap_or_default();
                let named = attributes
                    .into_iter()
                    .find(|attribute| attribute.key == "service.name");
                let service = text(named.and_then(|attribute| attribute.value));
                let spans = resource
                    .scope_spans
                    .into_iter()
                    .flat_map(|scope| scope.spans);
                spans.map(move |span| Span {
                    service: service.clone(),
                    name: span.name,
                    trace_id: hex(&span.trace_id),
                    span_id: hex(&span.span_id),
                    parent_id: hex(&span.parent_span_id),
                })
            });
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(spans);
        Ok(Response::new(ExportTraceServiceResponse {
            partial_success: None,
        }))
    }
}

fn text(value: Option<AnyValue>) -> String {
    match value.and_then(|value| value.value) {
        Some(Value::StringValue(text)) => text,
        _ => String::new(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
