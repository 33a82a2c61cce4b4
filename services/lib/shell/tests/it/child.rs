//! A process of its own: this test binary again, which then plays one role instead of testing.

use std::process::{ExitCode, Stdio};

use causeway_assertion::Side;
use causeway_assertion::SigningKey;
use causeway_proto::platform::v1 as pb;
use causeway_shell::{Process, ProcessArgs};
use clap::Parser as _;
use futures::{future::BoxFuture, stream::BoxStream};
use pb::key_service_server::{KeyService, KeyServiceServer};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    net::TcpListener,
    process::{Child, Command},
    sync::mpsc,
    task::JoinSet,
};
use tonic::{Request, Response, Status};

use crate::stage::access;

const ROLE: &str = "role:";

pub(crate) struct Running {
    child: Child,
    lines: mpsc::UnboundedReceiver<String>,
    _reader: JoinSet<()>,
}

impl Running {
    /// Nothing of this process's environment is passed on.
    pub(crate) fn start(role: &str, environment: &[(&str, &str)]) -> Self {
        // To libtest the role is one more filter, which matches nothing.
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture", "child::child_process_role"])
            .arg(format!("{ROLE}{role}"))
            .env_clear()
            .envs(environment.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines();
        let (lines_tx, lines) = mpsc::unbounded_channel();
        let mut reader = JoinSet::new();
        // Read at once, so that it never waits for the test.
        reader.spawn(async move {
            while let Ok(Some(line)) = stderr.next_line().await {
                let _ = lines_tx.send(line);
            }
        });
        Self {
            child,
            lines,
            _reader: reader,
        }
    }

    pub(crate) async fn line_with(&mut self, text: &str) -> String {
        let mut lines = self.lines_until(text).await;
        lines.pop().unwrap()
    }

    /// What it says until a line with this text, the last.
    pub(crate) async fn lines_until(&mut self, text: &str) -> Vec<String> {
        let mut seen = Vec::new();
        while let Some(line) = self.lines.recv().await {
            let last = line.contains(text);
            seen.push(line);
            if last {
                return seen;
            }
        }
        panic!("no line with {text:?} in:\n{}", seen.join("\n"));
    }

    /// What it says from here on, until it ends.
    pub(crate) async fn rest(mut self) -> Vec<String> {
        let mut seen = Vec::new();
        while let Some(line) = self.lines.recv().await {
            seen.push(line);
        }
        seen
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let id = i32::try_from(self.child.id().unwrap()).unwrap();
        let id = rustix::process::Pid::from_raw(id).unwrap();
        rustix::process::kill_process(id, signal).unwrap();
    }

    pub(crate) async fn exit(mut self) -> i32 {
        self.child.wait().await.unwrap().code().unwrap()
    }
}

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    process: ProcessArgs,
}

type Main = fn(Process) -> BoxFuture<'static, anyhow::Result<()>>;

#[test]
fn child_process_role() {
    let Some(role) = std::env::args().find_map(|arg| arg.strip_prefix(ROLE).map(str::to_owned))
    else {
        return;
    };
    let (drain, main): (&str, Main) = match role.as_str() {
        "waits-for-the-signal" => ("5s", |process| Box::pin(waits(process))),
        "never-drains" => ("1h", |process| Box::pin(hangs(process))),
        "drains-too-long" => ("50ms", |process| Box::pin(hangs(process))),
        "loses-an-essential-task" => ("5s", |process| Box::pin(loses_an_essential_task(process))),
        "serves-two-parts" => ("5s", |process| Box::pin(serves_two_parts(process))),
        _ => panic!("no role {role}"),
    };
    let line = [
        "child",
        "--admin-listen",
        "127.0.0.1:0",
        "--drain-timeout",
        drain,
    ];
    let code = causeway_shell::run(&Line::parse_from(line).process, main);
    assert_eq!(code, ExitCode::SUCCESS);
}

async fn waits(process: Process) -> anyhow::Result<()> {
    let shell = process.part("inventory", Side::Platform);
    shell.meter().u64_counter("reports").build().add(3, &[]);
    let _handle = shell.ready_handle("the store");
    tracing::info!("holding");
    shell.shutdown().await;
    Ok(())
}

async fn hangs(process: Process) -> anyhow::Result<()> {
    process.part("inventory", Side::Platform);
    tracing::info!("holding");
    std::future::pending().await
}

async fn loses_an_essential_task(process: Process) -> anyhow::Result<()> {
    let shell = process.part("inventory", Side::Platform);
    let broken = async { Err(anyhow::anyhow!("full").context("the disk\nis")) };
    shell.tasks().spawn_essential("ingest", broken);
    shell.shutdown().await;
    Ok(())
}

async fn serves_two_parts(process: Process) -> anyhow::Result<()> {
    let platform = process.part("platform", Side::Platform);
    let inventory = process.part("inventory", Side::Platform);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = platform
        .server(access(&SigningKey::generate()?))
        .add(KeyServiceServer::new(Keys));
    inventory.tasks().spawn("sweep", async move {
        tracing::info_span!("sweep").in_scope(|| tracing::info!("at {address}."));
    });
    server.serve(listener).await
}

struct Keys;

#[tonic::async_trait]
impl KeyService for Keys {
    async fn get_verification_key(
        &self,
        _: Request<pb::GetVerificationKeyRequest>,
    ) -> Result<Response<pb::GetVerificationKeyResponse>, Status> {
        unreachable!()
    }

    type WatchRevocationsStream = BoxStream<'static, Result<pb::WatchRevocationsResponse, Status>>;

    async fn watch_revocations(
        &self,
        _: Request<pb::WatchRevocationsRequest>,
    ) -> Result<Response<Self::WatchRevocationsStream>, Status> {
        unreachable!()
    }

    #[tracing::instrument(skip_all)]
    async fn list_signing_keys(
        &self,
        _: Request<pb::ListSigningKeysRequest>,
    ) -> Result<Response<pb::ListSigningKeysResponse>, Status> {
        tracing::info!(keys = 0, place = "the key ring", "listed");
        Ok(Response::new(pb::ListSigningKeysResponse::default()))
    }

    async fn rotate_sealing_key(
        &self,
        _: Request<pb::RotateSealingKeyRequest>,
    ) -> Result<Response<pb::RotateSealingKeyResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }

    async fn rotate_signing_key(
        &self,
        _: Request<pb::RotateSigningKeyRequest>,
    ) -> Result<Response<pb::RotateSigningKeyResponse>, Status> {
        Err(Status::unimplemented("nobody rotates here"))
    }
}
