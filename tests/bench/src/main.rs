//! Figures, side by side with the direct path in the same run. Build with `--release`, run on a quiet machine.

mod assertion;
mod cluster;
mod command;
mod trial;
mod tunnel;

use clap::Parser as _;

fn main() -> anyhow::Result<()> {
    causeway_shell::install_crypto();
    command::Command::parse().run()
}
