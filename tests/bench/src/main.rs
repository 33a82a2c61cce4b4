//! Figures, side by side with the direct path in the same run. Build with `--release`, run on a quiet machine.

mod assertion;
mod audit;
mod cluster;
mod command;
mod commits;
mod figure;
mod policy;
mod programs;
mod scope;
mod trial;
mod tunnel;
mod up;

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::Parser as _;

fn main() -> anyhow::Result<()> {
    causeway_shell::install_crypto();
    command::Command::parse().run()
}

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
