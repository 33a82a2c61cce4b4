//! The standard OpenTelemetry variables that decide whether anything is exported, how, and whether traces go on beyond the process.
//! The SDK reads all others of their kind itself.

use anyhow::{Context as _, anyhow};

use crate::telemetry::{Export, Tracing};

/// What is exported.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Signal {
    Traces,
    Metrics,
}

/// As the environment has them; they have no flags that anybody is told of.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct OtlpArgs {
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", hide = true)]
    otlp_endpoint: Option<String>,
    #[arg(long, env = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", hide = true)]
    otlp_traces_endpoint: Option<String>,
    #[arg(long, env = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", hide = true)]
    otlp_metrics_endpoint: Option<String>,
    #[arg(long, env = "OTEL_EXPORTER_OTLP_PROTOCOL", hide = true)]
    otlp_protocol: Option<String>,
    #[arg(long, env = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", hide = true)]
    otlp_traces_protocol: Option<String>,
    #[arg(long, env = "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", hide = true)]
    otlp_metrics_protocol: Option<String>,
    #[arg(long, env = "OTEL_EXPORTER_OTLP_CERTIFICATE", hide = true)]
    otlp_certificate: Option<String>,
    #[arg(long, env = "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", hide = true)]
    otlp_traces_certificate: Option<String>,
    #[arg(long, env = "OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE", hide = true)]
    otlp_metrics_certificate: Option<String>,
    #[arg(long, env = "OTEL_TRACES_EXPORTER", hide = true)]
    otel_traces_exporter: Option<String>,
    #[arg(long, env = "OTEL_METRICS_EXPORTER", hide = true)]
    otel_metrics_exporter: Option<String>,
    #[arg(long, env = "OTEL_TRACES_SAMPLER", hide = true)]
    otel_traces_sampler: Option<String>,
    #[arg(long, env = "OTEL_PROPAGATORS", hide = true)]
    otel_propagators: Option<String>,
    #[arg(long, env = "OTEL_SDK_DISABLED", hide = true)]
    otel_sdk_disabled: Option<String>,
}

impl OtlpArgs {
    pub(crate) fn exports_traces(&self) -> bool {
        self.exports(Signal::Traces)
    }

    pub(crate) fn exports_metrics(&self) -> bool {
        self.exports(Signal::Metrics)
    }

    pub(crate) fn exports(&self, signal: Signal) -> bool {
        let exporter = match signal {
            Signal::Traces => &self.otel_traces_exporter,
            Signal::Metrics => &self.otel_metrics_exporter,
        };
        let wanted = !is(exporter, "none") && !is(&self.otel_sdk_disabled, "true");
        wanted && self.endpoint(signal).is_some()
    }

    /// The URL of the collector.
    pub(crate) fn endpoint(&self, signal: Signal) -> Option<&str> {
        let own = match signal {
            Signal::Traces => &self.otlp_traces_endpoint,
            Signal::Metrics => &self.otlp_metrics_endpoint,
        };
        set(own).or_else(|| set(&self.otlp_endpoint))
    }

    /// How the collector is spoken to, with the variable that says so.
    pub(crate) fn protocol(&self, signal: Signal) -> Option<(&'static str, &str)> {
        let (name, own) = match signal {
            Signal::Traces => (
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
                &self.otlp_traces_protocol,
            ),
            Signal::Metrics => (
                "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
                &self.otlp_metrics_protocol,
            ),
        };
        named(name, own).or_else(|| named("OTEL_EXPORTER_OTLP_PROTOCOL", &self.otlp_protocol))
    }

    /// The file of the certificates that vouch for the collector, with the variable that says so.
    pub(crate) fn certificate(&self, signal: Signal) -> Option<(&'static str, &str)> {
        let (name, own) = match signal {
            Signal::Traces => (
                "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE",
                &self.otlp_traces_certificate,
            ),
            Signal::Metrics => (
                "OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE",
                &self.otlp_metrics_certificate,
            ),
        };
        named(name, own).or_else(|| named("OTEL_EXPORTER_OTLP_CERTIFICATE", &self.otlp_certificate))
    }

    /// What is done with traces.
    ///
    /// # Errors
    /// They are to go on beyond the process by what is not spoken.
    pub(crate) fn tracing(&self) -> anyhow::Result<Tracing> {
        let read = set(&self.otel_propagators).map(str::parse).transpose();
        let read = read.map_err(|error: String| anyhow!(error));
        let asks = set(&self.otel_traces_sampler).is_none_or(|it| it.starts_with("parentbased"));
        Ok(Tracing {
            propagation: read.context("OTEL_PROPAGATORS")?.unwrap_or_default(),
            export: match (self.exports_traces(), asks) {
                (false, _) => Export::None,
                (true, true) => Export::AsTheCallerSays,
                (true, false) => Export::AsTheSamplerSays,
            },
        })
    }
}

fn named<'a>(name: &'static str, value: &'a Option<String>) -> Option<(&'static str, &'a str)> {
    set(value).map(|value| (name, value))
}

/// What is empty is as if it were not there.
fn set(value: &Option<String>) -> Option<&str> {
    value.as_deref().filter(|value| !value.is_empty())
}

fn is(value: &Option<String>, wanted: &str) -> bool {
    set(value).is_some_and(|value| value.eq_ignore_ascii_case(wanted))
}
