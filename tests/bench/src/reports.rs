//! What one runtime's reporter and the inventory can do together: each part a process of its own, beside a cluster that holds
//! generated Applications. Where it is not said otherwise the reporter has no source-server: it tells the states of Applications alone.

mod cluster;
mod cold_start;
mod full_queue;
mod gate;
mod ingest;
mod latency;
mod one_change;
mod process;
mod relay;
mod resident;
mod sheet;
mod shown;
mod sustained;
mod watchers;
mod world;

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::ValueEnum as _;

pub(crate) use process::cpu;

use crate::place::beside;
use sheet::Sheet;

/// How many of what.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// This one alone
    #[arg(long)]
    only: Option<Figure>,
    /// Applications in the cluster
    #[arg(long, default_value_t = 5_000)]
    applications: usize,
    /// Resources of each
    #[arg(long, default_value_t = 30)]
    resources: usize,
    /// Seconds for which changes go on where they are counted by the second
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Changes while the platform is stalled; each 200th is a deletion
    #[arg(long, default_value_t = 100_000)]
    changes: usize,
    /// States that go to the inventory alone
    #[arg(long, default_value_t = 50_000)]
    states: usize,
    /// Applications beside which a reporter's memory is measured; a line for each number
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000])]
    resident: Vec<usize>,
    /// Watchers of the platform
    #[arg(long, default_value_t = 500)]
    watchers: usize,
    /// The program to measure; the one beside this one if not given
    #[arg(long)]
    binary: Option<PathBuf>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            only: None,
            applications: 5_000,
            resources: 30,
            seconds: 10,
            changes: 100_000,
            states: 50_000,
            resident: vec![1_000, 10_000],
            watchers: 500,
            binary: None,
        }
    }
}

/// What is measured.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    /// Changes of many applications, to durable commit
    Sustained,
    /// States to the inventory alone
    Ingest,
    /// From a change to its being shown
    Latency,
    /// A platform that is away and comes back slow
    FullQueue,
    /// A first start, and another one with nothing changed
    ColdStart,
    /// One changed field of one resource of a hundred
    OneChange,
    /// Memory of the reporter
    Resident,
    /// Many watchers, one of them stuck
    Watchers,
}

impl Figure {
    async fn measure(self, args: &Args, sheet: &mut Sheet) -> anyhow::Result<()> {
        let binary = match &args.binary {
            Some(binary) => binary.clone(),
            None => beside("causeway")?,
        };
        match self {
            Self::Sustained => sustained::measure(args, &binary, sheet).await,
            Self::Ingest => ingest::measure(args, &binary, sheet).await,
            Self::Latency => latency::measure(args, &binary, sheet).await,
            Self::FullQueue => full_queue::measure(args, &binary, sheet).await,
            Self::ColdStart => cold_start::measure(args, &binary, sheet).await,
            Self::OneChange => one_change::measure(&binary, sheet).await,
            Self::Resident => resident::measure(args, &binary, sheet).await,
            Self::Watchers => watchers::measure(args, &binary, sheet).await,
        }
    }
}

/// Measures and prints; fails where a promise was broken meanwhile.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    crate::tunnel::runtime(2)?.block_on(measure(args))
}

async fn measure(args: &Args) -> anyhow::Result<()> {
    let wanted = |figure: &&Figure| args.only.is_none_or(|only| only == **figure);
    let mut broken = Vec::new();
    sheet::print_head();
    for figure in Figure::value_variants().iter().filter(wanted) {
        let mut sheet = Sheet::default();
        let measured = Box::pin(figure.measure(args, &mut sheet)).await;
        sheet.print();
        measured.with_context(|| format!("{figure:?}"))?;
        broken.extend(sheet.broken);
    }
    ensure!(broken.is_empty(), "{}", broken.join("; "));
    Ok(())
}
