//! What sends spans and metrics to a collector, by the standard variables. The SDK reads headers, timeout and compression itself;
//! where the collector is, how it is known behind TLS and who calls it is read here.

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

/// Nothing where the endpoint is plaintext.
fn tls(otlp: &OtlpArgs, signal: Signal, endpoint: &str) -> anyhow::Result<Option<ClientTlsConfig>> {
    if !endpoint.to_ascii_lowercase().starts_with("https:") {
        return Ok(None);
    }
    let tls = match file(otlp, signal, "CERTIFICATE")? {
        Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
        None => ClientTlsConfig::new().with_native_roots(),
    };
    let certificate = file(otlp, signal, "CLIENT_CERTIFICATE")?;
    let key = file(otlp, signal, "CLIENT_KEY")?;
    match (certificate, key) {
        (None, None) => Ok(Some(tls)),
        (Some(certificate), Some(key)) => {
            Ok(Some(tls.identity(Identity::from_pem(certificate, key))))
        }
        (Some(_), None) | (None, Some(_)) => bail!(
            "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY belong together: set both or neither"
        ),
    }
}

fn file(otlp: &OtlpArgs, signal: Signal, what: &str) -> anyhow::Result<Option<Vec<u8>>> {
    let Some(given) = otlp.of(signal, what) else {
        return Ok(None);
    };
    let read = fs::read(given.value);
    read.map(Some)
        .with_context(|| format!("{}={}", given.name, given.value))
}
