//! Pages tables that are longer than the screen.

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

/// Destination of a table.
pub(crate) enum PagedOutput {
    /// To stdout at once.
    Plain,
    /// Kept while it fits on the screen.
    Buffered { lines: Vec<String>, screen: usize },
    /// To a pager.
    Paged(Pager),
}

/// A running pager. Dropping it waits for its end, as it owns the terminal.
pub(crate) struct Pager {
    process: Arc<Mutex<Process>>,
}

struct Process {
    child: Child,
    /// True once its exit was awaited.
    finished: bool,
}

/// Exit code of an interrupted process, as in shells.
const INTERRUPTED: i32 = 130;

/// Returns the pager: the named one, PAGER, or less.
pub(super) fn program(named: Option<&str>) -> Option<String> {
    let usual = std::env::var_os("PAGER").and_then(|it| it.into_string().ok());
    let program = named.map(str::to_owned).or(usual);
    let program = program.unwrap_or_else(|| "less".to_owned());
    // cat or an empty name turn paging off.
    Some(program).filter(|it| !matches!(it.trim(), "" | "cat"))
}

impl PagedOutput {
    pub(crate) fn open() -> Self {
        if printing().pager.is_none() || !io::stdout().is_terminal() {
            return Self::Plain;
        }
        match crossterm::terminal::size() {
            Ok((_, rows)) if rows > 1 => Self::Buffered {
                lines: Vec::new(),
                // The prompt needs a line, too.
                screen: usize::from(rows) - 1,
            },
            _ => Self::Plain,
        }
    }

    /// Writes lines, unless the text is empty.
    pub(crate) fn write(&mut self, text: &str) -> anyhow::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        match self {
            Self::Plain => line(text),
            Self::Paged(pager) => pager.feed(text),
            Self::Buffered { lines, screen } => {
                lines.extend(text.lines().map(str::to_owned));
                if lines.len() > *screen {
                    *self = Self::started(&std::mem::take(lines))?;
                }
                Ok(())
            }
        }
    }

    /// Prints the buffered lines, or waits for the pager.
    pub(crate) fn close(self) -> anyhow::Result<()> {
        match self {
            Self::Plain => Ok(()),
            Self::Buffered { lines, .. } if lines.is_empty() => Ok(()),
            Self::Buffered { lines, .. } => line(lines.join("\n")),
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
    /// Starts the pager; none if the program is missing, which is no error.
    fn start(program: &str) -> Option<Self> {
        let mut words = program.split_whitespace();
        let mut command = Command::new(words.next()?);
        command.args(words).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", "FRX");
        }
        let child = command.spawn().ok()?;
        let process = Arc::new(Mutex::new(Process {
            child,
            finished: false,
        }));
        handle_interrupts(Arc::clone(&process));
        Some(Self { process })
    }

    /// Writes to the pager; fails with a broken pipe once the user left it.
    fn feed(&self, text: &str) -> anyhow::Result<()> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(stdin) = process.child.stdin.as_mut() else {
            return Ok(());
        };
        let written = match AutoStream::choice(&io::stdout()) {
            ColorChoice::Never => writeln!(stdin, "{}", strip_str(text)),
            ColorChoice::Auto | ColorChoice::AlwaysAnsi | ColorChoice::Always => {
                writeln!(stdin, "{text}")
            }
        };
        if written.is_err() {
            process.finish().context("waiting for the pager")?;
        }
        written.context("cannot write to the pager")
    }

    fn finish(&self) -> anyhow::Result<()> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.finish().context("waiting for the pager")
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        // An error before this one is the one to report.
        let _ = self.finish();
    }
}

impl Process {
    fn finish(&mut self) -> io::Result<()> {
        drop(self.child.stdin.take());
        self.finished = true;
        self.child.wait().map(drop)
    }
}

/// Leaves interrupts to the pager while it runs, as less survives them. After it was left, an interrupt ends this process.
/// Without a handler an interrupt ends this process and leaves the pager running.
fn handle_interrupts(process: Arc<Mutex<Process>>) {
    let (ready_tx, ready_rx) = mpsc::channel::<()>();
    let thread = std::thread::Builder::new().name("interrupts".to_owned());
    let started = thread.spawn(move || listen(ready_tx, &process));
    if started.is_ok() {
        // Returns once the handler is installed, or cannot be.
        let _ = ready_rx.recv();
    }
}

fn listen(ready_tx: mpsc::Sender<()>, process: &Mutex<Process>) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut interrupts = {
        let _entered = runtime.enter();
        signal(SignalKind::interrupt())?
    };
    drop(ready_tx);
    while runtime.block_on(interrupts.recv()).is_some() {
        if has_exited(process) {
            exit_interrupted();
        }
    }
    Ok(())
}

/// True if the pager exited by itself. A held lock means that it is being written to.
fn has_exited(process: &Mutex<Process>) -> bool {
    let mut process = match process.try_lock() {
        Ok(process) => process,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return false,
    };
    !process.finished && matches!(process.child.try_wait(), Ok(Some(_)))
}

#[expect(
    clippy::exit,
    reason = "this is what an interrupt does where nothing catches it"
)]
fn exit_interrupted() {
    std::process::exit(INTERRUPTED);
}

#[cfg(test)]
mod tests;
