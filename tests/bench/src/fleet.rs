//! Dozens of runtimes against one platform. Of each runtime everything is real, by its own flags: the join by a token, the keys,
//! the tunnel session, the report streams, source-server, app-proxy and router. Its cluster and the Argo CD beside it are
//! generated. The platform is a process of its own; all runtimes and their clusters are another one. What the platform lists at
//! the end must be what the clusters have.

mod platform;
mod screen;

use std::{io::Write as _, time::Duration};

use anyhow::ensure;
use causeway_testkit::{
    Mix,
    fleet::{
        Churn, Clusters, Complete, Fleet, FleetOptions, Load, Outlook, Pace, PlatformDoor, Verdict,
    },
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{
    figure::quantile,
    rival::{self, Rival},
};
pub(crate) use platform::{Platform, ServeArgs, most_resident, serve};

/// How long the whole inventory may take.
const COMPLETE: Duration = Duration::from_secs(3_600);
/// How long the platform may take to be right after the last change.
const SETTLED: Duration = Duration::from_secs(120);
/// Changes on their way where as many are made as are shown.
const OUTSTANDING: usize = 1_000;
/// The rate of the second line.
const FAST: u32 = 500;

/// Dozens of runtimes.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Runtimes
    #[arg(long, default_value_t = 10)]
    runtimes: usize,
    /// Applications of all runtimes together
    #[arg(long, default_value_t = 5_000)]
    applications: usize,
    /// Resources of each application
    #[arg(long, default_value_t = 30)]
    resources: usize,
    /// Changes in a second, of all runtimes together
    #[arg(long, default_value_t = 200)]
    rate: u32,
    /// How long changes are made at each pace, in seconds
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// What the platform keeps its rows in; a PostgreSQL is started for it
    #[arg(long, value_enum, default_value_t)]
    database: Database,
    /// Instead of measuring: print where the platform is and its admin's key, and make changes at the rate until Ctrl-C
    #[arg(long, conflicts_with_all = ["rival", "seconds"])]
    stay: bool,
    /// The same changes through a plain reporter that tells each event by one call per resource, beside it
    #[arg(long)]
    rival: bool,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            runtimes: 10,
            applications: 5_000,
            resources: 30,
            rate: 200,
            seconds: 30,
            database: Database::Sqlite,
            stay: false,
            rival: false,
        }
    }
}

/// What the platform keeps its rows in.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Database {
    /// A file, with fsync at each commit
    #[default]
    Sqlite,
    /// A server of its own, without fsync
    Postgres,
}

/// Everything that was found out.
struct Figures {
    complete: Complete,
    first_bytes: u64,
    paces: Vec<(String, Churn, u64)>,
    verdict: Verdict,
    /// MiB
    platform: f64,
    /// MiB
    runtimes: f64,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    allow_files()?;
    let runtime = tokio::runtime::Runtime::new()?;
    let options = args.options();
    if args.stay {
        return runtime.block_on(stay(args, &options));
    }
    let figures = runtime.block_on(measure(args, &options))?;
    print(args, &figures);
    if args.rival {
        let load = args.load(Pace::PerSecond(args.rate), rival::PATIENCE);
        let rival = runtime.block_on(Rival::measure(&options, load))?;
        let ours = figures.paces.first();
        if let Some((_, churn, bytes)) = ours {
            rival::print(&rival, churn, *bytes, &figures.verdict);
        }
    }
    let verdict = figures.verdict;
    ensure!(verdict.is_clean(), "the platform is wrong: {verdict}");
    Ok(())
}

/// Forty runtimes have some thousand sockets: as many as may be, here and in the processes that are started.
pub(crate) fn allow_files() -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    Ok(setrlimit(Resource::Nofile, raised)?)
}

impl Args {
    fn options(&self) -> FleetOptions {
        FleetOptions {
            runtimes: self.runtimes,
            applications: self.applications,
            resources: self.resources,
            seed: 1,
        }
    }

    fn load(&self, pace: Pace, patience: Duration) -> Load {
        Load {
            pace,
            time: Duration::from_secs(self.seconds),
            mix: Mix::usual(),
            patience,
        }
    }

    fn paces(&self) -> Vec<(String, Pace)> {
        let mut rates = vec![self.rate, FAST];
        rates.dedup();
        let rates = rates.into_iter();
        let mut paces: Vec<_> = rates
            .map(|rate| (format!("{rate}/s"), Pace::PerSecond(rate)))
            .collect();
        let most = format!("as fast as they are shown, {OUTSTANDING} on their way");
        paces.push((most, Pace::Outstanding(OUTSTANDING)));
        paces
    }
}

/// A platform with a living fleet, for those who look at it or test against it.
async fn stay(args: &Args, options: &FleetOptions) -> anyhow::Result<()> {
    let platform = Platform::start(args.database)?;
    let outlook = Outlook::open(platform.door());
    let clusters = Clusters::start(options).await;
    let joining = Box::pin(Fleet::join(&outlook, clusters));
    let fleet = screen::beside(&outlook, joining).await;
    let PlatformDoor { url, admin_key } = platform.door();
    writeln!(std::io::stdout(), "address {url}\nadmin's key {admin_key}")?;
    let for_ever = Load {
        time: Duration::MAX,
        ..args.load(Pace::PerSecond(args.rate), SETTLED)
    };
    let living = async {
        fleet.complete(COMPLETE).await;
        fleet.churn(for_ever).await
    };
    tokio::select! {
        _ = screen::beside(&outlook, living) => {}
        stopped = tokio::signal::ctrl_c() => stopped?,
    }
    let verdict = fleet.settled(SETTLED).await;
    Box::pin(fleet.stop()).await;
    ensure!(verdict.is_clean(), "the platform is wrong: {verdict}");
    Ok(())
}

async fn measure(args: &Args, options: &FleetOptions) -> anyhow::Result<Figures> {
    let platform = Platform::start(args.database)?;
    let clusters = Clusters::start(options).await;
    let without = platform::resident(std::process::id())?;
    let outlook = Outlook::open(platform.door());
    let joining = Box::pin(Fleet::join(&outlook, clusters));
    let fleet = screen::beside(&outlook, joining).await;
    let complete = screen::beside(&outlook, fleet.complete(COMPLETE)).await;
    let first_bytes = fleet.bytes();
    let mut paces = Vec::new();
    for (name, pace) in args.paces() {
        let before = fleet.bytes();
        let churn = fleet.churn(args.load(pace, SETTLED));
        let churn = screen::beside(&outlook, churn).await;
        paces.push((name, churn, fleet.bytes() - before));
    }
    let verdict = fleet.settled(SETTLED).await;
    let figures = Figures {
        complete,
        first_bytes,
        paces,
        verdict,
        platform: platform.most_resident()?,
        runtimes: platform::resident(std::process::id())? - without,
    };
    Box::pin(fleet.stop()).await;
    Ok(figures)
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn print(args: &Args, figures: &Figures) {
    let (runtimes, applications) = (args.runtimes, args.applications);
    println!(
        "| {runtimes} runtimes, {applications} applications of {} resources, {:?} | |\n|---|---|",
        args.resources, args.database
    );
    let Complete { shown, whole } = figures.complete;
    println!(
        "| first join to every application shown; to all manifests too | {:.1} s; {:.1} s |",
        shown.as_secs_f64(),
        whole.as_secs_f64()
    );
    println!(
        "| bytes on the wire until then, per application | {:.0} B |",
        figures.first_bytes as f64 / applications as f64
    );
    for (name, churn, bytes) in &figures.paces {
        let [middle, most] = [0.5, 0.99].map(|at| quantile(&churn.lags, at) * 1e3);
        println!(
            "| changes {name}: made, shown | {:.0}/s, {:.0}/s |",
            churn.made as f64 / churn.making.as_secs_f64(),
            churn.lags.len() as f64 / churn.showing.as_secs_f64()
        );
        println!("| the same, change to queryable, p50 / p99 | {middle:.0} / {most:.0} ms |");
        println!(
            "| the same, states told; bytes on the wire per change, heartbeats and all | {}; {:.0} B |",
            churn.states,
            *bytes as f64 / churn.made as f64
        );
    }
    println!(
        "| resident memory of the platform, the most | {:.0} MiB |",
        figures.platform
    );
    println!(
        "| resident memory of the runtimes at the end, without their clusters as they were at first | {:.0} MiB, {:.1} MiB each |",
        figures.runtimes,
        figures.runtimes / runtimes as f64
    );
    println!(
        "| what the platform lists, against what there is | {} |\n",
        figures.verdict
    );
}
