//! Lines on stdout and stderr, above the progress that is shown.

use std::io::{self, Write as _};

use anstream::AutoStream;
use anyhow::Context as _;

use super::progress;

/// Prints a line of the result.
pub(crate) fn line(text: impl AsRef<str>) -> anyhow::Result<()> {
    let print = || writeln!(AutoStream::auto(io::stdout()), "{}", text.as_ref());
    progress::above(print).context("cannot write the result")
}

/// Prints a line on stderr: progress and advice, never a result.
pub(crate) fn note(text: impl AsRef<str>) {
    // A closed stderr leaves nothing to report to.
    let _ = progress::above(|| writeln!(AutoStream::auto(io::stderr()), "{}", text.as_ref()));
}

/// True if stdout shows colours.
pub(crate) fn is_colored() -> bool {
    AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}
