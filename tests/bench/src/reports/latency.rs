//! From a change in the cluster to what a user of the platform is shown.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    time::Duration,
};

use anyhow::Context as _;
use causeway_client::Peer;
use causeway_proto::inventory::v1::{
    self as pb, application_service_client::ApplicationServiceClient,
    watch_applications_response::Event,
};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, interval, timeout},
};

use super::{Args, cluster::Cluster, sheet::Sheet, world::World};
use crate::figure::quantile;

const RATE: u64 = 500;
const PATIENCE: Duration = Duration::from_secs(30);

/// The resource version of an application, and when it was shown.
pub(super) struct Shown {
    pub(super) version: u64,
    pub(super) at: Instant,
}

pub(super) async fn measure(args: &Args, binary: &Path, sheet: &mut Sheet) -> anyhow::Result<()> {
    let cluster = Cluster::start(args.applications, args.resources).await?;
    let mut world = World::on_sqlite(binary, cluster).await?;
    let (_reporter, _) = world.arrive().await?;
    let (shown_tx, mut shown) = mpsc::unbounded_channel();
    let mut watching = JoinSet::new();
    let (begun_tx, mut begun) = mpsc::unbounded_channel();
    let request = pb::WatchApplicationsRequest::default();
    watching.spawn(watch(world.peer()?, request, begun_tx, shown_tx));
    begun.recv().await.context("the watch does not begin")?;
    let mut made = Made::default();
    let mut ticks = interval(Duration::from_secs(1) / u32::try_from(RATE)?);
    for number in 0..args.seconds * RATE {
        ticks.tick().await;
        let place = usize::try_from(number)? % args.applications;
        made.change(&mut world.cluster, place);
    }
    let times = made.times(&mut shown, 1).await?;
    world.settle(PATIENCE).await?;
    let what = format!("change at {RATE}/s to queryable");
    for (at, name, goal) in [(0.5, "p50", "<= 30 ms"), (0.99, "p99", "<= 500 ms")] {
        let measured = format!("{:.1} ms", quantile(&times, at));
        sheet.line(&format!("{what}, {name}"), goal, &measured);
    }
    Ok(())
}

/// Changes, and when they were made.
#[derive(Debug, Default)]
pub(super) struct Made {
    at: HashMap<u64, Instant>,
    /// The last one of each application.
    last: HashMap<usize, u64>,
}

impl Made {
    pub(super) fn change(&mut self, cluster: &mut Cluster, place: usize) {
        let at = Instant::now();
        let version = cluster.change(place);
        self.at.insert(version, at);
        self.last.insert(place, version);
    }

    /// After how many milliseconds they were shown, once so many watchers have been shown the last one of each application. Those
    /// before may be left out.
    pub(super) async fn times(
        &self,
        shown: &mut mpsc::UnboundedReceiver<Shown>,
        watchers: usize,
    ) -> anyhow::Result<Vec<f64>> {
        let last: HashSet<u64> = self.last.values().copied().collect();
        let mut times = Vec::new();
        let mut waiting = watchers * last.len();
        while waiting > 0 {
            let next = timeout(PATIENCE, shown.recv()).await;
            let next = next.ok().flatten();
            let next =
                next.with_context(|| format!("{waiting} times a last state is not shown"))?;
            if let Some(at) = self.at.get(&next.version) {
                times.push(next.at.duration_since(*at).as_secs_f64() * 1e3);
                waiting -= usize::from(last.contains(&next.version));
            }
        }
        Ok(times)
    }
}

/// Tells when all that there was has been shown, and then of each change.
pub(super) async fn watch(
    peer: Peer,
    request: pb::WatchApplicationsRequest,
    begun: mpsc::UnboundedSender<()>,
    shown: mpsc::UnboundedSender<Shown>,
) -> anyhow::Result<()> {
    let mut client = ApplicationServiceClient::new(peer);
    let mut stream = client.watch_applications(request).await?.into_inner();
    let mut caught_up = false;
    while let Some(message) = stream.message().await? {
        match message.event {
            Some(Event::Bookmark(_)) if !caught_up => {
                caught_up = true;
                begun.send(())?;
            }
            Some(Event::Updated(application)) if caught_up => {
                let (version, at) = (application.resource_version, Instant::now());
                shown.send(Shown { version, at })?;
            }
            Some(Event::Bookmark(_) | Event::Updated(_) | Event::Deleted(_)) | None => {}
        }
    }
    Ok(())
}
