//! The platform takes nothing while far more changes than a queue has places; then it is back, and slow.

use std::{path::Path, time::Duration};

use tokio::time::interval;

use super::{
    Args,
    cluster::Cluster,
    gate::{Flow, Gate},
    sheet::Sheet,
    shown,
    world::{World, address},
};

/// Of the cluster, in which time a reporter can see each of them.
const CHANGES_PER_SECOND: u32 = 3_000;
/// Each so many changes one application is deleted.
const OF_A_DELETION: usize = 200;
/// Of the platform when it is back.
const REPORTS_PER_SECOND: u32 = 200;
/// Beside the time that all applications take at that rate.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) async fn measure(args: &Args, binary: &Path, sheet: &mut Sheet) -> anyhow::Result<()> {
    let cluster = Cluster::start(args.applications, args.resources).await?;
    let mut world = World::on_sqlite(binary, cluster).await?;
    let gate = Gate::start(address(&world.router.url)?).await?;
    world.relay.lead_to(gate.address);
    let (reporter, _) = world.arrive().await?;
    let (resident, passed) = (reporter.resident()?, gate.passed());
    reporter.forget_peak()?;
    gate.set(Flow::Stalled);
    let deletes = change(&mut world.cluster, args).await?;
    gate.set(Flow::Paced(REPORTS_PER_SECOND));
    let all = Duration::from_secs(args.applications as u64) / REPORTS_PER_SECOND;
    let settled = world.settle(PATIENCE + 2 * all).await;
    let sends = gate.passed() - passed;
    let more = reporter.peak()? - resident;
    let shown = shown::versions(world.peer()?).await?;
    let difference = shown::difference(&world.cluster.truth(), &shown);
    let what = format!(
        "platform stalled, {} changes incl. {deletes} deletes of {} applications, then {REPORTS_PER_SECOND} reports/s",
        args.changes, args.applications
    );
    let (lost, ghosts) = (difference.lost, difference.ghosts);
    let found = format!("{lost} / {ghosts}");
    sheet.line(&format!("{what}: lost / ghosts"), "0 / 0", &found);
    let goal = format!("<= {}", args.changes / 15);
    sheet.line("the same, sends", &goal, &sends.to_string());
    let memory = format!("+{more:.0} MiB, from {resident:.0} MiB");
    sheet.line(
        "the same, most resident memory of the reporter",
        "<= +64 MiB",
        &memory,
    );
    sheet.must(settled.is_ok(), || {
        format!("after a stall {lost} states are lost and {ghosts} applications are ghosts")
    });
    Ok(())
}

/// Makes all changes; gives how many of them were deletions.
async fn change(cluster: &mut Cluster, args: &Args) -> anyhow::Result<usize> {
    let mut ticks = interval(Duration::from_millis(10));
    let each = usize::try_from(CHANGES_PER_SECOND / 100)?;
    let mut deletes = 0;
    for made in 0..args.changes {
        if made % each == 0 {
            ticks.tick().await;
        }
        // In no order that the cluster's own would be.
        let place = made * 7_919 % cluster.len();
        if made % OF_A_DELETION == OF_A_DELETION - 1 {
            cluster.delete(place);
            deletes += 1;
        } else {
            cluster.change(place);
        }
    }
    Ok(deletes)
}
