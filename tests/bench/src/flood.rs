//! One user who floods the platform with calls, beside ten who call at a steady pace: how much longer these wait than without the
//! flood. The flood comes from a process of its own, over several connections, at the lowest priority, since a real one runs
//! elsewhere.

mod caller;

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, ensure};
use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::{
    ids::RequestId,
    inventory::v1::{
        ListApplicationsRequest, application_service_client::ApplicationServiceClient,
    },
    platform::v1::{
        CreateApiKeyRequest, CreateUserRequest, api_key_service_client::ApiKeyServiceClient,
        user_service_client::UserServiceClient,
    },
};
use tokio::{
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval},
};

use crate::{
    figure::{middle, quantile},
    place::beside,
    up::Up,
};

pub(crate) use caller::Args as CallerArgs;
pub(crate) use caller::run as run_caller;

/// Calls of one of the others in a second.
const PACE: u32 = 10;

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Rounds, each without the flood and then with it; the ratio is the median
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Seconds of each half of a round
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Calls of the flood in a second
    #[arg(long, default_value_t = 10_000)]
    rate: u32,
    /// Users beside the flood
    #[arg(long, default_value_t = 10)]
    users: usize,
    /// The program to measure; the one beside this one if not given
    #[arg(long)]
    binary: Option<PathBuf>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            rounds: 5,
            seconds: 10,
            rate: 10_000,
            users: 10,
            binary: None,
        }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => beside("causeway")?,
    };
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(measure(args, &binary))
}

async fn measure(args: &Args, binary: &Path) -> anyhow::Result<()> {
    let up = Up::start(binary, &[]).await?;
    up.settle().await?;
    let url = PeerUrl::parse(up.address(), None)?;
    let mut users = Vec::new();
    for number in 0..args.users {
        let key = create_user(up.peer(), &format!("user-{number}")).await?;
        users.push(Peer::new(&url, Credential::api_key(&key)));
    }
    let flood_key = create_user(up.peer(), "flood").await?;
    call_for(&users, Duration::from_secs(2)).await?;

    let time = Duration::from_secs(args.seconds);
    let (mut alone, mut beside, mut ratios, mut floods) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..args.rounds.max(1) {
        let quiet = quantile(&call_for(&users, time).await?, 0.99);
        let flood = start_flood(args, up.address(), &flood_key)?;
        let flooded = quantile(&call_for(&users, time).await?, 0.99);
        floods.push(end_flood(flood)?);
        alone.push(quiet);
        beside.push(flooded);
        ratios.push(flooded / quiet);
    }
    print(args, [&alone, &beside, &ratios], &floods);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn print(args: &Args, [alone, beside, ratios]: [&[f64]; 3], floods: &[caller::Flood]) {
    let users = args.users;
    let flood =
        |pick: fn(&caller::Flood) -> f64| middle(&floods.iter().map(pick).collect::<Vec<_>>());
    println!("| one user's flood beside {users} others | figure | goal |\n|---|---|---|");
    println!(
        "| calls of the flood in a second | {:.0} | {} |",
        flood(|it| it.sent),
        args.rate
    );
    println!("| of them answered | {:.0} | – |", flood(|it| it.answered));
    println!("| of them refused | {:.0} | – |", flood(|it| it.refused));
    println!(
        "| list of the others without it, p99 in ms | {:.2} | – |",
        middle(alone) * 1e3
    );
    println!("| the same beside it | {:.2} | – |", middle(beside) * 1e3);
    println!("| ratio | {:.2} | 1.5 or less |", middle(ratios));
}

/// Creates a user who may read, and a key of theirs.
async fn create_user(admin: &Peer, name: &str) -> anyhow::Result<String> {
    let user = CreateUserRequest {
        user: name.to_owned(),
        roles: vec!["viewer".to_owned()],
        request_id: RequestId::generate().to_string(),
        ..CreateUserRequest::default()
    };
    UserServiceClient::new(admin.clone())
        .create_user(user)
        .await?;
    let key = CreateApiKeyRequest {
        display_name: name.to_owned(),
        user: name.to_owned(),
        request_id: RequestId::generate().to_string(),
        ..CreateApiKeyRequest::default()
    };
    let mut keys = ApiKeyServiceClient::new(admin.clone());
    Ok(keys.create_api_key(key).await?.into_inner().secret)
}

/// Has each user call at a steady pace; gives how long each call took, in seconds. None may fail.
async fn call_for(users: &[Peer], time: Duration) -> anyhow::Result<Vec<f64>> {
    let mut running = JoinSet::new();
    for peer in users {
        running.spawn(call_steadily(peer.clone(), time));
    }
    let mut took = Vec::new();
    while let Some(one) = running.join_next().await {
        took.extend(one??);
    }
    Ok(took)
}

async fn call_steadily(peer: Peer, time: Duration) -> anyhow::Result<Vec<f64>> {
    let mut client = ApplicationServiceClient::new(peer);
    let mut ticks = interval(Duration::from_secs(1) / PACE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let end = Instant::now() + time;
    let mut took = Vec::new();
    while Instant::now() < end {
        ticks.tick().await;
        let begun = Instant::now();
        client.list_applications(request()).await?;
        took.push(begun.elapsed().as_secs_f64());
    }
    Ok(took)
}

fn request() -> ListApplicationsRequest {
    ListApplicationsRequest {
        page_size: 20,
        ..ListApplicationsRequest::default()
    }
}

fn start_flood(args: &Args, address: &str, key: &str) -> anyhow::Result<Child> {
    let mut command = Command::new("nice");
    command.args(["-n", "19"]).arg(std::env::current_exe()?);
    command.args(["flood-caller", "--address", address, "--key", key]);
    command.args(["--rate", &args.rate.to_string()]);
    command.args(["--seconds", &args.seconds.to_string()]);
    command.stdout(Stdio::piped());
    command.spawn().context("start the flood")
}

fn end_flood(flood: Child) -> anyhow::Result<caller::Flood> {
    let output = flood.wait_with_output()?;
    ensure!(output.status.success(), "the flood failed");
    serde_json::from_slice(&output.stdout).context("what the flood counted")
}
