//! A reporter whose platform knows nothing yet, and one that comes back to a platform that knows all.

use std::{path::Path, time::Duration};

use tokio::time::{Instant, sleep};

use super::{Args, cluster::Cluster, sheet::Sheet, world::World};

const PATIENCE: Duration = Duration::from_secs(120);
/// Applications whose manifests are told too, beside those whose are not.
const FEWER: usize = 10;
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
    let sent = reporter
        .metric("causeway_reporter_reports_sent_total")
        .await?;
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
    whole_start(args, binary, sheet).await
}

/// The same with all that Argo CD knows beside the objects, of fewer applications.
async fn whole_start(args: &Args, binary: &Path, sheet: &mut Sheet) -> anyhow::Result<()> {
    let applications = (args.applications / FEWER).max(1);
    let cluster = Cluster::start(applications, args.resources).await?;
    let world = World::on_sqlite(binary, cluster).await?;
    let begun = Instant::now();
    let [reporter, _source] = world.report_whole().await?;
    let (reports, last) = world.quiet(&reporter, applications as u64).await?;
    world.settle(Duration::ZERO).await?;
    let took = last.duration_since(begun).as_secs_f64();
    let manifests = world.count("SELECT count(*) FROM manifest").await?;
    let measured = format!(
        "{took:.1} s, {:.1} MiB on the wire, {reports} reports, {manifests} manifests",
        mib(world.relay.bytes())
    );
    let what = format!(
        "cold start with {applications} applications and their manifests, trees and commits"
    );
    sheet.line(&what, "–", &measured);
    sheet.must(manifests > 0, || "no manifest has arrived".to_owned());
    Ok(())
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
