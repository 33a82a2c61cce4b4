//! What was: how fast states with a history are kept, how much of the disk a change takes, and how long a state of a time takes to
//! be read.

mod copies;
pub(crate) mod life;

use std::{path::Path, sync::Arc};

use anyhow::{Context as _, ensure};
use causeway_database::DatabaseArgs;
use causeway_inventory::{
    Inventory, Metrics,
    application::Visible,
    history::Moment,
    inventory::{ApplicationRequest, NamesAreIds},
    store::{Store, Write as Task, sql::SqlStore},
};
use causeway_proto::ids::AccountId;
use causeway_testkit::Postgres;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, sqlite::SqliteConnectOptions};
use tokio::{task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::figure::quantile;
use life::{change, read};

/// As one reporter's window.
const IN_FLIGHT: usize = 256;
/// As entries of a history are told of.
const RESOURCES: usize = 30;

/// Histories of applications.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Applications, each of 30 resources
    #[arg(long, default_value = "2000")]
    applications: usize,
    /// Changes of each
    #[arg(long, default_value = "100")]
    changes: usize,
    /// Copies of all these histories that are put beside them, row by row as they were written, before states are read; with 49
    /// there are ten million changes, and 5 GB
    #[arg(long, default_value = "0")]
    copies: usize,
    /// States of a time that are read
    #[arg(long, default_value = "2000")]
    reads: usize,
    /// On a PostgreSQL server that is started for it, instead of a file
    #[arg(long)]
    postgres: bool,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            applications: 2_000,
            changes: 100,
            copies: 0,
            reads: 2_000,
            postgres: false,
        }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    crate::tunnel::runtime(2)?.block_on(measure(args))
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
async fn measure(args: &Args) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut tasks = JoinSet::new();
    let server = args.postgres.then(Postgres::start_durable).flatten();
    ensure!(
        server.is_some() == args.postgres,
        "there is no PostgreSQL on this machine: leave --postgres out"
    );
    let database = match &server {
        Some(server) => DatabaseArgs::from_url(server.database()),
        None => DatabaseArgs::default(),
    };
    let opened = SqlStore::open(&database, folder.path(), Metrics::unread()).await?;
    let (store, writer) = opened;
    tasks.spawn(writer);
    let store: Arc<dyn Store> = Arc::new(store);
    fill(&*store, args, 0..1).await?;
    let begun = Instant::now();
    fill(&*store, args, 1..args.changes).await?;
    let kept = args.applications * (args.changes - 1);
    let rate = kept as f64 / begun.elapsed().as_secs_f64();
    copies::make(&database, folder.path(), args.copies).await?;
    let bytes = on_disk(&database, folder.path()).await?;
    let entries = args.applications * args.changes * (args.copies + 1);
    let times = times_of_reads(store, args).await?;
    println!(
        "| {} | |",
        if args.postgres {
            "PostgreSQL"
        } else {
            "SQLite"
        }
    );
    println!("|---|---|");
    println!(
        "| changes kept, of {} applications with {RESOURCES} resources | {entries} |",
        args.applications * (args.copies + 1)
    );
    println!("| kept and told, acknowledged after fsync | {rate:.0}/s |");
    println!(
        "| history on disk, for each change | {:.0} B |",
        bytes as f64 / entries as f64
    );
    println!(
        "| a state of a time, p50 / p99 / worst of {} | {:.2} / {:.2} / {:.2} ms |",
        times.len(),
        quantile(&times, 0.5),
        quantile(&times, 0.99),
        quantile(&times, 1.0)
    );
    Ok(())
}

async fn fill(
    store: &dyn Store,
    args: &Args,
    rounds: std::ops::Range<usize>,
) -> anyhow::Result<()> {
    let all = rounds.flat_map(|round| (0..args.applications).map(move |number| (number, round)));
    stream::iter(all)
        .map(|(number, round)| async move {
            let task = Task::Report(Arc::new(change(number, round, RESOURCES)?), None);
            anyhow::Ok(store.submit(task).await?.await?)
        })
        .buffered(IN_FLIGHT)
        .try_for_each(|_| async { Ok(()) })
        .await
}

/// What the entries and their index take.
async fn on_disk(database: &DatabaseArgs, folder: &Path) -> anyhow::Result<i64> {
    if let Some(url) = &database.database {
        let mut server = PgConnection::connect(url).await?;
        let size = "SELECT pg_total_relation_size('inventory.history')";
        return Ok(sqlx::query_scalar(size).fetch_one(&mut server).await?);
    }
    let options = SqliteConnectOptions::new().filename(folder.join("inventory.db"));
    let mut file = options.read_only(true).connect().await?;
    let size = "SELECT sum(pgsize) FROM dbstat WHERE name IN ('history', 'history_moment')";
    Ok(sqlx::query_scalar(size).fetch_one(&mut file).await?)
}

async fn times_of_reads(store: Arc<dyn Store>, args: &Args) -> anyhow::Result<Vec<f64>> {
    let account: AccountId = "acme".parse()?;
    let names = Arc::new(NamesAreIds);
    let inventory = Inventory::new(store.clone(), names, CancellationToken::new());
    let everything = Visible::everything();
    let mut times = Vec::with_capacity(args.reads);
    for number in 0..args.reads {
        // Neither in the order in which they were written nor at one distance from a whole state.
        let place = number * 7_919 % (args.applications * (args.copies + 1));
        let (copy, application) = (place / args.applications, place % args.applications);
        let wanted = ApplicationRequest {
            runtime: format!("rt-{}", application % 10),
            namespace: "argocd".to_owned(),
            name: copies::name(&format!("app-{application:06}"), copy),
            cluster: String::new(),
        };
        let reads = store.reads();
        let histories = reads.find_histories(&account, &wanted).await?;
        let history = histories
            .first()
            .context("each application has a history")?;
        let until = Moment::last_at(i64::MAX);
        let all = reads
            .history_entries(&account, history.id, until, args.changes)
            .await?;
        let entry = &all[number * 104_729 % all.len()];
        let begun = Instant::now();
        let found = inventory
            .as_of(&account, &everything, &wanted, entry.moment.at, read)
            .await?;
        times.push(begun.elapsed().as_secs_f64() * 1_000.0);
        ensure!(
            found.received_at == entry.moment.at,
            "another state was read"
        );
    }
    Ok(times)
}
