//! Tables that are longer than the screen go through a pager, where somebody looks at them.

use std::{
    io::{self, IsTerminal as _, Write as _},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError, TryLockError, mpsc},
};

use anstream::{AutoStream, ColorChoice, adapter::strip_str};
use anyhow::Context as _;
use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
};

use super::{printing::printing, stdout::line};

/// Where a table goes, as it becomes known.
pub(crate) enum Sheet {
    /// To stdout at once.
    Plain,
    /// Kept until it is known whether it fits on the screen.
    Held { lines: Vec<String>, screen: usize },
    /// To a pager.
    Paged(Pager),
}

/// A pager that runs. The terminal is its own until it has ended, so who drops it waits for it.
pub(crate) struct Pager {
    run: Arc<Mutex<Run>>,
}

struct Run {
    child: Child,
    /// Whether its end was waited for.
    over: bool,
}

/// The exit code of what an interrupt ended, as shells tell it.
const INTERRUPTED: i32 = 130;

/// The program that pages: the one that is named, the one of the terminal's other programs, or less.
pub(super) fn program(named: Option<&str>) -> Option<String> {
    let usual = std::env::var_os("PAGER").and_then(|it| it.into_string().ok());
    let program = named.map(str::to_owned).or(usual);
    let program = program.unwrap_or_else(|| "less".to_owned());
    // Who names cat, or nothing, wants no pager.
    Some(program).filter(|it| !matches!(it.trim(), "" | "cat"))
}

impl Sheet {
    pub(crate) fn open() -> Self {
        if printing().pager.is_none() || !io::stdout().is_terminal() {
            return Self::Plain;
        }
        match crossterm::terminal::size() {
            Ok((_, rows)) if rows > 1 => Self::Held {
                lines: Vec::new(),
                // The prompt needs a line, too.
                screen: usize::from(rows) - 1,
            },
            _ => Self::Plain,
        }
    }

    /// Writes lines; none of an empty text.
    pub(crate) fn write(&mut self, text: &str) -> anyhow::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        match self {
            Self::Plain => line(text),
            Self::Paged(pager) => pager.feed(text),
            Self::Held { lines, screen } => {
                lines.extend(text.lines().map(str::to_owned));
                if lines.len() > *screen {
                    *self = Self::started(&std::mem::take(lines))?;
                }
                Ok(())
            }
        }
    }

    /// Prints what is held and waits until the reader has seen enough.
    pub(crate) fn close(self) -> anyhow::Result<()> {
        match self {
            Self::Plain => Ok(()),
            Self::Held { lines, .. } if lines.is_empty() => Ok(()),
            Self::Held { lines, .. } => line(lines.join("\n")),
            Self::Paged(pager) => pager.finish(),
        }
    }

    fn started(lines: &[String]) -> anyhow::Result<Self> {
        let text = lines.join("\n");
        let Some(pager) = printing().pager.as_deref().and_then(Pager::start) else {
            line(text)?;
            return Ok(Self::Plain);
        };
        pager.feed(&text)?;
        Ok(Self::Paged(pager))
    }
}

impl Pager {
    /// None where there is no such program: then there is no pager, and no reason to fail.
    fn start(program: &str) -> Option<Self> {
        let mut words = program.split_whitespace();
        let mut command = Command::new(words.next()?);
        command.args(words).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", "FRX");
        }
        let child = command.spawn().ok()?;
        let run = Arc::new(Mutex::new(Run { child, over: false }));
        ignore_interrupts(Arc::clone(&run));
        Some(Self { run })
    }

    /// An error that says that the pager was left is one of a reader that went away.
    fn feed(&self, text: &str) -> anyhow::Result<()> {
        let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(stdin) = run.child.stdin.as_mut() else {
            return Ok(());
        };
        let written = match AutoStream::choice(&io::stdout()) {
            ColorChoice::Never => writeln!(stdin, "{}", strip_str(text)),
            ColorChoice::Auto | ColorChoice::AlwaysAnsi | ColorChoice::Always => {
                writeln!(stdin, "{text}")
            }
        };
        if written.is_err() {
            run.finish().context("waiting for the pager")?;
        }
        written.context("cannot write to the pager")
    }

    fn finish(&self) -> anyhow::Result<()> {
        let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        run.finish().context("waiting for the pager")
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        // What went wrong before is what there is to say.
        let _ = self.finish();
    }
}

impl Run {
    fn finish(&mut self) -> io::Result<()> {
        drop(self.child.stdin.take());
        self.over = true;
        self.child.wait().map(drop)
    }
}

/// Interrupts are for the pager as long as it runs: less goes on after them. Who has left it and interrupts what fed it ends that.
/// Where they cannot be caught one ends the command beside its pager, and nothing worse.
fn ignore_interrupts(run: Arc<Mutex<Run>>) {
    let (ready_tx, ready_rx) = mpsc::channel::<()>();
    let thread = std::thread::Builder::new().name("interrupts".to_owned());
    let started = thread.spawn(move || listen(ready_tx, &run));
    if started.is_ok() {
        // They are caught, or cannot be, when the other end has gone.
        let _ = ready_rx.recv();
    }
}

fn listen(ready_tx: mpsc::Sender<()>, run: &Mutex<Run>) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut interrupts = {
        let _entered = runtime.enter();
        signal(SignalKind::interrupt())?
    };
    drop(ready_tx);
    while runtime.block_on(interrupts.recv()).is_some() {
        if was_left(run) {
            leave();
        }
    }
    Ok(())
}

/// Whether the pager ended by itself, and nobody has noticed. Who holds it is at work with it.
fn was_left(run: &Mutex<Run>) -> bool {
    let mut run = match run.try_lock() {
        Ok(run) => run,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return false,
    };
    !run.over && matches!(run.child.try_wait(), Ok(Some(_)))
}

#[expect(
    clippy::exit,
    reason = "this is what an interrupt does where nothing catches it"
)]
fn leave() {
    std::process::exit(INTERRUPTED);
}

#[cfg(test)]
mod tests;
