//! What unauthenticated clients can take of a platform: memory by large requests, and places by connections that stay silent or idle.

mod crowd;
mod flood;

use std::{fs, path::PathBuf, time::Duration};

use anyhow::Context as _;
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    net::TcpStream,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use self::{
    crowd::Crowd,
    flood::{FLOODS, Flood},
};
use crate::{figure::quantile, fleet::allow_files, place::beside, up::Up};

/// Between the calls of the honest client.
const PAUSE: Duration = Duration::from_millis(10);
/// After this a call counts as refused.
const PATIENCE: Duration = Duration::from_secs(5);
/// Until the memory of a flood before has been given back.
const SETTLE: Duration = Duration::from_secs(5);

/// How many of what.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Requests of 4 MiB at the same time
    #[arg(long, default_value_t = 200)]
    requests: usize,
    /// Connections that say nothing
    #[arg(long, default_value_t = 520)]
    silent: usize,
    /// HTTP/2 connections without a request
    #[arg(long, default_value_t = 8400)]
    idle: usize,
    /// Connections of the honest client, with one call each
    #[arg(long, default_value_t = 500)]
    calls: usize,
    /// The program to measure; the one beside this one if not given
    #[arg(long)]
    binary: Option<PathBuf>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            requests: 200,
            silent: 520,
            idle: 8400,
            calls: 500,
            binary: None,
        }
    }
}

/// Measures and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    allow_files()?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(measure(args))
}

#[expect(clippy::print_stdout, reason = "the tables are the result")]
async fn measure(args: &Args) -> anyhow::Result<()> {
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => beside("causeway")?,
    };
    let up = Up::start(&binary, &[]).await?;
    up.settle().await?;
    let key = fs::read_to_string(up.admin_key())?;
    let honest = Honest {
        address: up.address().to_owned(),
        authorization: format!("Bearer {}", key.trim()),
    };
    println!(
        "| {} requests of 4 MiB without a credential | answers | more memory (<= 64 MiB) |\n|---|---|---|",
        args.requests
    );
    // What the first call of each kind sets up is no answer to a flood.
    Box::pin(honest.measure(20)).await?;
    for flood in FLOODS {
        let (answers, growth) = Box::pin(grown(&up, flood, args.requests)).await?;
        println!("| {} | {answers} | {growth:.1} MiB |", flood.name);
        sleep(SETTLE).await;
    }
    println!(
        "\n| honest handshake and call | p50 | p99 (<= 100 ms) | refused |\n|---|---|---|---|"
    );
    let alone = Box::pin(honest.measure(args.calls)).await?;
    alone.print("alone");
    let crowd = Crowd::open(&honest.address, args.silent, args.idle).await?;
    let beside = format!(
        "beside {} silent and {} idle connections of one address",
        args.silent, args.idle
    );
    let times = Box::pin(honest.measure(args.calls)).await?;
    times.print(&beside);
    println!("\n{} of the idle connections are still open", crowd.idle());
    Ok(())
}

/// Sends a flood; returns what was answered, and by how much the process grew meanwhile.
async fn grown(up: &Up, flood: Flood, requests: usize) -> anyhow::Result<(String, f64)> {
    let before = up.resident()?;
    let sending = flood.send(up.address(), requests);
    let mut sending = std::pin::pin!(sending);
    let mut most = before;
    loop {
        tokio::select! {
            answers = &mut sending => return Ok((answers, most - before)),
            () = sleep(Duration::from_millis(5)) => most = most.max(up.resident()?),
        }
    }
}

/// A user who opens a connection for each call.
struct Honest {
    address: String,
    authorization: String,
}

struct Times {
    milliseconds: Vec<f64>,
    refused: usize,
}

impl Honest {
    async fn measure(&self, calls: usize) -> anyhow::Result<Times> {
        let mut times = Times {
            milliseconds: Vec::new(),
            refused: 0,
        };
        for _ in 0..calls {
            let begun = Instant::now();
            match timeout(PATIENCE, Box::pin(self.call())).await {
                Ok(Ok(())) => times.milliseconds.push(begun.elapsed().as_secs_f64() * 1e3),
                Ok(Err(_)) | Err(_) => times.refused += 1,
            }
            sleep(PAUSE).await;
        }
        Ok(times)
    }

    async fn call(&self) -> anyhow::Result<()> {
        let host = self.address.trim_start_matches("http://");
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        let (mut sender, driver) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
        let mut connection = JoinSet::new();
        connection.spawn(driver);
        let request = Request::get(format!("{}/v1/applications?pageSize=1", self.address))
            .header("authorization", &self.authorization)
            .body(Empty::<Bytes>::new())?;
        let response = sender.send_request(request).await?;
        anyhow::ensure!(response.status() == 200, "{}", response.status());
        response.into_body().collect().await.context("the answer")?;
        Ok(())
    }
}

impl Times {
    #[expect(clippy::print_stdout, reason = "the table is the result")]
    fn print(&self, what: &str) {
        let at = |part| quantile(&self.milliseconds, part);
        let (middle, most) = (at(0.5), at(0.99));
        println!(
            "| {what} | {middle:.1} ms | {most:.1} ms | {} |",
            self.refused
        );
    }
}
