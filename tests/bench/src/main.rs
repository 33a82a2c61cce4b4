//! Figures, side by side with the direct path in the same run. Build with `--release`, run on a quiet machine.

mod assertion;
mod audit;
mod bounds;
mod bulk;
mod changes;
mod cli;
mod cluster;
mod command;
mod commits;
mod figure;
mod fleet;
mod flood;
mod history;
mod idle;
mod logs;
mod place;
mod policy;
mod programs;
mod redaction;
mod reports;
mod rival;
mod scope;
mod transcode;
mod trial;
mod tunnel;
mod up;

use clap::Parser as _;

/// The one of the binary, so that what runs in this process takes as long as it does there.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> anyhow::Result<()> {
    causeway_shell::install_crypto();
    command::Command::parse().run()
}
