//! Standard OpenTelemetry variables. The SDK reads most of them itself; they are read here to reject unsupported values.

use std::fmt;

use anyhow::{Context as _, anyhow};

use crate::telemetry::{Export, Tracing};

/// Endpoint of an enabled exporter without one.
const DEFAULT_ENDPOINT: &str = "http://localhost:4317";

/// Kind of telemetry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Signal {
    Traces,
    Metrics,
}

macro_rules! variables {
    ($($field:ident: $name:literal,)*) => {
        /// Values from the environment. Their flags are hidden.
        #[derive(Clone, Default, clap::Args)]
        pub struct OtlpArgs {
            $(
                #[arg(long, env = $name, hide = true)]
                $field: Option<String>,
            )*
        }

        impl OtlpArgs {
            /// Returns the value of a variable; none if it is unset or empty.
            pub(crate) fn value(&self, name: &str) -> Option<&str> {
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

/// A variable that is set.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Variable<'a> {
    pub(crate) name: String,
    pub(crate) value: &'a str,
}

impl OtlpArgs {
    /// Disables metrics, for a command that ends before its first metrics export.
    pub(crate) fn without_metrics(&self) -> Self {
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
        let exporter = self.value(signal.exporter());
        let is_enabled = !is(exporter, "none") && !self.is_disabled();
        is_enabled && self.endpoint(signal).is_some()
    }

    pub(crate) fn is_disabled(&self) -> bool {
        is(self.value("OTEL_SDK_DISABLED"), "true")
    }

    /// Returns the URL of the collector; none if the signal is not exported.
    pub(crate) fn endpoint(&self, signal: Signal) -> Option<String> {
        let named = self
            .exporter_variable(signal, "ENDPOINT")
            .map(|variable| variable.value);
        let default = || is(self.value(signal.exporter()), "otlp").then_some(DEFAULT_ENDPOINT);
        let endpoint = named.or_else(default)?;
        if endpoint.contains("://") {
            return Some(endpoint.to_owned());
        }
        let insecure = self
            .exporter_variable(signal, "INSECURE")
            .map(|variable| variable.value);
        let scheme = if is(insecure, "true") {
            "http"
        } else {
            "https"
        };
        Some(format!("{scheme}://{endpoint}"))
    }

    /// Returns a setting of the exporter: the variable of the signal, or else the one for all signals.
    pub(crate) fn exporter_variable(&self, signal: Signal, setting: &str) -> Option<Variable<'_>> {
        let own = format!("OTEL_EXPORTER_OTLP_{}_{setting}", signal.upper_case());
        let names = [own, format!("OTEL_EXPORTER_OTLP_{setting}")];
        let mut found = names.into_iter().filter_map(|name| {
            let value = self.value(&name)?;
            Some(Variable { name, value })
        });
        found.next()
    }

    /// Returns the trace settings.
    ///
    /// # Errors
    /// `OTEL_PROPAGATORS` has an unsupported value.
    pub(crate) fn tracing(&self) -> anyhow::Result<Tracing> {
        let parsed = self.value("OTEL_PROPAGATORS").map(str::parse).transpose();
        let parsed = parsed.map_err(|error: String| anyhow!(error));
        let sampler = self.value("OTEL_TRACES_SAMPLER");
        let is_parent_based = sampler.is_none_or(|it| it.starts_with("parentbased"));
        Ok(Tracing {
            propagation: parsed.context("OTEL_PROPAGATORS")?.unwrap_or_default(),
            export: if !self.exports_traces() {
                Export::None
            } else if is_parent_based {
                Export::CallerDecides
            } else {
                Export::SamplerDecides
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

fn is(value: Option<&str>, expected: &str) -> bool {
    value.is_some_and(|value| value.eq_ignore_ascii_case(expected))
}

#[cfg(test)]
mod tests;
