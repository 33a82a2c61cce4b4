//! Validates OpenTelemetry variables at startup. Unsupported values fail with the name of the variable, because telemetry that is
//! silently dropped is missed only when it is needed.

use std::str::FromStr as _;

use anyhow::{bail, ensure};
use http::{HeaderName, HeaderValue};

use crate::args::{Given, OtlpArgs, Signal};

const SAMPLERS: [&str; 6] = [
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
    "always_on",
    "always_off",
    "traceidratio",
];

/// # Errors
/// The first variable that is not honoured, and what to set it to.
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

/// Lines of the log go nowhere but to standard error; who only runs a command has none.
pub(super) fn check_logs(otlp: &OtlpArgs) -> anyhow::Result<()> {
    let asked = otlp.given("OTEL_LOGS_EXPORTER");
    if let Some(asked) = asked.filter(|it| !it.eq_ignore_ascii_case("none") && !otlp.is_disabled())
    {
        bail!(
            "OTEL_LOGS_EXPORTER={asked}: logs are written to standard error alone, with the id of their trace; set it to none"
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
    if let Some(asked) = otlp.given(signal.exporter()).filter(|it| !known(it)) {
        let ways = match signal {
            Signal::Traces => "traces go to a collector by OTLP or nowhere",
            Signal::Metrics => {
                "metrics go to a collector by OTLP, besides /metrics of --admin-listen, which Prometheus asks"
            }
        };
        bail!(
            "{}={asked}: {ways}; set it to otlp or none",
            signal.exporter()
        );
    }
    Ok(())
}

/// Only gRPC is spoken; spans that go to a port for HTTP would be lost without a word.
fn check_protocol(otlp: &OtlpArgs, signal: Signal) -> anyhow::Result<()> {
    let asked = otlp.of(signal, "PROTOCOL");
    if let Some(Given { name, value }) = asked.filter(|it| it.value != "grpc") {
        bail!(
            "{name}={value}: telemetry is exported by gRPC alone; set it to grpc and give the collector's port for gRPC, which is 4317 as a rule"
        );
    }
    Ok(())
}

fn check_timeout(otlp: &OtlpArgs, signal: Signal) -> anyhow::Result<()> {
    let reads = |it: &Given<'_>| it.value.parse::<u64>().is_ok_and(|it| it > 0);
    if let Some(Given { name, value }) = otlp.of(signal, "TIMEOUT").filter(|it| !reads(it)) {
        bail!("{name}={value}: set it to milliseconds, a whole number above zero, such as 10000");
    }
    Ok(())
}

fn check_compression(otlp: &OtlpArgs, signal: Signal) -> anyhow::Result<()> {
    let known = |it: &Given<'_>| {
        ["gzip", "none"]
            .iter()
            .any(|known| it.value.eq_ignore_ascii_case(known))
    };
    if let Some(Given { name, value }) = otlp.of(signal, "COMPRESSION").filter(|it| !known(it)) {
        bail!("{name}={value}: telemetry is sent as it is or by gzip; set it to gzip or none");
    }
    Ok(())
}

/// Without their values, which are credentials.
fn check_headers(otlp: &OtlpArgs, signal: Signal) -> anyhow::Result<()> {
    let Some(Given { name, value }) = otlp.of(signal, "HEADERS") else {
        return Ok(());
    };
    for (number, header) in value.split_terminator(',').enumerate() {
        let read = header.split_once('=').is_some_and(|(key, value)| {
            HeaderName::from_str(key.trim()).is_ok() && HeaderValue::from_str(value.trim()).is_ok()
        });
        ensure!(
            read,
            "{name}: number {} of its headers is none; write NAME=VALUE, separated by commas, with %2C for a comma in a value",
            number + 1
        );
    }
    Ok(())
}

fn check_sampler(otlp: &OtlpArgs) -> anyhow::Result<()> {
    let sampler = otlp.given("OTEL_TRACES_SAMPLER").unwrap_or(SAMPLERS[0]);
    ensure!(
        SAMPLERS.contains(&sampler),
        "OTEL_TRACES_SAMPLER={sampler}: no such sampler; set it to one of {}",
        SAMPLERS.join(", ")
    );
    let share = otlp.given("OTEL_TRACES_SAMPLER_ARG");
    let reads = |it: &&str| it.parse::<f64>().is_ok_and(|it| (0.0..=1.0).contains(&it));
    let strange = share.filter(|it| sampler.ends_with("traceidratio") && !reads(it));
    if let Some(strange) = strange {
        bail!(
            "OTEL_TRACES_SAMPLER_ARG={strange}: set it to the share of traces that are recorded, from 0 to 1, such as 0.1"
        );
    }
    Ok(())
}

fn check_attributes(otlp: &OtlpArgs) -> anyhow::Result<()> {
    let attributes = otlp.given("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let reads = |it: &&str| {
        it.split_once('=')
            .is_some_and(|(name, _)| !name.trim().is_empty())
    };
    if let Some(strange) = attributes.split_terminator(',').find(|it| !reads(it)) {
        bail!(
            "OTEL_RESOURCE_ATTRIBUTES: `{strange}` is no attribute; write NAME=VALUE, separated by commas"
        );
    }
    Ok(())
}
