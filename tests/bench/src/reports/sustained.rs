//! Changes of many applications, one after the other, as many as are taken: each arrives as a state of its own, since none is
//! made before the one of that application before it is committed.

use std::{path::Path, time::Duration};

use tokio::time::{Instant, sleep};

use super::{
    Args,
    cluster::Cluster,
    process::{self, Process},
    sheet::Sheet,
    world::{Store, World, acknowledged},
};

/// Changes that wait for their commit at most.
const IN_FLIGHT: u64 = 1_000;
/// Changes that are made without a look at how many wait.
const STEP: u64 = 20;
const PATIENCE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(2);

/// Entries of histories that are not newer than the one before.
const OUT_OF_ORDER: &str = "SELECT count(*) FROM
    (SELECT resource_version - lag(resource_version) OVER (PARTITION BY story ORDER BY change) AS step FROM history) AS steps
    WHERE step <= 0";
const ENTRIES: &str = "SELECT count(*) FROM history";

/// What was done in a time.
struct Done {
    changes: u64,
    seconds: f64,
    /// Seconds of the reporter, the router, the inventory, and of the cluster and the load.
    cpu: [f64; 4],
}

pub(super) async fn measure(args: &Args, binary: &Path, sheet: &mut Sheet) -> anyhow::Result<()> {
    for store in Store::ALL {
        let cluster = Cluster::start(args.applications, args.resources).await?;
        let what = format!(
            "changes of {} applications with {} resources to commit on {}",
            args.applications,
            args.resources,
            store.name()
        );
        let Some(mut world) = World::start(binary, store, cluster).await? else {
            sheet.line(&what, ">= 2,000/s", "left out: there is no PostgreSQL");
            continue;
        };
        let (reporter, _) = world.arrive().await?;
        let done = load(&mut world, &reporter, args).await?;
        world.settle(PATIENCE).await?;
        let rate = done.changes as f64 / done.seconds;
        sheet.line(&what, ">= 2,000/s", &format!("{rate:.0}/s"));
        judge(&world, &done, sheet, store).await?;
        let each = done.cpu.map(|cpu| cpu * 1e6 / done.changes as f64);
        let [own, router, inventory, rest] = each;
        sheet.line(
            "the same, CPU of a change",
            "–",
            &format!("reporter {own:.0} µs, router {router:.0} µs, inventory {inventory:.0} µs, cluster and load {rest:.0} µs"),
        );
    }
    Ok(())
}

async fn judge(world: &World, done: &Done, sheet: &mut Sheet, store: Store) -> anyhow::Result<()> {
    let out_of_order = world.count(OUT_OF_ORDER).await?;
    let entries = world.count(ENTRIES).await?.cast_unsigned();
    let whole = world.cluster.len() as u64 + done.changes;
    sheet.line(
        "the same, states out of order / in histories",
        &format!("0 / {whole}"),
        &format!("{out_of_order} / {entries}"),
    );
    let name = store.name();
    sheet.must(out_of_order == 0, || {
        format!("{out_of_order} states are out of order on {name}")
    });
    sheet.must(entries == whole, || {
        format!("{name} has {entries} of {whole} states")
    });
    Ok(())
}

async fn load(world: &mut World, reporter: &Process, args: &Args) -> anyhow::Result<Done> {
    let most = IN_FLIGHT.min(args.applications as u64 / 2).max(1);
    let (before, used) = (acknowledged(reporter).await?, cpu(world, reporter)?);
    let begun = Instant::now();
    let end = begun + Duration::from_secs(args.seconds);
    let mut changes = 0;
    while Instant::now() < end {
        let waiting = before + changes - acknowledged(reporter).await?;
        for _ in 0..most.saturating_sub(waiting).div_ceil(STEP) {
            for _ in 0..STEP {
                let number = usize::try_from(changes)? % args.applications;
                world.cluster.change(number);
                changes += 1;
            }
            tokio::task::yield_now().await;
        }
        sleep(POLL).await;
    }
    world.acknowledged(reporter, before + changes).await?;
    let now = cpu(world, reporter)?;
    Ok(Done {
        changes,
        seconds: begun.elapsed().as_secs_f64(),
        cpu: std::array::from_fn(|at| now[at] - used[at]),
    })
}

fn cpu(world: &World, reporter: &Process) -> anyhow::Result<[f64; 4]> {
    Ok([
        reporter.cpu()?,
        world.router.cpu()?,
        world.inventory.cpu()?,
        process::cpu("self")?,
    ])
}
