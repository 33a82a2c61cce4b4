//! The way of a commit on a real Kubernetes and a stock Argo CD: from the push to the status that Argo CD writes, which is Argo
//! CD's own part, and from there to the platform, beside Argo CD's own watch API. Argo CD polls once an hour here; each push is
//! told by the refresh annotation.

mod fleet;
mod places;

use std::{path::PathBuf, time::Duration};

use anyhow::Context as _;
use causeway_cluster::{Options, Programs};
use tokio::time::timeout;

use crate::{figure::quantile, place::beside, up::Up};
use fleet::{Fleet, Pushed};
use places::{Place, Places};

const PATIENCE: Duration = Duration::from_secs(60);

/// How many of what.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Applications that are there; a table for each number
    #[arg(long, value_delimiter = ',', default_values_t = [10, 500])]
    applications: Vec<u32>,
    /// Commits of each table, one after the other
    #[arg(long, default_value_t = 100)]
    commits: u32,
    /// The program to measure; the one beside this one if not given
    #[arg(long)]
    binary: Option<PathBuf>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            applications: vec![10, 500],
            commits: 100,
            binary: None,
        }
    }
}

/// Seconds after the push at which the status of one commit was seen.
struct Seen {
    cluster: f64,
    argocd: f64,
    platform: f64,
}

/// What a line of the table is of.
type Pick = fn(&Seen) -> f64;

/// Measures and prints; says what is left out where the programs are not built.
#[expect(clippy::print_stdout, reason = "the table is the result")]
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Err(error) = Programs::find(&Options::default().programs()) {
        println!("the way of a commit is left out: {error}");
        return Ok(());
    }
    let runtime = tokio::runtime::Runtime::new()?;
    for number in &args.applications {
        runtime.block_on(measure(args, *number))?;
    }
    Ok(())
}

async fn measure(args: &Args, applications: u32) -> anyhow::Result<()> {
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => beside("causeway")?,
    };
    let fleet = Fleet::start(applications).await?;
    let up = Up::start(&binary, &fleet.flags()).await?;
    let mut places = Places::open(&fleet, &up)?;
    let all = usize::try_from(applications)?;
    timeout(PATIENCE, places.complete(all))
        .await
        .context("not everybody sees all applications")??;
    let mut seen = Vec::new();
    for number in 0..args.commits {
        let pushed = fleet.push(number).await?;
        seen.push(follow(&mut places, &pushed).await?);
    }
    print(applications, &seen, up.resident()?);
    drop(up);
    fleet.stop().await;
    Ok(())
}

/// Waits until a commit is seen at all three places.
async fn follow(places: &mut Places, pushed: &Pushed) -> anyhow::Result<Seen> {
    let mut at = [None; 3];
    while at.contains(&None) {
        let next = timeout(PATIENCE, places.next()).await;
        let next = next.with_context(|| format!("{pushed:?} is not seen everywhere: {at:?}"))??;
        if next.name == pushed.name && next.revision == pushed.revision {
            let after = next.at.duration_since(pushed.at).as_secs_f64();
            at[next.place as usize].get_or_insert(after);
        }
    }
    let of = |place: Place| at[place as usize].unwrap_or(f64::NAN);
    Ok(Seen {
        cluster: of(Place::Cluster),
        argocd: of(Place::Argocd),
        platform: of(Place::Platform),
    })
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn print(applications: u32, seen: &[Seen], resident: f64) {
    println!(
        "| {applications} applications, {} commits, ms | p50 | p99 |\n|---|---|---|",
        seen.len()
    );
    let lines: [(&str, Pick); 4] = [
        ("push to status written: Argo CD's own part", |seen| {
            seen.cluster
        }),
        (
            "status written to seen on Argo CD's own watch API",
            |seen| seen.argocd - seen.cluster,
        ),
        (
            "status written to queryable on the platform: Causeway's part",
            |seen| seen.platform - seen.cluster,
        ),
        ("push to queryable on the platform", |seen| seen.platform),
    ];
    for (name, pick) in lines {
        let all: Vec<_> = seen.iter().map(pick).collect();
        let [middle, most] = [0.5, 0.99].map(|at| quantile(&all, at) * 1e3);
        println!("| {name} | {middle:.1} | {most:.1} |");
    }
    println!("\nresident memory of the whole Causeway: {resident:.0} MiB\n");
}
