//! The tunnel beside direct HTTP/2 over TLS: the same load, the same echo server, alternating rounds.

mod echo;
pub(crate) mod idle;
mod load;
mod parts;
pub(crate) mod traced;

use std::io::Write;
use std::time::Duration;

use load::{Figures, Target};
pub(crate) use parts::runtime;
use parts::{Parts, Shells};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Rounds; each figure is the median
    #[arg(long, default_value_t = 21)]
    rounds: usize,
    /// Measured seconds of each step of a round
    #[arg(long, default_value_t = 2)]
    seconds: u64,
    /// Worker threads of each part; 1 is a current-thread runtime
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Sessions of the idle measurement; 0 leaves it out
    #[arg(long, default_value_t = 1000)]
    sessions: usize,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            rounds: 21,
            seconds: 2,
            threads: 1,
            sessions: 1000,
        }
    }
}

/// In flight, as the goals are written.
const UNARY: usize = 64;
/// In flight beside stalled readers.
const BESIDE: usize = 16;
const STALLED: usize = 64;

#[derive(Default)]
struct Rounds {
    direct: Vec<Figures>,
    tunnel: Vec<Figures>,
    free: Vec<Figures>,
    beside_stalled: Vec<Figures>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let parts = Parts::start(args.threads, &Shells::Silent)?;
    let rounds = runtime(1)?.block_on(measure(args, &parts))?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| what | direct TLS | tunnel | ratio |\n|---|---|---|---|"
    )?;
    let (direct, tunnel) = (
        median(&rounds.direct, |f| f.per_second),
        median(&rounds.tunnel, |f| f.per_second),
    );
    let ratio = ratio(&rounds.tunnel, &rounds.direct, |f| f.per_second);
    writeln!(
        out,
        "| unary 100 B, {UNARY} in flight, calls/s | {direct:.0} | {tunnel:.0} | {ratio:.2} (goal 0.45 or more) |"
    )?;
    for (name, pick) in [
        ("p50 in ms", p50 as fn(&Figures) -> f64),
        ("p99 in ms", p99),
        ("CPU in µs per call, load and echo included", cpu),
    ] {
        let (direct, tunnel) = (median(&rounds.direct, pick), median(&rounds.tunnel, pick));
        writeln!(
            out,
            "| the same, {name} | {direct:.2} | {tunnel:.2} | {:.2} |",
            tunnel / direct
        )?;
    }
    writeln!(
        out,
        "\n| what | none stalled | {STALLED} stalled | ratio |\n|---|---|---|---|"
    )?;
    let (free, beside) = (
        median(&rounds.free, p99),
        median(&rounds.beside_stalled, p99),
    );
    let slower = self::ratio(&rounds.beside_stalled, &rounds.free, p99);
    writeln!(
        out,
        "| unary 100 B through the tunnel, {BESIDE} in flight, p99 in ms | {free:.2} | {beside:.2} | {slower:.2} (goal 1.2 or less) |"
    )?;
    if args.sessions > 0 {
        let idle = runtime(1)?.block_on(idle::measure(args.sessions))?;
        writeln!(
            out,
            "\n| what | KiB |\n|---|---|\n| an idle session on the server, {} sessions | {idle:.1} (goal 64 or less) |",
            args.sessions
        )?;
    }
    Ok(())
}

async fn measure(args: &Args, parts: &Parts) -> anyhow::Result<Rounds> {
    let time = Duration::from_secs(args.seconds);
    let mut rounds = Rounds::default();
    for _round in 0..args.rounds {
        let direct = Target::direct(parts).await?;
        let tunnel = Target::tunnel(parts).await?;
        rounds.direct.push(direct.unary(UNARY, time).await?);
        rounds.tunnel.push(tunnel.unary(UNARY, time).await?);
        rounds.free.push(tunnel.unary(BESIDE, time).await?);
        let stalled = tunnel.stall(STALLED).await?;
        rounds
            .beside_stalled
            .push(tunnel.unary(BESIDE, time).await?);
        drop(stalled);
    }
    Ok(rounds)
}

fn p50(figures: &Figures) -> f64 {
    figures.p50_ms
}

fn p99(figures: &Figures) -> f64 {
    figures.p99_ms
}

fn cpu(figures: &Figures) -> f64 {
    figures.cpu_us
}

fn median(rounds: &[Figures], pick: impl Fn(&Figures) -> f64) -> f64 {
    middle(rounds.iter().map(pick).collect())
}

/// Of each round's own ratio, since the machine differs between rounds.
fn ratio(rounds: &[Figures], against: &[Figures], pick: impl Fn(&Figures) -> f64) -> f64 {
    middle(
        rounds
            .iter()
            .zip(against)
            .map(|(round, against)| pick(round) / pick(against))
            .collect(),
    )
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
