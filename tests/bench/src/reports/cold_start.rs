//! A reporter whose platform knows nothing yet, and one that comes back to a platform that knows all.

use std::{path::Path, time::Duration};

use tokio::time::{Instant, sleep};

use super::{Args, cluster::Cluster, sheet::Sheet, world::World};

const PATIENCE: Duration = Duration::from_secs(120);
/// What would be sent for no reason would be by then.
const AFTERWARDS: Duration = Duration::from_secs(1);

pub(super) async fn measure(args: &Args, binary: &Path, sheet: &mut Sheet) -> anyhow::Result<()> {
    let cluster = Cluster::start(args.applications, args.resources).await?;
    let world = World::on_sqlite(binary, cluster).await?;
    let (reporter, took) = world.arrive().await?;
    let whole = world.relay.bytes();
    let what = format!("cold start with {} applications", args.applications);
    sheet.line(
        &format!("{what} to complete inventory"),
        "<= 20 s",
        &format!("{took:.1} s, {:.1} MiB on the wire", mib(whole)),
    );
    reporter.stop()?;
    let before = world.relay.bytes();
    let begun = Instant::now();
    let reporter = world.report();
    reporter.ready(PATIENCE).await?;
    let took = begun.elapsed().as_secs_f64();
    sleep(AFTERWARDS).await;
    let bytes = world.relay.bytes() - before;
    let sent = reporter.metric("reporter_reports_sent_total").await?;
    world.settle(Duration::ZERO).await?;
    sheet.line(
        "restart with nothing changed",
        "<= 3 s",
        &format!("{took:.2} s"),
    );
    sheet.line(
        "the same, on the wire in both directions",
        "<= 1 MiB",
        &format!("{:.2} MiB, {sent} reports", mib(bytes)),
    );
    sheet.must(sent == 0, || {
        format!("{sent} states were sent again though nothing had changed")
    });
    Ok(())
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
