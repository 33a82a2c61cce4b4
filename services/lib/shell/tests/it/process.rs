//! `run` from its first line to its exit code.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::child::Running;

pub(crate) async fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: admin\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    response
}

#[tokio::test]
async fn signal_drains_and_readyz_shows_it() {
    let mut running = Running::start("waits-for-the-signal", &[]);
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
        metrics.contains("causeway_reports_total") && metrics.contains(" 3"),
        "{metrics}"
    );
    assert!(get(&address, "/").await.contains("404"));
    running.signal(rustix::process::Signal::TERM);
    running.line_with("stopping").await;
    assert_eq!(running.exit().await, 0);
}

#[tokio::test]
async fn second_signal_aborts_the_drain() {
    let mut running = Running::start("never-drains", &[]);
    running.line_with("holding").await;
    running.signal(rustix::process::Signal::INT);
    running.line_with("stopping").await;
    running.signal(rustix::process::Signal::INT);
    running.line_with("error: SIGINT while draining").await;
    assert_ne!(running.exit().await, 0);
}

#[tokio::test]
async fn drain_ends_at_its_timeout() {
    let mut running = Running::start("drains-too-long", &[]);
    running.line_with("holding").await;
    running.signal(rustix::process::Signal::TERM);
    running.line_with("the drain timed out").await;
    assert_eq!(running.exit().await, 0);
}

#[tokio::test]
async fn end_of_an_essential_task_is_one_error_line_and_exit_code_1() {
    let mut running = Running::start("loses-an-essential-task", &[]);
    let line = running.line_with("error: ").await;
    assert_eq!(line, "error: inventory: task ingest: the disk is: full");
    assert_ne!(running.exit().await, 0);
}

#[tokio::test]
async fn port_in_use_error_names_the_flag() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap();
    let error = causeway_shell::bind("--listen", address).await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("--listen {address}: address already in use")),
        "{text}"
    );
}
