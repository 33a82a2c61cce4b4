//! What tracing costs the tunnel: the same load with and without a collector, each in a process of its own, alternating.

use std::{
    io::Write as _,
    process::{Command, ExitCode, Stdio},
    time::Duration,
};

use anyhow::{Context as _, bail, ensure};
use causeway_shell::{Process, ProcessArgs};
use causeway_testkit::Collector;

use super::{
    UNARY,
    load::{Figures, Target, Traces},
    parts::{Parts, Shells, runtime},
};
use crate::figure::middle;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Rounds; each figure is the median
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// Measured seconds of each step of a round
    #[arg(long, default_value_t = 3)]
    seconds: u64,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            rounds: 15,
            seconds: 3,
        }
    }
}

/// What the process of one step gets.
#[derive(clap::Args)]
pub(crate) struct StepArgs {
    #[arg(long)]
    seconds: u64,
    #[command(flatten)]
    process: ProcessArgs,
}

/// Microseconds of CPU for each call, of all measured parts and the load.
struct Round {
    off: f64,
    on: f64,
}

/// Measures and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let runtime = runtime(2)?;
    let collector = runtime.block_on(Collector::start());
    let endpoint = collector.endpoint();
    let mut rounds = Vec::new();
    for _ in 0..args.rounds {
        let off = step(args.seconds, None)?;
        let on = step(args.seconds, Some(&endpoint))?;
        rounds.push(Round { off, on });
    }
    ensure!(
        !collector.spans().is_empty(),
        "nothing was traced, so that nothing was measured"
    );
    let of = |pick: fn(&Round) -> f64| middle(&rounds.iter().map(pick).collect::<Vec<_>>());
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| what | not traced | 10 % traced | ratio |\n|---|---|---|---|"
    )?;
    // Of each round's own ratio, since the machine differs between rounds.
    writeln!(
        out,
        "| unary 100 B through the tunnel, {UNARY} in flight, CPU in µs per call, load and echo included | {:.1} | {:.1} | {:.3} (goal 1.05 or less) |",
        of(|round| round.off),
        of(|round| round.on),
        of(|round| round.on / round.off),
    )?;
    Ok(())
}

fn step(seconds: u64, collector: Option<&str>) -> anyhow::Result<f64> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["traced-tunnel-step", "--log", "error", "--seconds"]);
    command.arg(seconds.to_string()).stderr(Stdio::inherit());
    command.env_remove("OTEL_EXPORTER_OTLP_ENDPOINT");
    if let Some(collector) = collector {
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector);
        command.env("OTEL_TRACES_SAMPLER", "parentbased_traceidratio");
        command.env("OTEL_TRACES_SAMPLER_ARG", "0.1");
        command.env("OTEL_METRICS_EXPORTER", "none");
    }
    let output = command.output().context("start a step")?;
    ensure!(output.status.success(), "a step failed");
    let said = String::from_utf8(output.stdout)?;
    said.trim().parse().with_context(|| said.clone())
}

/// One step, in a process of its own because what traces is one for the whole process.
pub(crate) fn run_step(args: &StepArgs) -> anyhow::Result<()> {
    let time = Duration::from_secs(args.seconds);
    let main = move |process: Process| -> futures::future::BoxFuture<'static, _> {
        Box::pin(async move {
            let figures = measured(process.clone(), time).await?;
            writeln!(std::io::stdout().lock(), "{}", figures.cpu_us)?;
            process.stop();
            Ok(())
        })
    };
    if causeway_shell::run(&args.process, main) != ExitCode::SUCCESS {
        bail!("the step failed");
    }
    Ok(())
}

async fn measured(process: Process, time: Duration) -> anyhow::Result<Figures> {
    let parts = Parts::start(1, &Shells::Of(process))?;
    let target = Target::tunnel(&parts).await?;
    target
        .in_traces(Traces::TenPercent)
        .unary(UNARY, time)
        .await
}
