//! Runs a command-line command and exports its trace if the standard variables request it.

use std::{
    future::Future,
    io::{self, Write as _},
    time::Duration,
};

use anyhow::Context as _;
use causeway_assertion::Side;
use opentelemetry::Context;
use tracing::Instrument as _;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::{
    LogFilter, LogFormat, OtlpArgs, ProcessArgs, install_crypto,
    telemetry::{Telemetry, in_part},
};

/// Runs `work` on one thread in a span `name` of the service `service`.
///
/// # Errors
/// The errors of `work`, or the runtime cannot start. If telemetry cannot start, that is printed and the work runs without it.
pub fn run_command<T>(
    service: &'static str,
    name: &str,
    otlp: &OtlpArgs,
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    install_crypto();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("start the runtime")?;
    runtime.block_on(async {
        if !otlp.exports_traces() {
            return Box::pin(work).await;
        }
        let telemetry = match start(service, &otlp.without_metrics()) {
            Ok(telemetry) => telemetry,
            Err(error) => {
                // A closed stderr leaves no way to report this.
                let _ = writeln!(
                    io::stderr(),
                    "no trace of this command is exported: {error:#}"
                );
                return Box::pin(work).await;
            }
        };
        let span = tracing::info_span!("command", otel.name = name);
        // Fails only if the span is not recorded.
        let _ = span.set_parent(in_part(&Context::new(), service, Side::Platform));
        let result = Box::pin(work).instrument(span).await;
        // Exporters need the runtime while they flush, so the wait is on a thread of its own.
        let _ = tokio::task::spawn_blocking(move || telemetry.flush()).await;
        result
    })
}

fn start(service: &'static str, otlp: &OtlpArgs) -> anyhow::Result<Telemetry> {
    // Users who request traces must see when the export fails.
    let log: Result<LogFilter, String> = "error,causeway_shell::telemetry=warn".parse();
    let telemetry = Telemetry::start(&ProcessArgs {
        log: log.map_err(anyhow::Error::msg)?,
        log_format: LogFormat::Text,
        admin_listen: None,
        drain_timeout: Duration::ZERO,
        body_memory: None,
        otlp: otlp.clone(),
    })?;
    telemetry.add_part(service, &uuid::Uuid::now_v7().to_string());
    Ok(telemetry)
}
