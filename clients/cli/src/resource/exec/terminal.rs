//! Raw mode of this terminal while a command uses it; it is always restored.

use anyhow::Context as _;
use causeway_proto::proxy::v1 as pb;
use crossterm::terminal;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// A terminal that takes every key as it is.
pub(super) struct Raw;

impl Raw {
    pub(super) fn begin() -> anyhow::Result<Self> {
        terminal::enable_raw_mode().context("cannot take the terminal")?;
        Ok(Self)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // No one is left to report an error to.
        let _ = terminal::disable_raw_mode();
    }
}

/// Returns the size of this terminal, if known.
pub(super) fn size() -> Option<pb::TerminalSize> {
    let (columns, rows) = terminal::size().ok()?;
    Some(pb::TerminalSize {
        columns: columns.into(),
        rows: rows.into(),
    })
}

/// Signals that end a process.
pub(super) struct Signals {
    terminate: Signal,
    hang_up: Signal,
}

/// The name of the signal that came.
pub(super) struct Ended(pub(super) &'static str);

impl Signals {
    pub(super) fn listen() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    pub(super) async fn ended(&mut self) -> Ended {
        tokio::select! {
            _ = self.terminate.recv() => Ended("SIGTERM"),
            _ = self.hang_up.recv() => Ended("SIGHUP"),
        }
    }
}
