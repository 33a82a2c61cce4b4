//! Bytes that no well-behaved caller sends.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::stack::{KEY, Stack, soon};

const SYNC: &str = "POST /v1/runtimes/prod/applications/argocd/web:sync HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
/// A request that an attacker hides in the body of another one.
const HIDDEN: &str = "GET /v1/applications HTTP/1.1\r\nhost: x\r\n";

/// Sends bytes and returns what comes back until the router hangs up.
async fn exchange(stack: &Stack, bytes: &str) -> String {
    let mut stream = TcpStream::connect(stack.router).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A reset is an end, too.
    let _ = soon(stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn requests_whose_length_is_doubtful_are_refused_and_nothing_hides_in_them() {
    let stack = Stack::platform().await;
    let hidden = format!("{HIDDEN}authorization: {KEY}\r\n\r\n");
    let lengths = [
        "content-length: 5\r\ncontent-length: 6\r\n\r\n12345".to_owned(),
        "content-length: +5\r\n\r\n12345".to_owned(),
        "content-length: 5x\r\n\r\n12345".to_owned(),
        "transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n".to_owned(),
        "transfer-encoding: xchunked\r\n\r\n0\r\n\r\n".to_owned(),
        "transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n".to_owned(),
        "transfer-encoding: chunked\r\n\r\n-1\r\n".to_owned(),
        "bad name: x\r\n\r\n".to_owned(),
        "x: a\r\n folded\r\ncontent-length: 0\r\n\r\n".to_owned(),
    ];
    for length in lengths {
        let answer = exchange(&stack, &format!("{SYNC}{length}{hidden}")).await;
        let refused = answer.is_empty() || answer.starts_with("HTTP/1.1 4");
        assert!(refused, "{length:?} got {answer:?}");
        assert_eq!(
            answer.matches("HTTP/1.1").count(),
            usize::from(!answer.is_empty()),
            "{length:?} got {answer:?}"
        );
    }
    assert!(stack.peers.seen().is_empty());
}

#[tokio::test]
async fn paths_that_could_mean_two_things_reach_nobody() {
    let stack = Stack::platform().await;
    let segments = [
        "%2f",
        "%2F..%2F",
        "%252f",
        "%2e%2e",
        "%2e",
        "..",
        ".",
        "",
        "%00",
        "a%00",
        "a%0d%0ab",
        "%5c",
        "\\",
        ";a=b",
        "a;b",
        "%3b",
        "%",
        "%z",
        "%c0%af",
        "%ff",
        "%u002e",
        "a%3Fb%2Fc",
        "?",
        "%7f",
    ];
    for segment in segments {
        let bytes = format!(
            "GET /v1/runtimes/prod/applications/argocd/{segment}/live HTTP/1.1\r\nhost: x\r\nauthorization: {KEY}\r\nconnection: close\r\n\r\n"
        );
        let answer = exchange(&stack, &bytes).await;
        let refused = answer.is_empty() || answer.starts_with("HTTP/1.1 40");
        assert!(refused, "{segment:?} got {answer:?}");
    }
    assert!(
        stack.peers.seen().is_empty(),
        "{:?}",
        stack.peers.last_seen()
    );
}

#[tokio::test]
async fn an_upgrade_is_not_made() {
    let stack = Stack::platform().await;
    let bytes = format!(
        "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\nauthorization: {KEY}\r\nconnection: close\r\n\r\n"
    );
    let answer = exchange(&stack, &bytes).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let connect = exchange(
        &stack,
        "CONNECT 10.0.0.1:22 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    )
    .await;
    assert!(connect.starts_with("HTTP/1.1 4"), "{connect}");
}
