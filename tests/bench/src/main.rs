//! Figures, side by side with the direct path in the same run. Build with `--release`, run on a quiet machine.

mod trial;
mod tunnel;

use clap::Parser;

#[derive(Parser)]
#[command(about = "Measures Causeway and prints Markdown tables")]
enum Command {
    /// Unary calls, stalled readers and idle sessions of the tunnel, beside direct HTTP/2 over TLS
    Tunnel(tunnel::Args),
    /// `causeway up`: start, memory, and the way of a change from the cluster to the platform
    Trial(trial::Args),
    /// Everything, with its defaults
    All,
    /// The tunnel server of the idle measurement, as a process of its own
    #[command(hide = true)]
    IdleServer,
}

fn main() -> anyhow::Result<()> {
    causeway_shell::install_crypto();
    match Command::parse() {
        Command::Tunnel(args) => tunnel::run(&args),
        Command::Trial(args) => trial::run(&args),
        Command::All => {
            trial::run(&trial::Args::default())?;
            tunnel::run(&tunnel::Args::default())
        }
        Command::IdleServer => tunnel::idle::serve(),
    }
}
