//! Validates OpenTelemetry variables at startup. Unsupported values fail with the name of the variable, because telemetry that is
//! silently dropped is missed only when it is needed.

use std::str::FromStr as _;

use anyhow::{bail, ensure};
use http::{HeaderName, HeaderValue};

use crate::args::{OtlpArgs, Signal, Variable};

const SAMPLERS: [&str; 6] = [
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
    "always_on",
    "always_off",
    "traceidratio",
];

/// # Errors
/// The first variable with an unsupported value.
pub(super) fn check(otlp: &OtlpArgs) -> anyhow::Result<()> {
    if otlp.is_disabled() {
        return Ok(());
    }
    for signal in Signal::ALL {
        check_exporter(otlp, signal)?;
    }
    for signal in Signal::ALL.into_iter().filter(|it| otlp.exports(*it)) {
        check_protocol(otlp, signal)?;
        check_timeout(otlp, signal)?;
        check_compression(otlp, signal)?;
        check_headers(otlp, signal)?;
    }
    if otlp.exports_traces() {
        check_sampler(otlp)?;
    }
    check_attributes(otlp)
}

/// Rejects the export of logs, which go to standard error only. Commands have no log and skip this.
pub(super) fn check_logs(otlp: &OtlpArgs) -> anyhow::Result<()> {
    let value = otlp.value("OTEL_LOGS_EXPORTER");
    if let Some(value) = value.filter(|it| !it.eq_ignore_ascii_case("none") && !otlp.is_disabled())
    {
        bail!(
            "OTEL_LOGS_EXPORTER={value}: logs go to standard error only, with their trace ID; set it to none"
        );
    }
    Ok(())
}

fn check_exporter(otlp: &OtlpArgs, signal: Signal) -> anyhow::Result<()> {
    let known = |it: &str| {
        ["otlp", "none"]
            .iter()
            .any(|known| it.eq_ignore_ascii_case(known))
    };
    if let Some(value) = otlp.value(signal.exporter()).filter(|it| !known(it)) {
        let destinations = match signal {
            Signal::Traces => "traces are exported by OTLP only",
            Signal::Metrics => {
                "metrics are exported by OTLP, in addition to /metrics of --admin-listen for Prometheus"
            }
        };
        bail!(
            "{}={value}: {destinations}; set it to otlp or none",
            signal.exporter()
        );
    }
    Ok(())
}

/// Only gRPC is supported. Spans sent to an HTTP port would be lost silently.
fn check_protocol(otlp: &OtlpArgs, signal: Signal) -> anyhow::Result<()> {
    let value = otlp.exporter_variable(signal, "PROTOCOL");
    if let Some(Variable { name, value }) = value.filter(|it| it.value != "grpc") {
        bail!(
            "{name}={value}: telemetry is exported by gRPC only; set it to grpc and use the collector's gRPC port, by default 4317"
        );
    }
    Ok(())
}

fn check_timeout(otlp: &OtlpArgs, signal: Signal) -> anyhow::Result<()> {
    let is_valid = |it: &Variable<'_>| it.value.parse::<u64>().is_ok_and(|it| it > 0);
    if let Some(Variable { name, value }) = otlp
        .exporter_variable(signal, "TIMEOUT")
        .filter(|it| !is_valid(it))
    {
        bail!("{name}={value}: set it to a positive number of milliseconds, for example 10000");
    }
    Ok(())
}

fn check_compression(otlp: &OtlpArgs, signal: Signal) -> anyhow::Result<()> {
    let known = |it: &Variable<'_>| {
        ["gzip", "none"]
            .iter()
            .any(|known| it.value.eq_ignore_ascii_case(known))
    };
    if let Some(Variable { name, value }) = otlp
        .exporter_variable(signal, "COMPRESSION")
        .filter(|it| !known(it))
    {
        bail!("{name}={value}: unsupported compression; set it to gzip or none");
    }
    Ok(())
}

/// Error messages omit the values, which are credentials.
fn check_headers(otlp: &OtlpArgs, signal: Signal) -> anyhow::Result<()> {
    let Some(Variable { name, value }) = otlp.exporter_variable(signal, "HEADERS") else {
        return Ok(());
    };
    for (number, header) in value.split_terminator(',').enumerate() {
        let is_valid = header.split_once('=').is_some_and(|(key, value)| {
            HeaderName::from_str(key.trim()).is_ok() && HeaderValue::from_str(value.trim()).is_ok()
        });
        ensure!(
            is_valid,
            "{name}: header {} is invalid; use NAME=VALUE, separated by commas, with %2C for a comma in a value",
            number + 1
        );
    }
    Ok(())
}

fn check_sampler(otlp: &OtlpArgs) -> anyhow::Result<()> {
    let sampler = otlp.value("OTEL_TRACES_SAMPLER").unwrap_or(SAMPLERS[0]);
    ensure!(
        SAMPLERS.contains(&sampler),
        "OTEL_TRACES_SAMPLER={sampler}: unknown sampler; set it to one of {}",
        SAMPLERS.join(", ")
    );
    let ratio = otlp.value("OTEL_TRACES_SAMPLER_ARG");
    let is_valid = |it: &&str| it.parse::<f64>().is_ok_and(|it| (0.0..=1.0).contains(&it));
    let invalid = ratio.filter(|it| sampler.ends_with("traceidratio") && !is_valid(it));
    if let Some(invalid) = invalid {
        bail!(
            "OTEL_TRACES_SAMPLER_ARG={invalid}: set it to the ratio of recorded traces, from 0 to 1, for example 0.1"
        );
    }
    Ok(())
}

fn check_attributes(otlp: &OtlpArgs) -> anyhow::Result<()> {
    let attributes = otlp.value("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let is_valid = |it: &&str| {
        it.split_once('=')
            .is_some_and(|(name, _)| !name.trim().is_empty())
    };
    if let Some(invalid) = attributes.split_terminator(',').find(|it| !is_valid(it)) {
        bail!(
            "OTEL_RESOURCE_ATTRIBUTES: `{invalid}` is not an attribute; use NAME=VALUE, separated by commas"
        );
    }
    Ok(())
}
