//! What a decision costs: one role, as many rules as a role can have.

use std::{io::Write, time::Duration};

use causeway_platform::ManyRules;
use tokio::time::Instant;

const RULES: usize = 1_000;
const DECISIONS: usize = 50_000;

pub(crate) fn run() -> anyhow::Result<()> {
    let policy = ManyRules::new(RULES);
    let mut times = Vec::with_capacity(DECISIONS);
    let mut allowed = 0;
    for question in 0..DECISIONS {
        let begin = Instant::now();
        let decided = policy.decide(question);
        times.push(begin.elapsed());
        allowed += usize::from(decided);
    }
    anyhow::ensure!(allowed == DECISIONS / 4, "{allowed} of {DECISIONS} allowed");
    times.sort_unstable();
    let at = |share: f64| micros(times[((times.len() - 1) as f64 * share) as usize]);
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| a decision on a role of {RULES} rules | µs |\n|---|---|"
    )?;
    writeln!(out, "| median | {:.1} |", at(0.5))?;
    writeln!(out, "| p99 | {:.1} (goal 50 or less) |\n", at(0.99))?;
    Ok(())
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
