//! The inventory alone: states that were made before go to it as fast as it acknowledges them, over several streams.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use bytes::Bytes;
use causeway_client::{Credential, Peer, PeerUrl};
use causeway_inventory::{digest::Digest, patch};
use causeway_proto::{
    ids::RequestId,
    inventory::v1::{
        self as pb, report_request::Message, report_response::Message as Answer,
        report_service_client::ReportServiceClient,
    },
};
use futures::stream;
use prost::Message as _;
use tokio::{
    sync::{Barrier, mpsc},
    task::JoinSet,
    time::{Instant, interval},
};

use super::{
    Args,
    cluster::{Cluster, NAMESPACE},
    sheet::Sheet,
    world::{Store, World},
};
use crate::history::life;

/// As clusters of one runtime.
const STREAMS: usize = 4;
/// Reports of a stream that wait for an answer; one of each application at most.
const WINDOW: usize = 256;
const OUTBOUND: usize = 64;
/// Who says nothing for 35 s is taken for gone.
const HEARTBEAT: Duration = Duration::from_secs(5);
const GOAL: &str = ">= 5,000/s";

pub(super) async fn measure(args: &Args, binary: &Path, sheet: &mut Sheet) -> anyhow::Result<()> {
    let applications = (args.applications / STREAMS).max(1);
    let states: Arc<[pb::Report]> = states(applications, args).into();
    for store in Store::ALL {
        let what = format!(
            "states to the inventory alone, acknowledged after fsync, {}",
            store.name()
        );
        let cluster = Cluster::start(0, 1).await?;
        let Some(world) = World::start(binary, store, cluster).await? else {
            sheet.line(&what, GOAL, "left out: there is no PostgreSQL");
            continue;
        };
        let used = world.inventory.cpu()?;
        let took = run(&world, &states, applications).await?;
        let timed = STREAMS * (states.len() - applications);
        let rate = timed as f64 / took.as_secs_f64();
        let all = STREAMS * states.len();
        let cpu = (world.inventory.cpu()? - used) * 1e6 / all as f64;
        let measured = format!("{rate:.0}/s, {cpu:.0} µs of its CPU each");
        sheet.line(&what, GOAL, &measured);
    }
    Ok(())
}

/// Gives how long the states took that came after all applications were known.
async fn run(
    world: &World,
    states: &Arc<[pb::Report]>,
    applications: usize,
) -> anyhow::Result<Duration> {
    let together = Arc::new(Barrier::new(STREAMS));
    let mut sending = JoinSet::new();
    for number in 0..STREAMS {
        let sender = Sender {
            peer: inventory(world)?,
            cluster: format!("cluster-{number}"),
            states: Arc::clone(states),
            applications,
            together: Arc::clone(&together),
        };
        sending.spawn(sender.run());
    }
    let mut times = Vec::new();
    while let Some(ended) = sending.join_next().await {
        times.push(ended??);
    }
    let from = times.iter().map(|(from, _)| *from).min();
    let to = times.iter().map(|(_, to)| *to).max();
    let (from, to) = from.zip(to).context("no stream")?;
    Ok(to.duration_since(from))
}

fn inventory(world: &World) -> anyhow::Result<Peer> {
    let identity = &world.identity;
    let key = identity
        .key
        .clone()
        .context("the runtime's key is not here")?;
    let credential =
        Credential::runtime(key, identity.account.clone(), identity.runtime_id.clone());
    Ok(Peer::new(
        &PeerUrl::parse(&world.inventory.url, None)?,
        credential,
    ))
}

/// Reports of one stream: each application whole, and then round by round as what has changed.
fn states(applications: usize, args: &Args) -> Vec<pb::Report> {
    let mut bases: Vec<(Bytes, Vec<u8>)> = vec![Default::default(); applications];
    let count = applications + args.states / STREAMS;
    let reports = (0..count).map(|at| {
        let (number, round) = (at % applications, at / applications);
        let canonical = state(number, round, args.resources).encode_to_vec();
        let root = Bytes::copy_from_slice(Digest::of(&canonical).as_bytes());
        let (base_root, base) = &bases[number];
        let delta = pb::StateDelta {
            base_root_digest: base_root.clone(),
            root_digest: root.clone(),
            patch: patch::encode(base, &canonical).into(),
            ..pb::StateDelta::default()
        };
        bases[number] = (root, canonical);
        let sequence = at as u64 + 1;
        pb::Report {
            sequence,
            namespace: NAMESPACE.to_owned(),
            name: format!("app-{number:06}"),
            uid: format!("uid-{number}"),
            resource_version: sequence,
            change: Some(pb::report::Change::Delta(delta)),
            ..pb::Report::default()
        }
    });
    reports.collect()
}

/// Without manifests, which go once whatever the number of states is.
fn state(number: usize, round: usize, resources: usize) -> pb::ApplicationState {
    let mut state = life::state(number, round, resources);
    let resources = state.status.iter_mut().flat_map(|it| &mut it.resources);
    for resource in resources {
        resource.live_digest = Bytes::new();
        resource.desired_digest = Bytes::new();
    }
    state
}

/// A reporter that has made all its states before.
struct Sender {
    peer: Peer,
    cluster: String,
    states: Arc<[pb::Report]>,
    applications: usize,
    together: Arc<Barrier>,
}

impl Sender {
    /// Sends all; gives when the first of the states came after which all applications were known, and when all were acknowledged.
    async fn run(self) -> anyhow::Result<(Instant, Instant)> {
        let (requests, told) = mpsc::channel(OUTBOUND);
        requests.try_send(request(Message::Hello(self.hello())))?;
        let told = stream::unfold(told, |mut told| async {
            told.recv().await.map(|request| (request, told))
        });
        let mut client = ReportServiceClient::new(self.peer.clone());
        let mut answers = client.report(told).await?.into_inner();
        tokio::select! {
            done = self.send(&requests, &mut answers) => done,
            () = beat(&requests) => bail!("the inventory ended the stream"),
        }
    }

    async fn send(
        &self,
        requests: &mpsc::Sender<pb::ReportRequest>,
        answers: &mut tonic::Streaming<pb::ReportResponse>,
    ) -> anyhow::Result<(Instant, Instant)> {
        let (first, rest) = self.states.split_at(self.applications);
        let window = WINDOW.min(self.applications);
        exchange(requests, answers, first, window).await?;
        self.together.wait().await;
        let begun = Instant::now();
        exchange(requests, answers, rest, window).await?;
        Ok((begun, Instant::now()))
    }

    fn hello(&self) -> pb::Hello {
        pb::Hello {
            instance: RequestId::generate().to_string(),
            kind: "applications.argoproj.io".to_owned(),
            cluster: self.cluster.clone(),
            store_identity: self.cluster.clone(),
            ..pb::Hello::default()
        }
    }
}

/// Says that the sender is there, also where it waits for others; ends with the stream.
async fn beat(requests: &mpsc::Sender<pb::ReportRequest>) {
    let mut ticks = interval(HEARTBEAT);
    loop {
        ticks.tick().await;
        let beat = request(Message::Heartbeat(pb::Heartbeat {}));
        if requests.send(beat).await.is_err() {
            return;
        }
    }
}

/// Sends these, as many at once as may wait, until all are acknowledged.
async fn exchange(
    requests: &mpsc::Sender<pb::ReportRequest>,
    answers: &mut tonic::Streaming<pb::ReportResponse>,
    reports: &[pb::Report],
    window: usize,
) -> anyhow::Result<()> {
    let (mut sent, mut acknowledged) = (0, 0);
    while acknowledged < reports.len() {
        let room = sent < reports.len() && sent - acknowledged < window;
        tokio::select! {
            permit = requests.reserve(), if room => {
                permit?.send(request(Message::Report(reports[sent].clone())));
                sent += 1;
            }
            answer = answers.message() => {
                let answer = answer?.context("the inventory ended the stream")?;
                match answer.message {
                    Some(Answer::Acknowledged(of)) => acknowledged += of.sequences.len(),
                    Some(Answer::Rejected(rejected)) => bail!("{rejected:?}"),
                    Some(Answer::Wanted(_) | Answer::BaseWanted(_)) => bail!("something is wanted"),
                    Some(Answer::Welcome(_) | Answer::Held(_) | Answer::Members(_)) | None => {}
                }
            }
        }
    }
    Ok(())
}

fn request(message: Message) -> pb::ReportRequest {
    pb::ReportRequest {
        message: Some(message),
    }
}
