//! How it goes, while it goes: a line that changes each second on a terminal, and one every ten seconds elsewhere.

use std::{
    convert::Infallible,
    io::{IsTerminal as _, Write as _},
    time::Duration,
};

use causeway_testkit::fleet::{Outlook, Progress};
use tokio::time::interval;

use crate::figure::quantile;

/// Does something, and tells of the platform meanwhile.
pub(super) async fn beside<T>(outlook: &Outlook, doing: impl Future<Output = T>) -> T {
    let done = tokio::select! {
        done = doing => done,
        never = tell(outlook) => match never {},
    };
    if std::io::stderr().is_terminal() {
        write("\n");
    }
    done
}

async fn tell(outlook: &Outlook) -> Infallible {
    let terminal = std::io::stderr().is_terminal();
    let period = if terminal { 1 } else { 10 };
    let mut ticks = interval(Duration::from_secs(period));
    loop {
        ticks.tick().await;
        let line = line(&outlook.progress().await, period);
        if terminal {
            write(&format!("\r\x1b[2K{line}"))
        } else {
            write(&format!("{line}\n"))
        }
    }
}

fn line(progress: &Progress, period: u64) -> String {
    let online = progress
        .online
        .map_or("?".to_owned(), |online| online.to_string());
    let mut line = format!(
        "{online} runtimes online, {} applications told, {} with manifests",
        progress.told, progress.whole
    );
    if !progress.lags.is_empty() {
        let [middle, most] = [0.5, 0.99].map(|at| quantile(&progress.lags, at) * 1e3);
        let rate = progress.lags.len() as f64 / period as f64;
        line += &format!(
            ", {rate:.0} changes/s, lag p50 {middle:.0} p99 {most:.0} ms, {} on their way",
            progress.outstanding
        );
    }
    line
}

fn write(text: &str) {
    // nobody is there to be told that the screen is gone
    let _ = std::io::stderr().write_all(text.as_bytes());
}
