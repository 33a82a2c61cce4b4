//! The flood: calls at a rate that does not wait for answers, by one key over several connections.

use std::{
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::inventory::v1::application_service_client::ApplicationServiceClient;
use tokio::{
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval},
};
use tonic::{Code, Request, metadata::AsciiMetadataValue};

const CONNECTIONS: usize = 32;
/// Calls begin in batches, so many in a second.
const BATCHES: u32 = 100;

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    #[arg(long)]
    address: String,
    #[arg(long)]
    key: String,
    #[arg(long)]
    rate: u32,
    #[arg(long)]
    seconds: u64,
}

/// Calls in a second.
#[derive(Debug, serde::Deserialize, serde::Serialize)]
pub(crate) struct Flood {
    pub(crate) sent: f64,
    pub(crate) answered: f64,
    pub(crate) refused: f64,
}

#[derive(Default)]
struct Counts {
    sent: AtomicU64,
    answered: AtomicU64,
    refused: AtomicU64,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let flood = runtime.block_on(flood(args))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(&flood)?)?;
    Ok(())
}

async fn flood(args: &Args) -> anyhow::Result<Flood> {
    let url = PeerUrl::parse(&args.address, None)?;
    // The key is a header here: a client with a key would wait as long as it is told.
    let peers: Vec<_> = (0..CONNECTIONS)
        .map(|_| Peer::new(&url, Credential::None))
        .collect();
    let bearer: AsciiMetadataValue = format!("Bearer {}", args.key).parse()?;
    let counts = Arc::new(Counts::default());
    let mut calls = JoinSet::new();
    let mut batches = interval(Duration::from_secs(1) / BATCHES);
    batches.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let begun = Instant::now();
    let time = Duration::from_secs(args.seconds);
    while begun.elapsed() < time {
        batches.tick().await;
        for number in 0..args.rate.div_ceil(BATCHES) {
            let peer = &peers[number as usize % CONNECTIONS];
            calls.spawn(call(peer.clone(), bearer.clone(), counts.clone()));
        }
        while calls.try_join_next().is_some() {}
    }
    let seconds = begun.elapsed().as_secs_f64();
    let per_second = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64 / seconds;
    Ok(Flood {
        sent: per_second(&counts.sent),
        answered: per_second(&counts.answered),
        refused: per_second(&counts.refused),
    })
}

async fn call(peer: Peer, bearer: AsciiMetadataValue, counts: Arc<Counts>) {
    let mut request = Request::new(super::request());
    request.metadata_mut().insert("authorization", bearer);
    counts.sent.fetch_add(1, Ordering::Relaxed);
    let mut client = ApplicationServiceClient::new(peer);
    let answer = client.list_applications(request);
    let count = match answer.await {
        Ok(_) => &counts.answered,
        Err(status) if status.code() == Code::ResourceExhausted => &counts.refused,
        Err(_) => return,
    };
    count.fetch_add(1, Ordering::Relaxed);
}
