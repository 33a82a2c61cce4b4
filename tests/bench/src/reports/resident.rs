//! The memory of a reporter.

use std::{path::Path, time::Duration};

use tokio::time::{Instant, interval};

use super::{Args, cluster::Cluster, sheet::Sheet, world::World};

/// While it is measured.
const CHANGES_PER_SECOND: u32 = 200;
const PATIENCE: Duration = Duration::from_secs(60);
/// The goals are of these numbers of applications, in MiB.
const GOALS: [(usize, u32); 2] = [(1_000, 64), (10_000, 300)];

pub(super) async fn measure(args: &Args, binary: &Path, sheet: &mut Sheet) -> anyhow::Result<()> {
    for applications in args.resident.iter().copied() {
        let cluster = Cluster::start(applications, args.resources).await?;
        let mut world = World::on_sqlite(binary, cluster).await?;
        let (reporter, _) = world.arrive().await?;
        let end = Instant::now() + Duration::from_secs(args.seconds);
        let mut ticks = interval(Duration::from_secs(1) / CHANGES_PER_SECOND);
        for number in (0..applications).cycle() {
            if ticks.tick().await >= end {
                break;
            }
            world.cluster.change(number);
        }
        world.settle(PATIENCE).await?;
        let what = format!(
            "resident memory of the reporter, {applications} applications with {} resources",
            args.resources
        );
        let goal = GOALS.iter().find(|(of, _)| *of == applications);
        let goal = goal.map_or("–".to_owned(), |(_, most)| format!("<= {most} MiB"));
        let (now, most) = (reporter.resident()?, reporter.peak()?);
        sheet.line(
            &what,
            &goal,
            &format!("{now:.0} MiB, {most:.0} MiB at most"),
        );
    }
    Ok(())
}
