//! A collector at the wire: keeps what comes, and may refuse it.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use opentelemetry_proto::tonic::{
    collector::{
        metrics::v1::{
            ExportMetricsServiceRequest, ExportMetricsServiceResponse,
            metrics_service_server::{MetricsService, MetricsServiceServer},
        },
        trace::v1::{
            ExportTraceServiceRequest, ExportTraceServiceResponse,
            trace_service_server::{TraceService, TraceServiceServer},
        },
    },
    common::v1::{KeyValue, any_value::Value},
};
use tokio::{net::TcpListener, sync::mpsc, task::JoinSet};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{
    Request, Response, Status,
    codec::CompressionEncoding,
    metadata::MetadataMap,
    transport::{Server, ServerTlsConfig},
};

pub(super) struct Collector {
    pub(super) endpoint: String,
    /// Whether it takes no spans.
    pub(super) refuses: Arc<AtomicBool>,
    /// How many calls it has refused.
    pub(super) refused: Arc<AtomicUsize>,
    exports: mpsc::UnboundedReceiver<Export>,
    metrics: mpsc::UnboundedReceiver<ExportMetricsServiceRequest>,
    _server: JoinSet<Result<(), tonic::transport::Error>>,
}

/// What came in one call.
struct Export {
    tenant: Option<String>,
    encoding: Option<String>,
    request: ExportTraceServiceRequest,
}

/// A span by what is looked at.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) trace: String,
    pub(super) parent: String,
    pub(super) resource: BTreeMap<String, String>,
    pub(super) tenant: Option<String>,
    pub(super) encoding: Option<String>,
}

struct Spans {
    exports_tx: mpsc::UnboundedSender<Export>,
    refuses: Arc<AtomicBool>,
    refused: Arc<AtomicUsize>,
}

struct Metrics(mpsc::UnboundedSender<ExportMetricsServiceRequest>);

#[tonic::async_trait]
impl TraceService for Spans {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        if self.refuses.load(Ordering::Acquire) {
            self.refused.fetch_add(1, Ordering::AcqRel);
            return Err(Status::failed_precondition("full"));
        }
        let export = Export {
            tenant: header(request.metadata(), "x-tenant"),
            encoding: header(request.metadata(), "grpc-encoding"),
            request: request.into_inner(),
        };
        self.exports_tx.send(export).unwrap();
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[tonic::async_trait]
impl MetricsService for Metrics {
    async fn export(
        &self,
        request: Request<ExportMetricsServiceRequest>,
    ) -> Result<Response<ExportMetricsServiceResponse>, Status> {
        self.0.send(request.into_inner()).unwrap();
        Ok(Response::new(ExportMetricsServiceResponse::default()))
    }
}

impl Collector {
    pub(super) async fn start(tls: Option<ServerTlsConfig>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let (exports_tx, exports) = mpsc::unbounded_channel();
        let (metrics_tx, metrics) = mpsc::unbounded_channel();
        let (refuses, refused) = (Arc::default(), Arc::default());
        let spans = Spans {
            exports_tx,
            refuses: Arc::clone(&refuses),
            refused: Arc::clone(&refused),
        };
        let spans = TraceServiceServer::new(spans).accept_compressed(CompressionEncoding::Gzip);
        let own = MetricsServiceServer::new(Metrics(metrics_tx))
            .accept_compressed(CompressionEncoding::Gzip);
        let mut server = Server::builder();
        if let Some(tls) = tls {
            server = server.tls_config(tls).unwrap();
        }
        let serving = server
            .add_service(spans)
            .add_service(own)
            .serve_with_incoming(TcpListenerStream::new(listener));
        let mut tasks = JoinSet::new();
        tasks.spawn(serving);
        Self {
            endpoint: format!("{scheme}://localhost:{port}"),
            refuses,
            refused,
            exports,
            metrics,
            _server: tasks,
        }
    }

    /// All that came since it was asked before.
    pub(super) fn spans(&mut self) -> Vec<(String, Seen)> {
        let mut seen = Vec::new();
        while let Ok(Export {
            tenant,
            encoding,
            request,
        }) = self.exports.try_recv()
        {
            for resource in request.resource_spans {
                let attributes = texts(&resource.resource.unwrap().attributes);
                for span in resource.scope_spans.into_iter().flat_map(|it| it.spans) {
                    let of = Seen {
                        trace: hex(&span.trace_id),
                        parent: hex(&span.parent_span_id),
                        resource: attributes.clone(),
                        tenant: tenant.clone(),
                        encoding: encoding.clone(),
                    };
                    seen.push((span.name, of));
                }
            }
        }
        seen
    }

    /// The names of all metrics that came since it was asked before.
    pub(super) fn metrics(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        while let Ok(request) = self.metrics.try_recv() {
            let resources = request.resource_metrics.into_iter();
            let scopes = resources.flat_map(|resource| resource.scope_metrics);
            names.extend(scopes.flat_map(|scope| scope.metrics).map(|it| it.name));
        }
        names
    }
}

fn header(of: &MetadataMap, name: &str) -> Option<String> {
    let value = of.get(name)?;
    Some(value.to_str().unwrap().to_owned())
}

fn texts(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |it: &KeyValue| match it.value.clone()?.value {
        Some(Value::StringValue(text)) => Some((it.key.clone(), text)),
        _ => None,
    };
    attributes.iter().filter_map(text).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
