//! Bytes that no well-behaved caller sends.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::stack::{KEY, Stack, soon};

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
