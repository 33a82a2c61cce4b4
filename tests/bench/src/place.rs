//! Where other programs are.

use std::path::PathBuf;

use anyhow::{Context as _, bail};

/// Another program of the workspace, in the same folder as this one.
pub(crate) fn beside(name: &str) -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe().context("this program's own place")?;
    let program = own.with_file_name(name);
    if !program.exists() {
        bail!(
            "{} is not there: build it, or give --binary",
            program.display()
        );
    }
    Ok(program)
}
