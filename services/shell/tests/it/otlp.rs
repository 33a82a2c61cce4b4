//! The standard variables of OpenTelemetry, each as a child process has it.

use std::collections::BTreeMap;

use causeway_proto::platform::v1 as pb;
use causeway_shell::certificate::DevelopmentCa;
use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::{KeyValue, any_value::Value},
};
use pb::key_service_client::KeyServiceClient;
use tokio::{net::TcpListener, sync::mpsc, task::JoinSet};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{
    Request, Response, Status,
    transport::{Identity, Server, ServerTlsConfig},
};

use crate::{child::Running, stage::authorized, telemetry::served_at};

const CALL: &str = "causeway.platform.v1.KeyService/ListSigningKeys";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";
const SAMPLED: &str = "01";
const NOT_SAMPLED: &str = "00";

type Pairs<'a> = &'a [(&'a str, &'a str)];

struct Collector {
    endpoint: String,
    exports: mpsc::UnboundedReceiver<Export>,
    _server: JoinSet<Result<(), tonic::transport::Error>>,
}

/// What came in one call.
struct Export {
    /// The call's own headers that the test looks at.
    tenant: Option<String>,
    request: ExportTraceServiceRequest,
}

/// A span by what is looked at.
#[derive(Debug)]
struct Seen {
    trace: String,
    parent: String,
    resource: BTreeMap<String, String>,
    tenant: Option<String>,
}

struct Service(mpsc::UnboundedSender<Export>);

#[tonic::async_trait]
impl TraceService for Service {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let tenant = request.metadata().get("x-tenant");
        let tenant = tenant.map(|value| value.to_str().unwrap().to_owned());
        let request = request.into_inner();
        self.0.send(Export { tenant, request }).unwrap();
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    async fn start(tls: Option<ServerTlsConfig>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let (exports_tx, exports) = mpsc::unbounded_channel();
        let mut server = Server::builder();
        if let Some(tls) = tls {
            server = server.tls_config(tls).unwrap();
        }
        let serving = server
            .add_service(TraceServiceServer::new(Service(exports_tx)))
            .serve_with_incoming(TcpListenerStream::new(listener));
        let mut tasks = JoinSet::new();
        tasks.spawn(serving);
        Self {
            endpoint: format!("{scheme}://localhost:{port}"),
            exports,
            _server: tasks,
        }
    }

    /// All that came.
    fn spans(&mut self) -> Vec<(String, Seen)> {
        let mut seen = Vec::new();
        while let Ok(Export { tenant, request }) = self.exports.try_recv() {
            for resource in request.resource_spans {
                let attributes = texts(&resource.resource.unwrap().attributes);
                for span in resource.scope_spans.into_iter().flat_map(|it| it.spans) {
                    let of = Seen {
                        trace: hex(&span.trace_id),
                        parent: hex(&span.parent_span_id),
                        resource: attributes.clone(),
                        tenant: tenant.clone(),
                    };
                    seen.push((span.name, of));
                }
            }
        }
        seen
    }
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

/// What a process with these variables exports of one call, until its end. The caller's trace is recorded or not.
async fn exported(
    collector: &mut Collector,
    environment: Pairs<'_>,
    flags: &str,
) -> Vec<(String, Seen)> {
    let endpoint = collector.endpoint.clone();
    let own = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str())];
    let mut running = Running::start("serves-two-parts", &[&own, environment].concat());
    let address = served_at(&mut running).await;
    let client = KeyServiceClient::connect(format!("http://{address}")).await;
    let mut request = authorized(pb::ListSigningKeysRequest {}, "none is needed");
    let parent = format!("00-{TRACE}-{CALLER}-{flags}").parse().unwrap();
    request.metadata_mut().insert("traceparent", parent);
    client.unwrap().list_signing_keys(request).await.unwrap();
    running.signal(rustix::process::Signal::TERM);
    assert_eq!(running.exit().await, 0);
    collector.spans()
}

fn call(spans: Vec<(String, Seen)>) -> Seen {
    let found = spans.into_iter().find(|(name, _)| name == CALL);
    found.expect("the call is exported").1
}

#[tokio::test]
async fn who_exports_is_as_the_user_says() {
    let mut collector = Collector::start(None).await;
    let environment = [
        ("OTEL_SERVICE_NAME", "mine"),
        (
            "OTEL_RESOURCE_ATTRIBUTES",
            "deployment.environment.name=test,service.namespace=ours",
        ),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=acme"),
    ];
    let call = call(exported(&mut collector, &environment, SAMPLED).await);
    let resource = |name: &str| call.resource.get(name).map(String::as_str);
    assert_eq!(resource("service.name"), Some("mine"));
    assert_eq!(resource("service.namespace"), Some("ours"));
    assert_eq!(resource("deployment.environment.name"), Some("test"));
    assert_eq!(resource("service.version"), Some(env!("CARGO_PKG_VERSION")));
    assert_eq!(call.tenant.as_deref(), Some("acme"));
    assert_eq!((call.trace.as_str(), call.parent.as_str()), (TRACE, CALLER));
}

#[tokio::test]
async fn what_is_recorded_is_as_the_sampler_says() {
    let mut collector = Collector::start(None).await;
    let none = [
        ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
        ("OTEL_TRACES_SAMPLER_ARG", "0"),
    ];
    let recorded = exported(&mut collector, &none, SAMPLED).await;
    let names: Vec<&str> = recorded.iter().map(|(name, _)| name.as_str()).collect();
    assert!(
        names.contains(&CALL),
        "what the caller records goes on: {names:?}"
    );
    assert!(
        !names.contains(&"sweep"),
        "what begins here is not: {names:?}"
    );
    assert!(
        exported(&mut collector, &none, NOT_SAMPLED)
            .await
            .is_empty()
    );
    let never = [("OTEL_TRACES_SAMPLER", "always_off")];
    assert!(exported(&mut collector, &never, SAMPLED).await.is_empty());
    let always = [("OTEL_TRACES_SAMPLER", "always_on")];
    call(exported(&mut collector, &always, NOT_SAMPLED).await);
}

#[tokio::test]
async fn nothing_is_exported_where_that_is_said() {
    let mut collector = Collector::start(None).await;
    for (name, value) in [
        ("OTEL_SDK_DISABLED", "true"),
        ("OTEL_TRACES_EXPORTER", "none"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:9"),
    ] {
        let spans = exported(&mut collector, &[(name, value)], SAMPLED).await;
        assert!(spans.is_empty(), "{name}: {spans:?}");
    }
}

#[tokio::test]
async fn a_process_that_propagates_nothing_begins_a_trace_of_its_own() {
    let mut collector = Collector::start(None).await;
    let environment = [("OTEL_PROPAGATORS", "none")];
    let call = call(exported(&mut collector, &environment, SAMPLED).await);
    assert_ne!(call.trace, TRACE);
    assert_eq!(call.parent, "");
}

#[tokio::test]
async fn a_collector_behind_tls_is_known_by_its_certificate() {
    causeway_shell::install_crypto();
    let folder = tempfile::tempdir().unwrap();
    let ca = DevelopmentCa::open_or_create(folder.path()).unwrap();
    let identity = ca.server_identity(&["localhost"]).unwrap();
    let identity = Identity::from_pem(identity.certificate_pem, identity.key_pem);
    let tls = ServerTlsConfig::new().identity(identity);
    let mut collector = Collector::start(Some(tls)).await;
    let file = folder.path().join("ca.pem").display().to_string();
    let trusted = [("OTEL_EXPORTER_OTLP_CERTIFICATE", file.as_str())];
    call(exported(&mut collector, &trusted, SAMPLED).await);
    assert!(exported(&mut collector, &[], SAMPLED).await.is_empty());
}

#[tokio::test]
async fn what_is_not_spoken_is_said_at_the_start() {
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
    let protocol = ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
    let mut running = Running::start("serves-two-parts", &[endpoint, protocol]);
    let line = running.line_with("error: ").await;
    let words =
        "error: OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf: telemetry is exported by gRPC alone";
    assert!(line.starts_with(words), "{line}");
    let propagators = ("OTEL_PROPAGATORS", "b3multi");
    let mut running = Running::start("serves-two-parts", &[propagators]);
    let line = running.line_with("error: ").await;
    assert_eq!(
        line,
        "error: OTEL_PROPAGATORS: `b3multi` is not spoken: use tracecontext, or none"
    );
}

#[tokio::test]
async fn each_line_of_a_log_for_programs_names_its_trace_and_span() {
    let environment = [("CAUSEWAY_LOG_FORMAT", "json")];
    let mut running = Running::start("serves-two-parts", &environment);
    let address = served_at(&mut running).await;
    let client = KeyServiceClient::connect(format!("http://{address}")).await;
    let mut request = authorized(pb::ListSigningKeysRequest {}, "none is needed");
    let parent = format!("00-{TRACE}-{CALLER}-{SAMPLED}").parse().unwrap();
    request.metadata_mut().insert("traceparent", parent);
    client.unwrap().list_signing_keys(request).await.unwrap();
    let line = running.line_with("listed").await;
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["trace_id"], TRACE, "{line}");
    let span = line["span_id"].as_str().unwrap();
    assert!(span.len() == 16 && span != CALLER, "{line}");
    assert_eq!(line["place"], "the key ring", "{line}");
}
