//! Traces as a collector gets them: from a child process that serves two parts.

use std::{collections::BTreeMap, time::Duration};

use causeway_proto::platform::v1 as pb;
use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::{KeyValue, any_value::Value},
    trace::v1::Span,
};
use pb::key_service_client::KeyServiceClient;
use tokio::{net::TcpListener, sync::mpsc};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

use crate::{child::Running, process::get, stage::authorized};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

struct Collector(mpsc::UnboundedSender<ExportTraceServiceRequest>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.0.send(request.into_inner()).unwrap();
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

fn text(attributes: &[KeyValue], key: &str) -> String {
    let found = attributes.iter().find(|attribute| attribute.key == key);
    match found.and_then(|found| found.value.clone()?.value) {
        Some(Value::StringValue(text)) => text,
        other => panic!("{key}: {other:?} in {attributes:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Where the role that serves two parts listens.
pub(crate) async fn served_at(running: &mut Running) -> String {
    let line = running.line_with("at 127.0.0.1").await;
    let (_, address) = line.rsplit_once("at 127").unwrap();
    let address = address.split([' ', '"']).next().unwrap();
    format!("127{}", address.trim_end_matches('.'))
}

#[tokio::test]
async fn spans_are_exported_under_the_name_of_their_part_in_the_callers_trace() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let (exports_tx, mut exports_rx) = mpsc::unbounded_channel();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(
        tonic::transport::Server::builder()
            .add_service(TraceServiceServer::new(Collector(exports_tx)))
            .serve_with_incoming(TcpListenerStream::new(listener)),
    );
    let environment = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str())];
    let mut running = Running::start("serves-two-parts", &environment);
    let line = running.line_with("admin server listens").await;
    let admin = line.rsplit_once("address=").unwrap().1.to_owned();
    let address = served_at(&mut running).await;
    let mut client = KeyServiceClient::connect(format!("http://{address}"))
        .await
        .unwrap();
    let mut request = authorized(pb::ListSigningKeysRequest {}, "none is needed");
    let parent = format!("00-{TRACE}-{CALLER}-01").parse().unwrap();
    request.metadata_mut().insert("traceparent", parent);
    client.list_signing_keys(request).await.unwrap();
    let line = running.line_with("listed").await;
    let fields = "call{rpc.method=ListSigningKeys}:list_signing_keys: ";
    assert!(line.contains(fields), "{line}");
    let end = format!(r#"listed keys=0 place="the key ring" trace_id={TRACE}"#);
    assert!(line.ends_with(&end), "{line}");
    let metrics = get(&admin, "/metrics").await;
    let counted = r#"causeway_rpc_server_duration_seconds_count{causeway_side="platform""#;
    assert!(metrics.contains(counted), "{metrics}");
    running.signal(rustix::process::Signal::TERM);
    assert_eq!(running.exit().await, 0);

    let mut spans: BTreeMap<String, (String, Span)> = BTreeMap::new();
    let wanted = [
        "causeway.platform.v1.KeyService/ListSigningKeys",
        "list_signing_keys",
        "sweep",
    ];
    while !wanted.iter().all(|name| spans.contains_key(*name)) {
        let export = tokio::time::timeout(Duration::from_secs(60), exports_rx.recv());
        for resource in export.await.unwrap().unwrap().resource_spans {
            let service = text(&resource.resource.unwrap().attributes, "service.name");
            for span in resource
                .scope_spans
                .into_iter()
                .flat_map(|scope| scope.spans)
            {
                spans.insert(span.name.clone(), (service.clone(), span));
            }
        }
    }
    let (service, call) = &spans[wanted[0]];
    assert_eq!(service, "platform");
    assert_eq!(
        (hex(&call.trace_id), hex(&call.parent_span_id)),
        (TRACE.into(), CALLER.into())
    );
    assert_eq!(text(&call.attributes, "causeway.side"), "platform");
    let (service, handler) = &spans[wanted[1]];
    assert_eq!(service, "platform");
    assert_eq!(hex(&handler.trace_id), TRACE);
    assert_eq!(handler.parent_span_id, call.span_id);
    assert_eq!(spans[wanted[2]].0, "inventory");
}
