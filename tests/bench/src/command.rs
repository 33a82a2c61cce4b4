//! What can be measured.

use clap::Parser;

use crate::{assertion, cluster, trial, tunnel};

#[derive(Parser)]
#[command(about = "Measures Causeway and prints Markdown tables")]
pub(crate) enum Command {
    /// Unary calls, stalled readers and idle sessions of the tunnel, beside direct HTTP/2 over TLS
    Tunnel(tunnel::Args),
    /// `causeway up`: start, memory, and the way of a change from the cluster to the platform
    Trial(trial::Args),
    /// The real clusters of tests: start, memory, pods
    Cluster,
    /// Verifying an assertion, the first time and again
    Assertion,
    /// Everything, with its defaults
    All,
    /// The tunnel server of the idle measurement, as a process of its own
    #[command(hide = true)]
    IdleServer,
}

impl Command {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Tunnel(args) => tunnel::run(&args),
            Self::Trial(args) => trial::run(&args),
            Self::Cluster => cluster::run(),
            Self::Assertion => assertion::run(),
            Self::All => {
                trial::run(&trial::Args::default())?;
                cluster::run()?;
                assertion::run()?;
                tunnel::run(&tunnel::Args::default())
            }
            Self::IdleServer => tunnel::idle::serve(),
        }
    }
}
