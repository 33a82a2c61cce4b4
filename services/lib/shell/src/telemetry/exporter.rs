//! OTLP exporters of spans and metrics, configured by the standard variables. The SDK reads headers, timeout and compression
//! itself; endpoint and TLS settings are read here.

use std::fs;

use anyhow::{Context as _, bail};
use opentelemetry_otlp::{
    MetricExporter, SpanExporter, WithExportConfig as _, WithTonicConfig as _,
};
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

use crate::args::{OtlpArgs, Signal};

pub(super) fn span_exporter(otlp: &OtlpArgs) -> anyhow::Result<SpanExporter> {
    let endpoint = otlp.endpoint(Signal::Traces).unwrap_or_default();
    let mut exporter = SpanExporter::builder().with_tonic();
    if let Some(tls) = tls(otlp, Signal::Traces, &endpoint)? {
        exporter = exporter.with_tls_config(tls);
    }
    let exporter = exporter.with_endpoint(endpoint).build();
    exporter.context("set up the export of traces")
}

pub(super) fn metric_exporter(otlp: &OtlpArgs) -> anyhow::Result<MetricExporter> {
    let endpoint = otlp.endpoint(Signal::Metrics).unwrap_or_default();
    let mut exporter = MetricExporter::builder().with_tonic();
    if let Some(tls) = tls(otlp, Signal::Metrics, &endpoint)? {
        exporter = exporter.with_tls_config(tls);
    }
    let exporter = exporter.with_endpoint(endpoint).build();
    exporter.context("set up the export of metrics")
}

/// Returns the TLS settings; none for a plaintext endpoint.
fn tls(otlp: &OtlpArgs, signal: Signal, endpoint: &str) -> anyhow::Result<Option<ClientTlsConfig>> {
    if !endpoint.to_ascii_lowercase().starts_with("https:") {
        return Ok(None);
    }
    let tls = match read_file(otlp, signal, "CERTIFICATE")? {
        Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
        None => ClientTlsConfig::new().with_native_roots(),
    };
    let certificate = read_file(otlp, signal, "CLIENT_CERTIFICATE")?;
    let key = read_file(otlp, signal, "CLIENT_KEY")?;
    match (certificate, key) {
        (None, None) => Ok(Some(tls)),
        (Some(certificate), Some(key)) => {
            Ok(Some(tls.identity(Identity::from_pem(certificate, key))))
        }
        (Some(_), None) | (None, Some(_)) => bail!(
            "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY are a pair: set both or neither"
        ),
    }
}

fn read_file(otlp: &OtlpArgs, signal: Signal, setting: &str) -> anyhow::Result<Option<Vec<u8>>> {
    let Some(variable) = otlp.exporter_variable(signal, setting) else {
        return Ok(None);
    };
    let content = fs::read(variable.value);
    content
        .map(Some)
        .with_context(|| format!("{}={}", variable.name, variable.value))
}
