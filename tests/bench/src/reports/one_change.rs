//! What goes over the wire for one field of one resource of a large application.

use std::path::Path;

use causeway_sandbox::Change;

use super::{
    cluster::Cluster,
    sheet::Sheet,
    world::{World, acknowledged},
};

const RESOURCES: usize = 100;
const CHANGES: usize = 20;

pub(super) async fn measure(binary: &Path, sheet: &mut Sheet) -> anyhow::Result<()> {
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
    let sent = reporter.metric("reporter_reports_sent_total").await? - before;
    sizes.sort_unstable();
    let middle = sizes[sizes.len() / 2];
    let most = sizes[sizes.len() - 1];
    let what = format!(
        "one of {RESOURCES} resources of an application changes, on the wire in both directions"
    );
    sheet.line(&what, "<= 4096 B", &format!("{middle} B, {most} B at most"));
    sheet.line(
        "the same, requests for each change",
        "1",
        &format!("{:.2}", sent as f64 / CHANGES as f64),
    );
    Ok(())
}
