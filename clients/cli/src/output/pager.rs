//! Tables that are longer than the screen go through a pager, where somebody looks at them.

use std::{
    io::{self, IsTerminal as _, Write as _},
    process::{Child, Command, Stdio},
};

use anstream::{AutoStream, ColorChoice, adapter::strip_str};
use anyhow::Context as _;

use super::{line, printing};

/// Where a table goes, as it becomes known.
pub(crate) enum Sheet {
    /// To stdout at once.
    Plain,
    /// Kept until it is known whether it fits on the screen.
    Held { lines: Vec<String>, screen: usize },
    /// To a pager.
    Paged(Child),
}

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
            Self::Paged(child) => feed(child, text),
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
            Self::Paged(mut child) => {
                drop(child.stdin.take());
                child.wait().context("waiting for the pager")?;
                Ok(())
            }
        }
    }

    fn started(lines: &[String]) -> anyhow::Result<Self> {
        let text = lines.join("\n");
        let Some(mut child) = printing().pager.as_deref().and_then(start) else {
            line(text)?;
            return Ok(Self::Plain);
        };
        feed(&mut child, &text)?;
        Ok(Self::Paged(child))
    }
}

/// None where there is no such program: then there is no pager, and no reason to fail.
fn start(program: &str) -> Option<Child> {
    let mut words = program.split_whitespace();
    let mut command = Command::new(words.next()?);
    command.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    command.spawn().ok()
}

/// An error that says that the pager was left is one of a reader that went away.
fn feed(child: &mut Child, text: &str) -> anyhow::Result<()> {
    let Some(stdin) = child.stdin.as_mut() else {
        return Ok(());
    };
    let written = match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => writeln!(stdin, "{}", strip_str(text)),
        ColorChoice::Auto | ColorChoice::AlwaysAnsi | ColorChoice::Always => {
            writeln!(stdin, "{text}")
        }
    };
    if written.is_err() {
        drop(child.stdin.take());
        // The terminal is the pager's until it has ended.
        child.wait().context("waiting for the pager")?;
    }
    written.context("cannot write to the pager")
}
