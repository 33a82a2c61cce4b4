use futures::{SinkExt, StreamExt};
use http::header::HeaderName;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::*;

const HEAD: &str = "GET /tunnel/v1 HTTP/1.1\r\nHost: t\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\
    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
    Sec-WebSocket-Protocol: h2.tunnel.v1\r\nAuthorization: Bearer yes\r\n\r\n";

fn peer() -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], 1))
}

async fn grant(request: UpgradeRequest) -> Result<Admission<String>, Refusal> {
    let known = request
        .authorization
        .is_some_and(|value| value == "Bearer yes");
    if !known {
        return Err(Refusal::unauthenticated("no such credential"));
    }
    let headers = HeaderMap::from_iter([(
        HeaderName::from_static("x-server"),
        HeaderValue::from_static("one"),
    )]);
    Ok(Admission {
        identity: request.path,
        headers,
    })
}

async fn answered(head: &[u8]) -> (Result<(ByteStream, String), AcceptError>, DuplexStream) {
    let (near, mut far) = duplex(1 << 20);
    far.write_all(head).await.unwrap();
    (accept(near, peer(), grant).await, far)
}

/// The status line's code for `head`, which must not be upgraded.
async fn status(head: &str) -> String {
    let (outcome, mut far) = answered(head.as_bytes()).await;
    assert!(outcome.is_err(), "{head}");
    let mut answer = String::new();
    far.read_to_string(&mut answer).await.unwrap();
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_granted_upgrade_is_answered_with_its_key_subprotocol_and_headers() {
    let (outcome, mut far) = answered(HEAD.as_bytes()).await;
    let (_stream, identity) = outcome.unwrap();
    assert_eq!(identity, "/tunnel/v1");
    let mut answer = vec![0; 4096];
    let length = far.read(&mut answer).await.unwrap();
    let answer = String::from_utf8_lossy(&answer[..length]).to_lowercase();
    assert!(answer.starts_with("http/1.1 101 "), "{answer}");
    // The accept key that RFC 6455 section 1.3 gives for this sample.
    for line in [
        "sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=",
        "connection: upgrade",
        "sec-websocket-protocol: h2.tunnel.v1",
        "x-server: one",
        "date: ",
    ] {
        assert!(answer.contains(line), "{line} in {answer}");
    }
}

#[tokio::test]
async fn bytes_behind_the_head_reach_the_stream() {
    let mut sent = HEAD.as_bytes().to_vec();
    sent.extend([0x82, 0x83, 0, 0, 0, 0, b'P', b'R', b'I']);
    let (outcome, _far) = answered(&sent).await;
    let mut preface = [0; 3];
    outcome.unwrap().0.read_exact(&mut preface).await.unwrap();
    assert_eq!(&preface, b"PRI");
}

#[tokio::test]
async fn a_head_that_is_no_upgrade_of_ours_is_refused_before_any_101() {
    let without = |line: &str| {
        let lines = HEAD
            .split_inclusive("\r\n")
            .filter(|candidate| !candidate.starts_with(line));
        lines.collect::<String>()
    };
    let cases = [
        (without("Authorization"), "401"),
        (without("Upgrade"), "426"),
        (without("Connection"), "426"),
        (without("Sec-WebSocket-Version"), "426"),
        (HEAD.replace("Version: 13", "Version: 8"), "426"),
        (without("Sec-WebSocket-Protocol"), "400"),
        (HEAD.replace("h2.tunnel.v1", "chat"), "400"),
        (without("Sec-WebSocket-Key"), "400"),
        (HEAD.replace("dGhlIHNhbXBsZSBub25jZQ==", "short"), "400"),
        (HEAD.replace("GET", "POST"), "400"),
        (HEAD.replace("/tunnel/v1", "/tunnel/v1?token=yes"), "400"),
        (
            HEAD.replace("Host: t", "Host: t\r\nContent-Length: 3"),
            "400",
        ),
        (
            HEAD.replace("Host: t", &format!("X-Long: {}", "a".repeat(HEAD_BYTES))),
            "431",
        ),
    ];
    for (head, expected) in cases {
        assert_eq!(status(&head).await, expected, "{head}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_peer_is_dropped_after_ten_seconds() {
    let (near, _far) = duplex(1024);
    let begin = tokio::time::Instant::now();
    assert!(accept(near, peer(), grant).await.is_err());
    assert!(
        begin.elapsed() <= HEAD_TIMEOUT + Duration::from_secs(1),
        "{:?}",
        begin.elapsed()
    );
}

#[tokio::test]
async fn a_wait_is_told_to_a_refused_peer() {
    let (near, mut far) = duplex(1 << 20);
    far.write_all(HEAD.as_bytes()).await.unwrap();
    let busy = |_request| async {
        Err::<Admission<()>, _>(Refusal::unavailable("draining", Duration::from_secs(7)))
    };
    assert!(accept(near, peer(), busy).await.is_err());
    let mut answer = String::new();
    far.read_to_string(&mut answer).await.unwrap();
    assert!(
        answer.to_lowercase().contains("retry-after: 7\r\n"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_plain_client_of_the_library_dials_and_both_exchange_messages() {
    let (near, far) = duplex(1 << 20);
    let mut request = "ws://t/tunnel/v1".into_client_request().unwrap();
    for (name, value) in [
        (header::AUTHORIZATION, "Bearer yes"),
        (header::SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL),
    ] {
        request
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    let (accepted, other) = futures::join!(accept(near, peer(), grant), client_async(request, far));
    let ((mut stream, _path), (mut other, _response)) = (accepted.unwrap(), other.unwrap());
    for length in [1, 125, 126, 5_000, 60_000] {
        let bytes = vec![length as u8; length];
        other.send(Message::Ping(vec![2].into())).await.unwrap();
        other
            .send(Message::Binary(bytes.clone().into()))
            .await
            .unwrap();
        let mut read = vec![0; length];
        stream.read_exact(&mut read).await.unwrap();
        assert!(read == bytes);
        stream.write_all(&bytes).await.unwrap();
        stream.flush().await.unwrap();
        let pong = other.next().await.unwrap().unwrap();
        assert_eq!(pong, Message::Pong(vec![2].into()));
        let mut received = Vec::new();
        while received.len() < length {
            received.extend(other.next().await.unwrap().unwrap().into_data());
        }
        assert!(received == bytes);
    }
    let shutdown = async {
        stream.shutdown().await.unwrap();
    };
    let closed = async { other.next().await.unwrap().unwrap() };
    let ((), closed) = futures::join!(shutdown, closed);
    assert!(closed.is_close());
}
