//! What sends spans and metrics to a collector, by the standard variables. The SDK reads endpoint, headers, timeout and compression
//! itself; how a collector behind TLS is known, and by what protocol it is spoken to, is read here.

use anyhow::{Context as _, bail};
use opentelemetry_otlp::{MetricExporter, SpanExporter, WithTonicConfig as _};
use tonic::transport::{Certificate, ClientTlsConfig};

use crate::args::{OtlpArgs, Signal};

/// Only gRPC is spoken; spans that go to a port for HTTP would be lost without a word.
pub(super) fn check_protocol(otlp: &OtlpArgs) -> anyhow::Result<()> {
    for signal in [Signal::Traces, Signal::Metrics] {
        let asked = otlp.protocol(signal).filter(|_| otlp.exports(signal));
        if let Some((name, protocol)) = asked.filter(|(_, protocol)| *protocol != "grpc") {
            bail!(
                "{name}={protocol}: telemetry is exported by gRPC alone; set it to grpc and give the collector's port for gRPC, which is 4317 as a rule"
            );
        }
    }
    Ok(())
}

pub(super) fn span_exporter(otlp: &OtlpArgs) -> anyhow::Result<SpanExporter> {
    let mut exporter = SpanExporter::builder().with_tonic();
    if let Some(tls) = tls(otlp, Signal::Traces)? {
        exporter = exporter.with_tls_config(tls);
    }
    exporter.build().context("set up the export of traces")
}

pub(super) fn metric_exporter(otlp: &OtlpArgs) -> anyhow::Result<MetricExporter> {
    let mut exporter = MetricExporter::builder().with_tonic();
    if let Some(tls) = tls(otlp, Signal::Metrics)? {
        exporter = exporter.with_tls_config(tls);
    }
    exporter.build().context("set up the export of metrics")
}

/// Nothing where the endpoint is plaintext.
fn tls(otlp: &OtlpArgs, signal: Signal) -> anyhow::Result<Option<ClientTlsConfig>> {
    let secure = |endpoint: &str| endpoint.to_ascii_lowercase().starts_with("https:");
    if !otlp.endpoint(signal).is_some_and(secure) {
        return Ok(None);
    }
    let tls = ClientTlsConfig::new();
    let Some((name, file)) = otlp.certificate(signal) else {
        return Ok(Some(tls.with_native_roots()));
    };
    let pem = std::fs::read(file).with_context(|| format!("{name}={file}"))?;
    Ok(Some(tls.ca_certificate(Certificate::from_pem(pem))))
}
