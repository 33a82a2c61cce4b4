//! The standard OpenTelemetry variables that decide whether anything is exported, how, and whether traces go on beyond the process.
//! The SDK reads most of them itself; here they are read so that what is not honoured is refused.

use std::fmt;

use anyhow::{Context as _, anyhow};

use crate::telemetry::{Export, Tracing};

/// What a collector is spoken to by where nobody says so.
const DEFAULT_ENDPOINT: &str = "http://localhost:4317";

/// What is exported.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Signal {
    Traces,
    Metrics,
}

macro_rules! variables {
    ($($field:ident: $name:literal,)*) => {
        /// As the environment has them; they have no flags that anybody is told of.
        #[derive(Clone, Default, clap::Args)]
        pub struct OtlpArgs {
            $(
                #[arg(long, env = $name, hide = true)]
                $field: Option<String>,
            )*
        }

        impl OtlpArgs {
            /// What a variable says; one that is empty is as if it were not there.
            pub(crate) fn given(&self, name: &str) -> Option<&str> {
                let value = match name {
                    $($name => &self.$field,)*
                    _ => &None,
                };
                value.as_deref().filter(|value| !value.is_empty())
            }
        }
    };
}

variables! {
    otlp_endpoint: "OTEL_EXPORTER_OTLP_ENDPOINT",
    otlp_traces_endpoint: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    otlp_metrics_endpoint: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    otlp_insecure: "OTEL_EXPORTER_OTLP_INSECURE",
    otlp_traces_insecure: "OTEL_EXPORTER_OTLP_TRACES_INSECURE",
    otlp_metrics_insecure: "OTEL_EXPORTER_OTLP_METRICS_INSECURE",
    otlp_protocol: "OTEL_EXPORTER_OTLP_PROTOCOL",
    otlp_traces_protocol: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    otlp_metrics_protocol: "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
    otlp_headers: "OTEL_EXPORTER_OTLP_HEADERS",
    otlp_traces_headers: "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    otlp_metrics_headers: "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
    otlp_timeout: "OTEL_EXPORTER_OTLP_TIMEOUT",
    otlp_traces_timeout: "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
    otlp_metrics_timeout: "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT",
    otlp_compression: "OTEL_EXPORTER_OTLP_COMPRESSION",
    otlp_traces_compression: "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION",
    otlp_metrics_compression: "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION",
    otlp_certificate: "OTEL_EXPORTER_OTLP_CERTIFICATE",
    otlp_traces_certificate: "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE",
    otlp_metrics_certificate: "OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE",
    otlp_client_certificate: "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
    otlp_traces_client_certificate: "OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE",
    otlp_metrics_client_certificate: "OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE",
    otlp_client_key: "OTEL_EXPORTER_OTLP_CLIENT_KEY",
    otlp_traces_client_key: "OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY",
    otlp_metrics_client_key: "OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY",
    otel_traces_exporter: "OTEL_TRACES_EXPORTER",
    otel_metrics_exporter: "OTEL_METRICS_EXPORTER",
    otel_logs_exporter: "OTEL_LOGS_EXPORTER",
    otel_traces_sampler: "OTEL_TRACES_SAMPLER",
    otel_traces_sampler_arg: "OTEL_TRACES_SAMPLER_ARG",
    otel_propagators: "OTEL_PROPAGATORS",
    otel_resource_attributes: "OTEL_RESOURCE_ATTRIBUTES",
    otel_sdk_disabled: "OTEL_SDK_DISABLED",
}

/// A variable as it was found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Given<'a> {
    pub(crate) name: String,
    pub(crate) value: &'a str,
}

impl OtlpArgs {
    /// Of a program that has ended before anybody asks for its metrics: what is said of those is said to services.
    pub(crate) fn of_traces_alone(&self) -> Self {
        Self {
            otel_metrics_exporter: Some("none".to_owned()),
            ..self.clone()
        }
    }

    pub(crate) fn exports_traces(&self) -> bool {
        self.exports(Signal::Traces)
    }

    pub(crate) fn exports_metrics(&self) -> bool {
        self.exports(Signal::Metrics)
    }

    pub(crate) fn exports(&self, signal: Signal) -> bool {
        let exporter = self.given(signal.exporter());
        let wanted = !is(exporter, "none") && !self.is_disabled();
        wanted && self.endpoint(signal).is_some()
    }

    pub(crate) fn is_disabled(&self) -> bool {
        is(self.given("OTEL_SDK_DISABLED"), "true")
    }

    /// The collector, with a scheme.
    pub(crate) fn endpoint(&self, signal: Signal) -> Option<String> {
        let named = self.of(signal, "ENDPOINT").map(|given| given.value);
        let asked = || is(self.given(signal.exporter()), "otlp").then_some(DEFAULT_ENDPOINT);
        let endpoint = named.or_else(asked)?;
        if endpoint.contains("://") {
            return Some(endpoint.to_owned());
        }
        let insecure = self.of(signal, "INSECURE").map(|given| given.value);
        let scheme = if is(insecure, "true") {
            "http"
        } else {
            "https"
        };
        Some(format!("{scheme}://{endpoint}"))
    }

    /// What is said of the export of a signal, by the variable of that signal or by the one of all.
    pub(crate) fn of(&self, signal: Signal, what: &str) -> Option<Given<'_>> {
        let own = format!("OTEL_EXPORTER_OTLP_{}_{what}", signal.upper_case());
        let names = [own, format!("OTEL_EXPORTER_OTLP_{what}")];
        let mut found = names.into_iter().filter_map(|name| {
            let value = self.given(&name)?;
            Some(Given { name, value })
        });
        found.next()
    }

    /// What is done with traces.
    ///
    /// # Errors
    /// They are to go on beyond the process by what is not spoken.
    pub(crate) fn tracing(&self) -> anyhow::Result<Tracing> {
        let read = self.given("OTEL_PROPAGATORS").map(str::parse).transpose();
        let read = read.map_err(|error: String| anyhow!(error));
        let sampler = self.given("OTEL_TRACES_SAMPLER");
        let asks = sampler.is_none_or(|it| it.starts_with("parentbased"));
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

impl fmt::Debug for OtlpArgs {
    /// Headers are credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtlpArgs").finish_non_exhaustive()
    }
}

impl Signal {
    pub(crate) const ALL: [Self; 2] = [Self::Traces, Self::Metrics];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Metrics => "metrics",
        }
    }

    pub(crate) fn exporter(self) -> &'static str {
        match self {
            Self::Traces => "OTEL_TRACES_EXPORTER",
            Self::Metrics => "OTEL_METRICS_EXPORTER",
        }
    }

    fn upper_case(self) -> &'static str {
        match self {
            Self::Traces => "TRACES",
            Self::Metrics => "METRICS",
        }
    }
}

fn is(value: Option<&str>, wanted: &str) -> bool {
    value.is_some_and(|value| value.eq_ignore_ascii_case(wanted))
}

#[cfg(test)]
mod tests;
