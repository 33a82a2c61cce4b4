//! Figures, side by side with the direct path in the same run. Build with `--release`, run on a quiet machine.

mod assertion;
mod audit;
mod bulk;
mod cli;
mod cluster;
mod command;
mod commits;
mod figure;
mod fleet;
mod history;
mod logs;
mod place;
mod policy;
mod programs;
mod reports;
mod rival;
mod scope;
mod transcode;
mod trial;
mod tunnel;
mod up;

use clap::Parser as _;

fn main() -> anyhow::Result<()> {
    causeway_shell::install_crypto();
    command::Command::parse().run()
}
