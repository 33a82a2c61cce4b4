//! The standard variables of OpenTelemetry, each as a child process has it.

mod collector;

use std::sync::atomic::Ordering;

use causeway_assertion::development_ca::DevelopmentCa;
use causeway_proto::platform::v1 as pb;
use pb::key_service_client::KeyServiceClient;
use tonic::transport::{Certificate, Channel, Identity, ServerTlsConfig};

use collector::{Collector, Seen};

use crate::{child::Running, stage::authorized, telemetry::served_at};

const CALL: &str = "causeway.platform.v1.KeyService/ListSigningKeys";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";
const SAMPLED: &str = "01";
const NOT_SAMPLED: &str = "00";

type Pairs<'a> = &'a [(&'a str, &'a str)];

/// What a process with these variables exports of one call, until its end. The caller's trace is recorded or not.
async fn exported(
    collector: &mut Collector,
    environment: Pairs<'_>,
    flags: &str,
) -> Vec<(String, Seen)> {
    let endpoint = collector.endpoint.clone();
    let own = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str())];
    let mut running = Running::start("serves-two-parts", &[&own, environment].concat());
    list(&mut client_of(&mut running).await, flags).await;
    running.signal(rustix::process::Signal::TERM);
    assert_eq!(running.exit().await, 0);
    collector.spans()
}

async fn client_of(running: &mut Running) -> KeyServiceClient<Channel> {
    let address = served_at(running).await;
    let client = KeyServiceClient::connect(format!("http://{address}")).await;
    client.unwrap()
}

/// The call, in the caller's trace.
async fn list(client: &mut KeyServiceClient<Channel>, flags: &str) {
    let mut request = authorized(pb::ListSigningKeysRequest {}, "none is needed");
    let parent = format!("00-{TRACE}-{CALLER}-{flags}").parse().unwrap();
    request.metadata_mut().insert("traceparent", parent);
    client.list_signing_keys(request).await.unwrap();
}

fn call(spans: Vec<(String, Seen)>) -> Seen {
    let found = spans.into_iter().find(|(name, _)| name == CALL);
    found.expect("the call is exported").1
}

#[tokio::test]
async fn service_name_and_attributes_are_honoured() {
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
async fn sampler_decides_what_is_recorded() {
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
async fn nothing_is_exported_when_disabled() {
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
async fn process_without_propagation_starts_its_own_traces() {
    let mut collector = Collector::start(None).await;
    let environment = [("OTEL_PROPAGATORS", "none")];
    let call = call(exported(&mut collector, &environment, SAMPLED).await);
    assert_ne!(call.trace, TRACE);
    assert_eq!(call.parent, "");
}

#[tokio::test]
async fn collector_certificate_is_verified() {
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
async fn exporter_presents_its_client_certificate() {
    causeway_shell::install_crypto();
    let folder = tempfile::tempdir().unwrap();
    let ca = DevelopmentCa::open_or_create(folder.path()).unwrap();
    let identity = ca.server_identity(&["localhost"]).unwrap();
    let file = |name: &str, pem: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, pem).unwrap();
        path.display().to_string()
    };
    let own = rcgen::generate_simple_self_signed(["a part".to_owned()]).unwrap();
    let certificate = file("own.pem", &own.cert.pem());
    let key = file("own.key", &own.signing_key.serialize_pem());
    let identity = Identity::from_pem(identity.certificate_pem, identity.key_pem);
    let tls = ServerTlsConfig::new()
        .identity(identity)
        .client_ca_root(Certificate::from_pem(own.cert.pem()));
    let mut collector = Collector::start(Some(tls)).await;
    let authority = ca.ca_file().display().to_string();
    let trusted = ("OTEL_EXPORTER_OTLP_CERTIFICATE", authority.as_str());
    let own = [
        trusted,
        ("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", &certificate),
        ("OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY", &key),
        ("OTEL_METRICS_EXPORTER", "none"),
    ];
    call(exported(&mut collector, &own, SAMPLED).await);
    assert!(
        exported(&mut collector, &[trusted], SAMPLED)
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn exporter_settings_are_honoured() {
    let mut collector = Collector::start(None).await;
    let plain = call(exported(&mut collector, &[], SAMPLED).await);
    assert_eq!(plain.encoding, None);
    let gzip = [("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")];
    let gzip = call(exported(&mut collector, &gzip, SAMPLED).await);
    assert_eq!(gzip.encoding.as_deref(), Some("gzip"));
    let bare = collector.endpoint.replace("http://", "");
    let bare = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", bare.as_str()),
        ("OTEL_EXPORTER_OTLP_INSECURE", "true"),
    ];
    call(exported(&mut collector, &bare, SAMPLED).await);
}

#[tokio::test]
async fn metrics_are_exported_unless_disabled() {
    let mut collector = Collector::start(None).await;
    exported(&mut collector, &[], SAMPLED).await;
    let metrics = collector.metrics();
    let duration = metrics.iter().any(|name| name == "rpc.server.duration");
    assert!(duration, "{metrics:?}");
    for setting in [
        ("OTEL_METRICS_EXPORTER", "none"),
        ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://127.0.0.1:9"),
    ] {
        call(exported(&mut collector, &[setting], SAMPLED).await);
        assert_eq!(collector.metrics(), Vec::<String>::new(), "{setting:?}");
    }
}

#[tokio::test]
async fn collector_outage_and_recovery_are_logged_once() {
    let mut collector = Collector::start(None).await;
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint.as_str()),
        ("OTEL_METRICS_EXPORTER", "none"),
        ("OTEL_BSP_SCHEDULE_DELAY", "20"),
    ];
    let mut running = Running::start("serves-two-parts", &environment);
    let mut client = client_of(&mut running).await;
    for _ in 0..2 {
        collector.refuses.store(true, Ordering::Release);
        let before = collector.refused.load(Ordering::Acquire);
        while collector.refused.load(Ordering::Acquire) < before + 5 {
            list(&mut client, SAMPLED).await;
        }
        collector.spans();
        collector.refuses.store(false, Ordering::Release);
        while collector.spans().is_empty() {
            list(&mut client, SAMPLED).await;
        }
        let lines = running.lines_until("traces are exported again").await;
        assert_eq!(losses(&lines), 1, "{lines:#?}");
    }
    running.signal(rustix::process::Signal::TERM);
    let lines = running.rest().await;
    assert_eq!(losses(&lines), 0, "{lines:#?}");
}

/// How often it is said that something is not exported, by whomever.
fn losses(lines: &[String]) -> usize {
    let words = ["are not exported", "ExportError", "Export.Failed"];
    let told = |line: &&String| words.iter().any(|word| line.contains(word));
    lines.iter().filter(told).count()
}

#[tokio::test]
async fn unsupported_variables_fail_at_start() {
    let collector = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317");
    for (name, value, sentence) in [
        (
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            "http/protobuf",
            "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf: telemetry is exported by gRPC only; ",
        ),
        (
            "OTEL_PROPAGATORS",
            "b3multi",
            "OTEL_PROPAGATORS: `b3multi` is not supported: use tracecontext, or none",
        ),
        (
            "OTEL_TRACES_EXPORTER",
            "zipkin",
            "OTEL_TRACES_EXPORTER=zipkin: traces are exported by OTLP only; set it to otlp or none",
        ),
        (
            "OTEL_METRICS_EXPORTER",
            "prometheus",
            "OTEL_METRICS_EXPORTER=prometheus: metrics are exported by OTLP, in addition to /metrics of --admin-listen ",
        ),
        (
            "OTEL_LOGS_EXPORTER",
            "otlp",
            "OTEL_LOGS_EXPORTER=otlp: logs go to standard error only, ",
        ),
        (
            "OTEL_TRACES_SAMPLER",
            "jaeger_remote",
            "OTEL_TRACES_SAMPLER=jaeger_remote: unknown sampler; set it to one of parentbased_always_on, ",
        ),
        (
            "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
            "10s",
            "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=10s: set it to a positive number of milliseconds, ",
        ),
        (
            "OTEL_EXPORTER_OTLP_COMPRESSION",
            "zstd",
            "OTEL_EXPORTER_OTLP_COMPRESSION=zstd: unsupported compression; ",
        ),
        (
            "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
            "x-tenant=acme,secret",
            "OTEL_EXPORTER_OTLP_METRICS_HEADERS: header 2 is invalid; use NAME=VALUE, ",
        ),
        (
            "OTEL_RESOURCE_ATTRIBUTES",
            "team",
            "OTEL_RESOURCE_ATTRIBUTES: `team` is not an attribute; use NAME=VALUE, ",
        ),
        (
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "http://",
            "set up the export of traces: invalid exporter configuration: ",
        ),
    ] {
        let mut running = Running::start("serves-two-parts", &[collector, (name, value)]);
        let line = running.line_with("error: ").await;
        let said = line.strip_prefix("error: ").unwrap_or_default();
        assert!(said.starts_with(sentence), "{name}: {line}");
    }
}

#[tokio::test]
async fn invalid_sampling_ratio_fails_at_start() {
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317"),
        ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
        ("OTEL_TRACES_SAMPLER_ARG", "10%"),
    ];
    let mut running = Running::start("serves-two-parts", &environment);
    let line = running.line_with("error: ").await;
    let sentence =
        "error: OTEL_TRACES_SAMPLER_ARG=10%: set it to the ratio of recorded traces, from 0 to 1";
    assert!(line.starts_with(sentence), "{line}");
}

#[tokio::test]
async fn json_log_lines_have_trace_and_span_id() {
    let environment = [("CAUSEWAY_LOG_FORMAT", "json")];
    let mut running = Running::start("serves-two-parts", &environment);
    list(&mut client_of(&mut running).await, SAMPLED).await;
    let line = running.line_with("listed").await;
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["trace_id"], TRACE, "{line}");
    let span = line["span_id"].as_str().unwrap();
    assert!(span.len() == 16 && span != CALLER, "{line}");
    assert_eq!(line["place"], "the key ring", "{line}");
}
