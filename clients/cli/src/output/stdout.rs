//! Lines on stdout and stderr, above the progress that is shown.

use std::io::{self, IsTerminal as _, Write as _};

use anstream::AutoStream;
use anyhow::Context as _;

use super::{clean::clean_colored, progress};

/// Prints a line of the result, without controls of a terminal.
pub(crate) fn line(text: impl AsRef<str>) -> anyhow::Result<()> {
    print(&clean_colored(text.as_ref()))
}

/// Prints a document: as it is for programs, and without controls of a terminal on one.
pub(super) fn document_line(text: &str) -> anyhow::Result<()> {
    if io::stdout().is_terminal() {
        line(text)
    } else {
        print(text)
    }
}

fn print(text: &str) -> anyhow::Result<()> {
    let print = || writeln!(AutoStream::auto(io::stdout()), "{text}");
    progress::above(print).context("cannot write the result")
}

/// Prints a line on stderr: progress and advice, never a result.
pub(crate) fn note(text: impl AsRef<str>) {
    let text = clean_colored(text.as_ref());
    // A closed stderr leaves nothing to report to.
    let _ = progress::above(|| writeln!(AutoStream::auto(io::stderr()), "{text}"));
}

/// True if stdout shows colours.
pub(crate) fn is_colored() -> bool {
    AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}
