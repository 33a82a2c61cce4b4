//! Logs, traces and metrics of the process.
//!
//! Every span is exported under the name of the part that it ran in, also where one process runs several parts:
//! the part travels in the OpenTelemetry context, from the server span or the task down to every child.

use std::{io::IsTerminal as _, time::Duration};

use anyhow::Context as _;
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

use causeway_assertion::Side;

use crate::args::{LogFormat, ProcessArgs, Signal};

mod exporter;
mod fields;
mod line;
mod plain;
mod process;
mod propagation;
mod refused;
mod resource;
mod spans;
mod taken;

use exporter::{metric_exporter, span_exporter};
use fields::ForPeople;
use line::WithTrace;
use process::ProcessFigures;
pub(crate) use propagation::{Export, Tracing, export, propagator};
use resource::resource;
use spans::SpansByPart;
use taken::{Collector, Taken};

/// Spans that only traces have.
const STATEMENTS: &str = "causeway_database=debug";
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);
/// The process itself among its parts, and what the names of its metrics begin with.
const PROCESS: &str = "causeway";

/// What the exporter of a span needs to know about where it ran.
#[derive(Clone, Copy, Debug)]
struct Part {
    name: &'static str,
    side: Side,
}

/// The context, below a caller's span or none, in which spans belong to a part.
pub(crate) fn in_part(context: &Context, name: &'static str, side: Side) -> Context {
    context.with_value(Part { name, side })
}

#[derive(Clone, Debug)]
pub(crate) struct Telemetry {
    registry: Registry,
    meters: SdkMeterProvider,
    spans: SpansByPart,
    tracers: SdkTracerProvider,
}

impl Telemetry {
    /// Of a process that serves: as [`Self::start`], and with its log.
    pub(crate) fn of_server(args: &ProcessArgs) -> anyhow::Result<Self> {
        refused::check_logs(&args.otlp)?;
        Self::start(args)
    }

    /// Sets the process-wide subscriber, propagator and panic hook. Needs a runtime around it.
    pub(crate) fn start(args: &ProcessArgs) -> anyhow::Result<Self> {
        let telemetry = Self::build(args)?;
        telemetry.subscribe(args)?;
        std::panic::set_hook(Box::new(log_panic));
        Ok(telemetry)
    }

    /// Metrics that nobody reads, and no traces.
    pub(crate) fn silent() -> Self {
        Self {
            registry: Registry::new(),
            meters: SdkMeterProvider::builder().build(),
            spans: SpansByPart::off(),
            tracers: SdkTracerProvider::builder().build(),
        }
    }

    fn build(args: &ProcessArgs) -> anyhow::Result<Self> {
        refused::check(&args.otlp)?;
        propagation::set(args.otlp.tracing()?);
        let registry = Registry::new();
        registry
            .register(Box::new(ProcessFigures::new()?))
            .context("set up /metrics")?;
        let spans = if args.otlp.exports_traces() {
            // What cannot be set up is said here, once, and not by each part.
            span_exporter(&args.otlp)?;
            SpansByPart::exporting(args.otlp.clone())
        } else {
            SpansByPart::off()
        };
        let telemetry = Self {
            meters: meters(args, &registry)?,
            tracers: SdkTracerProvider::builder()
                .with_span_processor(spans.clone())
                .build(),
            spans,
            registry,
        };
        telemetry.tell_build();
        Ok(telemetry)
    }

    fn tell_build(&self) {
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

    /// From here on the spans of `part` are exported as a service of that name.
    pub(crate) fn add_part(&self, part: &'static str, instance: &str) {
        if let Err(error) = self.spans.add(part, &resource(part, instance)) {
            tracing::error!(part, %error, "traces of this part are not exported");
        }
    }

    /// All metrics in the text format of Prometheus.
    pub(crate) fn metrics_text(&self) -> anyhow::Result<String> {
        let mut text = Vec::new();
        TextEncoder::new()
            .encode(&self.registry.gather(), &mut text)
            .context("encode the metrics")?;
        String::from_utf8(text).context("encode the metrics")
    }

    /// Blocks for at most a few seconds.
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
        // A span says what was done and how it ended. Which thread and which line did it is half of what is sent, and no answer to
        // whoever reads traces of a part.
        let traces = tracing_opentelemetry::layer()
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_tracer(tracer)
            .with_filter(traced(args.otlp.exports_traces()));
        let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
        let told = filter_fn(taken::is_not_told_here).with_max_level_hint(LevelFilter::TRACE);
        let lines = match args.log_format {
            LogFormat::Text => lines
                .fmt_fields(ForPeople)
                .with_ansi(std::io::stderr().is_terminal())
                .boxed(),
            LogFormat::Json => lines
                .json()
                .flatten_event(true)
                .with_span_list(false)
                .map_event_format(WithTrace)
                .boxed(),
        };
        tracing_subscriber::registry()
            .with(lines.with_filter(args.log.to_filter().and(told)))
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
        let exporter = Taken::by(&collector, metric_exporter(&args.otlp)?);
        meters = meters.with_periodic_exporter(exporter);
    }
    Ok(meters.build())
}

/// What belongs to traces: nothing of what carries them away, which would trace itself.
fn traced(exported: bool) -> EnvFilter {
    let filter = "info,h2=off,hyper=off,hyper_util=off,tonic=off,tower=off,reqwest=off,rustls=off,opentelemetry=off,opentelemetry_sdk=off,opentelemetry-otlp=off";
    let filter = EnvFilter::new(filter);
    match exported {
        true => filter.add_directive(STATEMENTS.parse().expect("a target and a level")),
        false => filter,
    }
}

fn log_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let text = crate::tasks::panic_text(panic.payload());
    let place = panic.location().map(ToString::to_string);
    let backtrace = std::backtrace::Backtrace::capture();
    tracing::error!(place, %backtrace, "panic: {text}");
}
