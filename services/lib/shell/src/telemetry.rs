//! Logs, traces and metrics of the process.
//!
//! Every span is exported under the name of the part that it ran in, also where one process runs several parts:
//! the part travels in the OpenTelemetry context, from the server span or the task down to every child.

use std::{io::IsTerminal as _, time::Duration};

use anyhow::Context as _;
use causeway_assertion::Side;
use opentelemetry::{
    Context, InstrumentationScope, KeyValue,
    metrics::{Meter, MeterProvider as _},
    trace::TracerProvider as _,
};
use opentelemetry_sdk::{metrics::SdkMeterProvider, trace::SdkTracerProvider};
use prometheus::{Encoder as _, Registry, TextEncoder};
use tracing_subscriber::{
    EnvFilter, Layer as _,
    filter::{FilterExt as _, LevelFilter, filter_fn},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use crate::args::{LogFormat, ProcessArgs, Signal};

mod escape;
mod export_status;
mod exporter;
mod json_format;
mod part_spans;
mod process_metrics;
mod propagation;
mod resource;
mod text_format;
mod validation;

use export_status::{Collector, MonitoredExporter};
use exporter::{metric_exporter, span_exporter};
use json_format::JsonWithTrace;
use part_spans::PartSpans;
use process_metrics::ProcessMetrics;
pub(crate) use propagation::{Export, Tracing, export, propagator};
use resource::resource;
use text_format::TextFields;

/// SQL statements are exported as spans but not logged.
const STATEMENTS: &str = "causeway_database=debug";
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);
/// Name of the process in telemetry, and the prefix of its metrics.
const PROCESS: &str = "causeway";

/// The part that a span belongs to, carried in the OpenTelemetry context.
#[derive(Clone, Copy, Debug)]
struct Part {
    name: &'static str,
    side: Side,
}

/// Returns a child context whose spans belong to a part.
pub(crate) fn in_part(context: &Context, name: &'static str, side: Side) -> Context {
    context.with_value(Part { name, side })
}

#[derive(Clone, Debug)]
pub(crate) struct Telemetry {
    registry: Registry,
    meters: SdkMeterProvider,
    spans: PartSpans,
    tracers: SdkTracerProvider,
}

impl Telemetry {
    /// Starts telemetry of a server, which unlike a command also validates the settings of logs.
    pub(crate) fn for_server(args: &ProcessArgs) -> anyhow::Result<Self> {
        validation::check_logs(&args.otlp)?;
        Self::start(args)
    }

    /// Sets the process-wide subscriber, propagator and panic hook. Needs a runtime around it.
    pub(crate) fn start(args: &ProcessArgs) -> anyhow::Result<Self> {
        let telemetry = Self::build(args)?;
        telemetry.subscribe(args)?;
        std::panic::set_hook(Box::new(log_panic));
        Ok(telemetry)
    }

    /// Creates telemetry without exporters.
    pub(crate) fn silent() -> Self {
        Self {
            registry: Registry::new(),
            meters: SdkMeterProvider::builder().build(),
            spans: PartSpans::disabled(),
            tracers: SdkTracerProvider::builder().build(),
        }
    }

    fn build(args: &ProcessArgs) -> anyhow::Result<Self> {
        validation::check(&args.otlp)?;
        propagation::set(args.otlp.tracing()?);
        let registry = Registry::new();
        registry
            .register(Box::new(ProcessMetrics::new()?))
            .context("set up /metrics")?;
        let spans = if args.otlp.exports_traces() {
            // Parts create their exporters later: a wrong setting must fail the start, once.
            span_exporter(&args.otlp)?;
            PartSpans::exporting(args.otlp.clone())
        } else {
            PartSpans::disabled()
        };
        let telemetry = Self {
            meters: meters(args, &registry)?,
            tracers: SdkTracerProvider::builder()
                .with_span_processor(spans.clone())
                .build(),
            spans,
            registry,
        };
        telemetry.record_build_info();
        Ok(telemetry)
    }

    fn record_build_info(&self) {
        let version = KeyValue::new("version", env!("CARGO_PKG_VERSION"));
        let meter = self.meter(PROCESS);
        let build = meter.u64_gauge("build.info");
        let build = build.with_description("The build that runs, by its labels; always 1");
        build.build().record(1, &[version]);
    }

    pub(crate) fn meter(&self, part: &'static str) -> Meter {
        let scope = InstrumentationScope::builder(part)
            .with_version(env!("CARGO_PKG_VERSION"))
            .build();
        self.meters.meter_with_scope(scope)
    }

    /// Exports the spans of `part` as a service of that name from now on.
    pub(crate) fn add_part(&self, part: &'static str, instance: &str) {
        if let Err(error) = self.spans.add(part, &resource(part, instance)) {
            tracing::error!(part, %error, "traces of this part are not exported");
        }
    }

    /// Returns all metrics in the Prometheus text format.
    pub(crate) fn metrics_text(&self) -> anyhow::Result<String> {
        let mut text = Vec::new();
        TextEncoder::new()
            .encode(&self.registry.gather(), &mut text)
            .context("encode the metrics")?;
        String::from_utf8(text).context("encode the metrics")
    }

    /// Exports what is buffered. Blocks for at most a few seconds.
    pub(crate) fn flush(&self) {
        let ends = [
            self.tracers.shutdown_with_timeout(FLUSH_TIMEOUT),
            self.meters.shutdown_with_timeout(FLUSH_TIMEOUT),
        ];
        for error in ends.into_iter().filter_map(Result::err) {
            tracing::debug!(%error, "flushing telemetry");
        }
    }

    fn subscribe(&self, args: &ProcessArgs) -> anyhow::Result<()> {
        let tracer = self.tracers.tracer(PROCESS);
        // Threads and code locations would double the size of spans and do not help operators.
        let traces = tracing_opentelemetry::layer()
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_tracer(tracer)
            .with_filter(trace_filter(args.otlp.exports_traces()));
        let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
        let relevant = filter_fn(export_status::is_not_sdk_export_error)
            .with_max_level_hint(LevelFilter::TRACE);
        let lines = match args.log_format {
            LogFormat::Text => lines
                .fmt_fields(TextFields)
                .with_ansi(std::io::stderr().is_terminal())
                .boxed(),
            LogFormat::Json => lines
                .json()
                .flatten_event(true)
                .with_span_list(false)
                .map_event_format(JsonWithTrace)
                .boxed(),
        };
        tracing_subscriber::registry()
            .with(lines.with_filter(args.log.to_filter().and(relevant)))
            .with(traces)
            .try_init()
            .context("start logging")
    }
}

fn meters(args: &ProcessArgs, registry: &Registry) -> anyhow::Result<SdkMeterProvider> {
    let scrape = opentelemetry_prometheus::exporter()
        .with_registry(registry.clone())
        .with_namespace(PROCESS)
        .build()
        .context("set up /metrics")?;
    let mut meters = SdkMeterProvider::builder()
        .with_resource(resource(PROCESS, &uuid::Uuid::now_v7().to_string()))
        .with_reader(scrape);
    if args.otlp.exports_metrics() {
        let collector = Collector::new(&args.otlp, Signal::Metrics);
        let exporter = MonitoredExporter::new(&collector, metric_exporter(&args.otlp)?);
        meters = meters.with_periodic_exporter(exporter);
    }
    Ok(meters.build())
}

/// Selects the spans of traces. The libraries of the exporter are excluded, because they would trace themselves.
fn trace_filter(exported: bool) -> EnvFilter {
    let filter = "info,h2=off,hyper=off,hyper_util=off,tonic=off,tower=off,reqwest=off,rustls=off,opentelemetry=off,opentelemetry_sdk=off,opentelemetry-otlp=off";
    let filter = EnvFilter::new(filter);
    if exported {
        filter.add_directive(STATEMENTS.parse().expect("a target and a level"))
    } else {
        filter
    }
}

fn log_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let text = crate::tasks::panic_text(panic.payload());
    let location = panic.location().map(ToString::to_string);
    let backtrace = std::backtrace::Backtrace::capture();
    tracing::error!(location, %backtrace, "panic: {text}");
}
