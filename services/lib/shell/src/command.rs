//! A program that does one thing and ends, with its trace exported where the standard variables say so.

use std::{
    future::Future,
    io::{self, Write as _},
    time::Duration,
};

use anyhow::Context as _;
use opentelemetry::Context;
use tracing::Instrument as _;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use causeway_assertion::Side;

use crate::{
    LogFilter, LogFormat, OtlpArgs, ProcessArgs, install_crypto,
    telemetry::{Telemetry, in_part},
};

/// Runs `work` to its end on one thread, below a span called `name` of the service `service`.
///
/// # Errors
/// Those of the work; and the runtime cannot be started. What the variables ask for in vain is told, and the work is done without.
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
        let telemetry = match start(service, &otlp.of_traces_alone()) {
            Ok(telemetry) => telemetry,
            Err(error) => {
                // Nothing is left to be told to if stderr is gone.
                let _ = writeln!(
                    io::stderr(),
                    "no trace of this command is exported: {error:#}"
                );
                return Box::pin(work).await;
            }
        };
        let span = tracing::info_span!("command", otel.name = name);
        // An error says that the span is not recorded, and then nothing is lost.
        let _ = span.set_parent(in_part(&Context::new(), service, Side::Platform));
        let end = Box::pin(work).instrument(span).await;
        // Exporters need the runtime while they flush, so the wait is on a thread of its own.
        let _ = tokio::task::spawn_blocking(move || telemetry.flush()).await;
        end
    })
}

fn start(service: &'static str, otlp: &OtlpArgs) -> anyhow::Result<Telemetry> {
    // A user who wants traces hears that they do not arrive.
    let log: Result<LogFilter, String> = "error,causeway_shell::telemetry=warn".parse();
    let telemetry = Telemetry::start(&ProcessArgs {
        log: log.map_err(anyhow::Error::msg)?,
        log_format: LogFormat::Text,
        admin_listen: None,
        drain_timeout: Duration::ZERO,
        otlp: otlp.clone(),
    })?;
    telemetry.add_part(service, &uuid::Uuid::now_v7().to_string());
    Ok(telemetry)
}
