//! Logs through the whole mesh beside the same log straight from the cluster's API, and a reader beside others that take nothing.

mod real;

use std::{io::Write as _, time::Duration};

use anyhow::{Context as _, ensure};
use causeway_client::Peer;
use causeway_proto::proxy::v1::{
    StreamLogsRequest, StreamLogsResponse, log_service_client::LogServiceClient,
    stream_logs_response::Event,
};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::{Mesh, wait_until};
use futures::AsyncBufReadExt as _;
use kube::{
    Client, Config,
    api::LogParams,
    config::{KubeConfigOptions, Kubeconfig},
    core::Request,
};
use serde_json::json;
use tokio::time::Instant;
use tonic::Streaming;

use crate::{figure::middle, tunnel::runtime};

const PATIENCE: Duration = Duration::from_secs(120);
const LINE: usize = 128;
/// Written at once, in lines.
const BLOCK: usize = 1 << 20;
const POD: &str = "loud";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Rounds; each figure is the median
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How much is read in each step of a round, in MiB
    #[arg(long, default_value_t = 512)]
    mebibytes: u64,
    /// Readers that take nothing
    #[arg(long, default_value_t = 16)]
    stuck: usize,
    /// Of a real pod, on a real node, of which 256 MiB are read
    #[arg(long)]
    real: bool,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            rounds: 5,
            mebibytes: 512,
            stuck: 16,
            real: false,
        }
    }
}

/// Bytes in a second, and shares.
#[derive(Default)]
struct Rounds {
    direct: Vec<f64>,
    tunnel: Vec<f64>,
    beside: Vec<f64>,
    ratio: Vec<f64>,
    slower: Vec<f64>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if args.real {
        return runtime(2)?.block_on(real::measure(args.rounds));
    }
    let rounds = runtime(2)?.block_on(measure(args))?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| what | MB/s | goal |\n|---|---|---|\n\
         | a pod's log straight from the cluster's API | {:.0} | |\n\
         | the same through router, tunnel and app-proxy | {:.0} | 100 or more |\n\
         | of that, the share of direct | {:.2} | 0.60 or more |\n\
         | the same beside {} readers that take nothing | {:.0} | |\n\
         | of that, the share of alone | {:.2} | 0.80 or more |",
        megabytes(middle(&rounds.direct)),
        megabytes(middle(&rounds.tunnel)),
        middle(&rounds.ratio),
        args.stuck,
        megabytes(middle(&rounds.beside)),
        middle(&rounds.slower),
    )?;
    Ok(())
}

async fn measure(args: &Args) -> anyhow::Result<Rounds> {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let user = mesh.user();
    write(mesh.sandbox())?;
    let direct = client(mesh.sandbox()).await?;
    // The runtime may come a moment later.
    drop(reached(&user, "east").await);
    let bytes = args.mebibytes << 20;
    let mut rounds = Rounds::default();
    for _round in 0..args.rounds {
        let alone = straight(&direct, bytes).await?;
        let tunnel = through(&mut open(&user, "east").await?, bytes).await?;
        let mut stuck = Vec::new();
        for _ in 0..args.stuck {
            let mut stream = open(&user, "east").await?;
            ensure!(
                stream.message().await?.is_some(),
                "a stream without anything"
            );
            stuck.push(stream);
        }
        let beside = through(&mut open(&user, "east").await?, bytes).await?;
        drop(stuck);
        rounds.ratio.push(tunnel / alone);
        rounds.slower.push(beside / tunnel);
        rounds.direct.push(alone);
        rounds.tunnel.push(tunnel);
        rounds.beside.push(beside);
    }
    mesh.stop().await;
    Ok(rounds)
}

/// A pod that has more to say than is ever read.
fn write(sandbox: &Sandbox) -> anyhow::Result<()> {
    let state = json!({"running": {"startedAt": "2026-01-01T00:00:00Z"}});
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "default", "name": POD},
        "spec": {"containers": [{"name": "main", "image": "nginx:1"}], "restartPolicy": "Always"},
        "status": {"phase": "Running", "containerStatuses": [
            {"name": "main", "image": "nginx:1", "ready": true, "restartCount": 0, "state": state}]},
    });
    let kube = sandbox.kube();
    kube.write_raw("pods", pod).context("the pod is refused")?;
    let block = format!("{}\n", "x".repeat(LINE - 1)).repeat(BLOCK / LINE);
    let written = kube.write_log(("default", POD), "main", &block, 1 << 40);
    written.context("the pod is not there")
}

async fn client(sandbox: &Sandbox) -> anyhow::Result<Client> {
    let kubeconfig = Kubeconfig::from_yaml(&sandbox.kubeconfig())?;
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
    Ok(Client::try_from(config)?)
}

/// Reads so many bytes as `kubectl logs` does.
async fn straight(client: &Client, bytes: u64) -> anyhow::Result<f64> {
    let begin = Instant::now();
    let request = Request::new("/api/v1/namespaces/default/pods");
    let request = request.logs(POD, &LogParams::default())?;
    let mut log = Box::pin(client.request_stream(request).await?);
    let mut read = 0;
    while read < bytes {
        let there = log.fill_buf().await?.len();
        ensure!(there > 0, "the log has ended");
        log.consume_unpin(there);
        read += there as u64;
    }
    Ok(rate(read, begin))
}

async fn open(user: &Peer, runtime: &str) -> anyhow::Result<Streaming<StreamLogsResponse>> {
    let request = StreamLogsRequest {
        runtime: runtime.to_owned(),
        kind: "Pod".to_owned(),
        namespace: "default".to_owned(),
        name: POD.to_owned(),
        ..StreamLogsRequest::default()
    };
    let mut logs = LogServiceClient::new(user.clone());
    Ok(logs.stream_logs(request).await?.into_inner())
}

async fn reached(user: &Peer, runtime: &str) -> Streaming<StreamLogsResponse> {
    wait_until("the runtime is reached", PATIENCE, async || {
        open(user, runtime).await.map_err(|error| error.to_string())
    })
    .await
}

/// Reads so many bytes of lines.
async fn through(stream: &mut Streaming<StreamLogsResponse>, bytes: u64) -> anyhow::Result<f64> {
    let begin = Instant::now();
    let mut read = 0;
    while read < bytes {
        let response = stream.message().await?.context("the stream has ended")?;
        if let Some(Event::Lines(lines)) = response.event {
            read += lines.len() as u64;
        }
    }
    Ok(rate(read, begin))
}

/// Bytes in a second.
fn rate(bytes: u64, begin: Instant) -> f64 {
    let bytes = bytes as f64;
    bytes / begin.elapsed().as_secs_f64()
}

fn megabytes(bytes: f64) -> f64 {
    bytes / 1_000_000.0
}
