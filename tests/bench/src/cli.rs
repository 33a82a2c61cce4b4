//! The command line as a person starts it: until it says how it is used, until it has sent its first byte, and the whole list of
//! many applications, beside the same pages asked for by a client that is there already.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use anyhow::{Context as _, ensure};
use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::inventory::v1::{
    self as pb, application_service_client::ApplicationServiceClient,
};
use causeway_testkit::fleet::{Clusters, Fleet, FleetOptions, Outlook, PlatformDoor};
use tokio::time::Instant;

use crate::{
    figure::quantile,
    fleet::{self, Database, Platform},
    place::beside,
};

/// How long the applications may take to be there.
const COMPLETE: Duration = Duration::from_secs(600);

/// What is listed.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Applications
    #[arg(long, default_value_t = 10_000)]
    applications: usize,
    /// How often each command is started
    #[arg(long, default_value_t = 20)]
    runs: usize,
    /// The command line; the one beside this program if not given
    #[arg(long)]
    binary: Option<PathBuf>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            applications: 10_000,
            runs: 20,
            binary: None,
        }
    }
}

/// A command that has ended.
struct Ended {
    /// Seconds.
    wall: f64,
    /// The most resident memory, in MiB.
    resident: f64,
    lines: usize,
}

/// Measures and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => beside("causeway")?,
    };
    fleet::allow_files()?;
    tokio::runtime::Runtime::new()?.block_on(measure(args, binary))
}

async fn measure(args: &Args, binary: PathBuf) -> anyhow::Result<()> {
    let platform = Platform::start(Database::Sqlite)?;
    let options = FleetOptions {
        runtimes: 4,
        applications: args.applications,
        resources: 1,
        seed: 1,
    };
    let clusters = Clusters::start(&options).await;
    let outlook = Outlook::open(platform.door());
    let fleet = Box::pin(Fleet::join(&outlook, clusters)).await;
    fleet.complete(COMPLETE).await;
    let mut direct = Vec::new();
    for _ in 0..args.runs {
        direct.push(pages(platform.door(), args.applications).await?);
    }
    let (door, own) = (platform.door().clone(), args.clone());
    tokio::task::spawn_blocking(move || commands(&own, &binary, &door, &direct)).await??;
    Box::pin(fleet.stop()).await;
    Ok(())
}

/// Seconds for all pages, by a client that is connected.
async fn pages(door: &PlatformDoor, applications: usize) -> anyhow::Result<f64> {
    let url = PeerUrl::parse(&door.url, None)?;
    let peer = Peer::new(&url, Credential::api_key(&door.admin_key));
    let mut client = ApplicationServiceClient::new(peer).max_decoding_message_size(64 << 20);
    let mut request = pb::ListApplicationsRequest {
        page_size: 1,
        ..pb::ListApplicationsRequest::default()
    };
    client.list_applications(request.clone()).await?;
    request.page_size = 1_000;
    let (begun, mut found) = (Instant::now(), 0);
    loop {
        let page = client.list_applications(request.clone()).await?;
        let page = page.into_inner();
        found += page.applications.len();
        request.page_token = page.next_page_token;
        if request.page_token.is_empty() {
            ensure!(found == applications, "{found} of {applications} are there");
            return Ok(begun.elapsed().as_secs_f64());
        }
    }
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn commands(args: &Args, binary: &Path, door: &PlatformDoor, direct: &[f64]) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let key = folder.path().join("key");
    std::fs::write(&key, &door.admin_key)?;
    let list = |address: &str| {
        let mut command = Command::new(binary);
        command.args(["app", "list", "--address", address, "--api-key-file"]);
        command.arg(&key);
        command
    };
    let (mut help, mut sent, mut listed) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..args.runs {
        let mut usage = Command::new(binary);
        usage.arg("--help");
        help.push(ended(usage)?.wall);
        sent.push(first_byte(list)?);
        let ended = ended(list(&door.url))?;
        let lines = ended.lines;
        ensure!(lines == args.applications + 1, "{lines} lines are printed");
        listed.push(ended);
    }
    let walls: Vec<_> = listed.iter().map(|it| it.wall).collect();
    let resident = listed.iter().map(|it| it.resident).fold(0.0, f64::max);
    println!(
        "| the command line, {} runs | p50 | most |\n|---|---|---|",
        args.runs
    );
    for (what, seconds) in [
        ("`causeway --help`", help.as_slice()),
        ("`causeway app list` to its first byte sent", &sent),
        (
            &format!("`causeway app list` of {} applications", args.applications),
            &walls,
        ),
        ("the same pages by a client that is connected", direct),
    ] {
        let [middle, most] = [0.5, 1.0].map(|at| quantile(seconds, at) * 1e3);
        println!("| {what} | {middle:.0} ms | {most:.0} ms |");
    }
    println!("| resident memory of that list, the most | | {resident:.0} MiB |\n");
    Ok(())
}

/// Seconds from the start until the platform has heard something.
fn first_byte(list: impl Fn(&str) -> Command) -> anyhow::Result<f64> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}", listener.local_addr()?);
    let begun = Instant::now();
    let mut child = list(&address)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let (mut stream, _) = listener.accept()?;
    stream.read_exact(&mut [0])?;
    let taken = begun.elapsed().as_secs_f64();
    child.kill()?;
    child.wait()?;
    Ok(taken)
}

/// Runs a command to its end and looks at its memory meanwhile.
fn ended(mut command: Command) -> anyhow::Result<Ended> {
    let begun = Instant::now();
    let mut child = command
        .stdout(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()?;
    let output = child.stdout.take().context("its output is piped")?;
    let (done_tx, done_rx) = mpsc::channel::<()>();
    let process = child.id();
    let watcher = std::thread::spawn(move || {
        let mut most: f64 = 0.0;
        while done_rx.recv_timeout(Duration::from_millis(1)) == Err(mpsc::RecvTimeoutError::Timeout)
        {
            most = most.max(fleet::most_resident(process).unwrap_or(0.0));
        }
        most
    });
    let lines = BufReader::new(output).lines().count();
    let status = child.wait()?;
    let wall = begun.elapsed().as_secs_f64();
    drop(done_tx);
    ensure!(status.success(), "the command failed: {status}");
    Ok(Ended {
        wall,
        resident: watcher.join().unwrap_or(f64::NAN),
        lines,
    })
}
