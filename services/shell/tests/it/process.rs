//! `run` as a child process: this binary again, with one of the ignored tests below.

use std::process::Stdio;

use causeway_shell::{ProcessArgs, Side};
use clap::Parser as _;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    net::TcpStream,
    process::{Child, ChildStderr, Command},
};

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    process: ProcessArgs,
}

pub(crate) fn args(more: &[&str]) -> ProcessArgs {
    let line = ["child", "--log", "info", "--admin-listen", "127.0.0.1:0"];
    Line::parse_from(line.iter().chain(more)).process
}

pub(crate) struct Running {
    child: Child,
    stderr: Lines<BufReader<ChildStderr>>,
}

impl Running {
    pub(crate) fn start(test: &str) -> Self {
        Self::start_with(&format!("process::{test}"), &[])
    }

    pub(crate) fn start_with(test: &str, environment: &[(&str, &str)]) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", test])
            .env_clear()
            .envs(environment.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, stderr }
    }

    pub(crate) async fn line_with(&mut self, text: &str) -> String {
        let mut seen = String::new();
        while let Some(line) = self.stderr.next_line().await.unwrap() {
            if line.contains(text) {
                return line;
            }
            seen.push_str(&line);
            seen.push('\n');
        }
        panic!("no line with {text:?} in:\n{seen}");
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

async fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: admin\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    response
}

fn exit(code: std::process::ExitCode) {
    assert_eq!(code, std::process::ExitCode::SUCCESS);
}

#[test]
#[ignore = "a child of the tests below"]
fn waits_for_the_signal() {
    exit(causeway_shell::run(&args(&[]), |process| {
        Box::pin(async move {
            let shell = process.part("inventory", Side::Platform);
            shell.meter().u64_counter("reports").build().add(3, &[]);
            let handle = shell.ready_handle("the store");
            let wait = shell.shutdown();
            shell.tasks().spawn("opener", async move {
                tracing::info!("holding");
                wait.await;
                drop(handle);
            });
            shell.shutdown().await;
            Ok(())
        })
    }));
}

#[test]
#[ignore = "a child of the tests below"]
fn never_drains() {
    exit(causeway_shell::run(
        &args(&["--drain-timeout", "1h"]),
        |process| {
            Box::pin(async move {
                process.part("inventory", Side::Platform);
                tracing::info!("holding");
                std::future::pending().await
            })
        },
    ));
}

#[test]
#[ignore = "a child of the tests below"]
fn drains_too_long() {
    exit(causeway_shell::run(
        &args(&["--drain-timeout", "50ms"]),
        |process| {
            Box::pin(async move {
                process.part("inventory", Side::Platform);
                tracing::info!("holding");
                std::future::pending().await
            })
        },
    ));
}

#[test]
#[ignore = "a child of the tests below"]
fn loses_an_essential_task() {
    exit(causeway_shell::run(&args(&[]), |process| {
        Box::pin(async move {
            let shell = process.part("inventory", Side::Platform);
            let broken = async { Err(anyhow::anyhow!("full").context("the disk\nis")) };
            shell.tasks().spawn_essential("ingest", broken);
            shell.shutdown().await;
            Ok(())
        })
    }));
}

#[tokio::test]
async fn a_signal_drains_and_the_admin_port_tells() {
    let mut running = Running::start("waits_for_the_signal");
    let line = running.line_with("admin server listens").await;
    let address = line.rsplit_once("address=").unwrap().1.trim().to_owned();
    running.line_with("holding").await;
    assert!(get(&address, "/healthz").await.contains("200 OK"));
    let ready = get(&address, "/readyz").await;
    assert!(
        ready.contains("503") && ready.contains("platform inventory: waits for the store"),
        "{ready}"
    );
    let metrics = get(&address, "/metrics").await;
    assert!(
        metrics.contains("reports_total") && metrics.contains(" 3"),
        "{metrics}"
    );
    assert!(get(&address, "/").await.contains("404"));
    running.signal(rustix::process::Signal::TERM);
    running.line_with("stopping").await;
    assert_eq!(running.exit().await, 0);
}

#[tokio::test]
async fn a_second_signal_cuts_the_drain_short() {
    let mut running = Running::start("never_drains");
    running.line_with("holding").await;
    running.signal(rustix::process::Signal::INT);
    running.line_with("stopping").await;
    running.signal(rustix::process::Signal::INT);
    running.line_with("error: SIGINT while draining").await;
    assert_ne!(running.exit().await, 0);
}

#[tokio::test]
async fn a_drain_that_takes_too_long_is_cut() {
    let mut running = Running::start("drains_too_long");
    running.line_with("holding").await;
    running.signal(rustix::process::Signal::TERM);
    running.line_with("the drain took too long").await;
    assert_eq!(running.exit().await, 0);
}

#[tokio::test]
async fn the_end_of_an_essential_task_is_one_line_and_a_failure() {
    let mut running = Running::start("loses_an_essential_task");
    let line = running.line_with("error: ").await;
    assert_eq!(line, "error: inventory: task ingest: the disk is: full");
    assert_ne!(running.exit().await, 0);
}

#[tokio::test]
async fn a_taken_port_is_named_with_its_flag() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap();
    let error = causeway_shell::bind("--listen", address).await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("--listen {address}: address already in use")),
        "{text}"
    );
}
