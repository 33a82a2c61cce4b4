//! What goes over the wire for one field of one resource of a large application.

use std::path::Path;

use causeway_testkit::Change;

use super::{
    cluster::Cluster,
    sheet::Sheet,
    world::{World, acknowledged},
};

const RESOURCES: usize = 100;
const CHANGES: usize = 20;
const MANIFESTS: usize = 6;

pub(super) async fn measure(binary: &Path, sheet: &mut Sheet) -> anyhow::Result<()> {
    objects_alone(binary, sheet).await?;
    with_manifests(binary, sheet).await
}

async fn objects_alone(binary: &Path, sheet: &mut Sheet) -> anyhow::Result<()> {
    let cluster = Cluster::start(1, RESOURCES).await?;
    let world = World::on_sqlite(binary, cluster).await?;
    let (reporter, _) = world.arrive().await?;
    let mut sizes = Vec::new();
    let before = acknowledged(&reporter).await?;
    for count in 1..=CHANGES {
        let bytes = world.relay.bytes();
        world.cluster.make(0, Change::Drift);
        world.acknowledged(&reporter, before + count as u64).await?;
        sizes.push(world.relay.bytes() - bytes);
    }
    let sent = reporter
        .metric("causeway_reporter_reports_sent_total")
        .await?
        - before;
    let what = format!("one of {RESOURCES} resources of an application is out of sync");
    show(&what, &mut sizes, sent as f64 / CHANGES as f64, sheet);
    Ok(())
}

/// Somebody changes a field of a Deployment, of which its manifest tells; heartbeats of some seconds are counted in.
async fn with_manifests(binary: &Path, sheet: &mut Sheet) -> anyhow::Result<()> {
    let cluster = Cluster::start(1, RESOURCES).await?;
    let world = World::on_sqlite(binary, cluster).await?;
    let [reporter, _source] = world.report_whole().await?;
    let mut sizes = Vec::new();
    let (first, _) = world.quiet(&reporter, 1).await?;
    let mut all = first;
    for _ in 0..MANIFESTS {
        let bytes = world.relay.bytes();
        world.cluster.make(0, Change::Drift);
        (all, _) = world.quiet(&reporter, all + 1).await?;
        sizes.push(world.relay.bytes() - bytes);
    }
    let each = (all - first) as f64 / MANIFESTS as f64;
    show("the same with its manifest", &mut sizes, each, sheet);
    Ok(())
}

fn show(what: &str, sizes: &mut [u64], requests: f64, sheet: &mut Sheet) {
    sizes.sort_unstable();
    let (middle, most) = (sizes[sizes.len() / 2], sizes[sizes.len() - 1]);
    sheet.line(
        &format!("{what}, on the wire in both directions"),
        "<= 4096 B",
        &format!("{middle} B, {most} B at most, in {requests:.2} requests"),
    );
}
