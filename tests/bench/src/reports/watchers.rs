//! Many who watch the same applications over connections of their own, with and without one that asks for everything and reads nothing.

use std::{path::Path, time::Duration};

use anyhow::{Context as _, ensure};
use causeway_proto::inventory::v1::{
    self as pb, application_service_client::ApplicationServiceClient,
};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{interval, timeout},
};
use tonic::Streaming;

use super::{
    Args,
    cluster::Cluster,
    latency::{Made, Shown, watch},
    sheet::Sheet,
    world::World,
};
use crate::figure::{middle, quantile};

const RATE: u32 = 10;
/// Turns without and with the stuck one.
const TURNS: usize = 3;
/// The labels that they ask for.
const WATCHED: [(&str, &str); 2] = [("team", "payments"), ("service", "ledger")];
const PATIENCE: Duration = Duration::from_secs(60);

type Seen = mpsc::UnboundedReceiver<Shown>;

pub(super) async fn measure(args: &Args, binary: &Path, sheet: &mut Sheet) -> anyhow::Result<()> {
    let cluster = Cluster::start(args.applications, args.resources).await?;
    let mut world = World::on_sqlite(binary, cluster).await?;
    let (_reporter, _) = world.arrive().await?;
    let mut watching = JoinSet::new();
    let mut seen = gather(&world, args.watchers - 1, &mut watching).await?;
    let (mut free, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        free.push(turn(&mut world, args, &mut seen).await?);
        let stuck = stick(&world).await?;
        beside.push(turn(&mut world, args, &mut seen).await?);
        drop(stuck);
    }
    let (free, beside) = (middle(&free), middle(&beside));
    let what = format!("{} watchers at {RATE} changes/s", args.watchers);
    let measured = format!("{free:.1} ms");
    sheet.line(&format!("{what}, p99 with none stuck"), "–", &measured);
    sheet.line(
        "the same, one of them stuck",
        "<= 1.5 times as much",
        &format!("{beside:.1} ms, {:.2} times", beside / free),
    );
    Ok(())
}

/// Starts watchers, and waits until all of them have seen all that there is.
async fn gather(
    world: &World,
    count: usize,
    watching: &mut JoinSet<anyhow::Result<()>>,
) -> anyhow::Result<Seen> {
    let (shown_tx, shown) = mpsc::unbounded_channel();
    let (begun_tx, mut begun) = mpsc::unbounded_channel();
    let request = pb::WatchApplicationsRequest {
        filter: Some(pb::ApplicationFilter {
            label_selector: WATCHED
                .map(|(label, value)| format!("{label}={value}"))
                .join(","),
            ..pb::ApplicationFilter::default()
        }),
        ..pb::WatchApplicationsRequest::default()
    };
    for _ in 0..count {
        let watched = watch(
            world.peer()?,
            request.clone(),
            begun_tx.clone(),
            shown_tx.clone(),
        );
        watching.spawn(watched);
    }
    for _ in 0..count {
        let began = timeout(PATIENCE, begun.recv()).await;
        began.context("not all watches begin")?;
    }
    Ok(shown)
}

/// Asks for all applications with all that is known of them, and reads only the first answer.
async fn stick(world: &World) -> anyhow::Result<Streaming<pb::WatchApplicationsResponse>> {
    let request = pb::WatchApplicationsRequest {
        view: pb::ApplicationView::Full.into(),
        ..pb::WatchApplicationsRequest::default()
    };
    let mut client = ApplicationServiceClient::new(world.peer()?);
    let mut stream = client.watch_applications(request).await?.into_inner();
    stream.message().await?.context("nothing is shown")?;
    Ok(stream)
}

/// The p99 of all watchers in milliseconds.
async fn turn(world: &mut World, args: &Args, seen: &mut Seen) -> anyhow::Result<f64> {
    let watched = world.cluster.labelled(&WATCHED);
    ensure!(
        !watched.is_empty(),
        "none of the applications is watched: give more with --applications"
    );
    let mut made = Made::default();
    let mut ticks = interval(Duration::from_secs(1) / RATE);
    let count = usize::try_from(args.seconds)? * usize::try_from(RATE)?;
    for place in watched.into_iter().cycle().take(count) {
        ticks.tick().await;
        made.change(&mut world.cluster, place);
    }
    let times = made.times(seen, args.watchers - 1).await?;
    Ok(quantile(&times, 0.99))
}
