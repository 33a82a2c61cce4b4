use causeway_relay::TrustRoots;
use futures::{SinkExt, StreamExt};
use http::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::ErrorResponse;

use super::*;
use crate::close::CloseCode;

fn options() -> DialOptions {
    DialOptions {
        url: Uri::from_static("wss://t.example/tunnel/v1"),
        tls: TrustRoots::Native.client_config(b"http/1.1").unwrap(),
        authorization: HeaderValue::from_static("Bearer yes"),
        headers: HeaderMap::new(),
        proxy: None,
        connect_timeout: Duration::from_secs(5),
        upgrade_timeout: Duration::from_secs(5),
    }
}

#[test]
fn only_wss_without_query_and_credentials_is_dialled() {
    let address = |text: &str| {
        Target::new(&text.parse().unwrap())
            .map(|target| target.address)
            .ok()
    };
    assert_eq!(
        address("wss://tunnel.example/tunnel/v1").as_deref(),
        Some("tunnel.example:443")
    );
    assert_eq!(
        address("wss://[::1]:7443/tunnel/v1").as_deref(),
        Some("[::1]:7443")
    );
    for text in [
        "ws://tunnel.example/",
        "https://tunnel.example/",
        "wss://me@tunnel.example/",
        "wss://t.example/?token=1",
    ] {
        assert_eq!(address(text), None, "{text}");
    }
}

#[test]
fn the_clock_offset_comes_from_the_date() {
    let mut headers = HeaderMap::new();
    assert_eq!(clock_offset(&headers), None);
    headers.insert(
        header::DATE,
        HeaderValue::from_static("Thu, 01 Jan 1970 00:00:00 GMT"),
    );
    assert!(clock_offset(&headers).unwrap() < SignedDuration::from_hours(-24 * 365 * 50));
}

/// Dials a server that answers the head with `answer`.
async fn answered(answer: &str) -> Result<Dialed, DialError> {
    let (near, mut far) = duplex(1 << 16);
    let options = options();
    let server = async {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(far.read_u8().await.unwrap());
        }
        far.write_all(answer.as_bytes()).await.unwrap();
    };
    futures::join!(upgrade(&options, Box::new(near)), server).0
}

#[tokio::test]
async fn a_refusal_is_told_with_its_status_words_and_wait() {
    let answer = "HTTP/1.1 429 x\r\nRetry-After: 7\r\nContent-Length: 12\r\n\r\nslow\tdown\n.\n";
    let Err(DialError::Refused { refusal, .. }) = answered(answer).await else {
        panic!("it is refused");
    };
    assert_eq!(refusal.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refusal.message, "slowdown");
    assert_eq!(refusal.retry_after, Some(Duration::from_secs(7)));
}

#[tokio::test]
async fn an_answer_that_does_not_belong_to_the_upgrade_is_an_error() {
    let head = "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    let sample = format!("{head}Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
    for answer in [
        sample.as_str(),
        "HTTP/1.1 101 x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        "HTTP/1.1 101 x\r\n\r\n",
        "SSH-2.0-x\r\n\r\n",
    ] {
        let error = answered(answer).await.err().unwrap();
        assert!(matches!(error, DialError::Upgrade(_)), "{error}");
    }
}

#[expect(
    clippy::result_large_err,
    reason = "the other implementation's signature"
)]
fn subprotocol(
    request: &Request,
    mut response: Response<()>,
) -> Result<Response<()>, ErrorResponse> {
    assert_eq!(request.uri(), "/tunnel/v1");
    assert_eq!(request.headers()[header::AUTHORIZATION], "Bearer yes");
    response.headers_mut().insert(
        header::SEC_WEBSOCKET_PROTOCOL,
        HeaderValue::from_static(SUBPROTOCOL),
    );
    Ok(response)
}

async fn dialled_to_another(near: DuplexStream, far: DuplexStream) -> (ByteStream, Other) {
    let options = options();
    let (dialed, other) = futures::join!(
        upgrade(&options, Box::new(near)),
        accept_hdr_async(far, subprotocol)
    );
    (dialed.unwrap().stream, other.unwrap())
}

type Other = tokio_tungstenite::WebSocketStream<DuplexStream>;

#[tokio::test]
async fn a_plain_server_of_the_library_accepts_and_both_exchange_messages() {
    let (near, far) = duplex(1 << 20);
    let (mut stream, mut other) = dialled_to_another(near, far).await;
    for length in [1, 125, 126, 5_000, 60_000] {
        let bytes = vec![length as u8; length];
        stream.write_all(&bytes).await.unwrap();
        stream.flush().await.unwrap();
        let mut received = Vec::new();
        while received.len() < length {
            received.extend(other.next().await.unwrap().unwrap().into_data());
        }
        assert!(received == bytes);
        other.send(Message::Ping(vec![1].into())).await.unwrap();
        other
            .send(Message::Binary(bytes.clone().into()))
            .await
            .unwrap();
        let mut read = vec![0; length];
        stream.read_exact(&mut read).await.unwrap();
        assert!(read == bytes);
        let pong = other.next().await.unwrap().unwrap();
        assert_eq!(pong, Message::Pong(vec![1].into()));
    }
    let closer = stream.closer();
    let mut rest = Vec::new();
    let (closed, read) = futures::join!(other.close(None), stream.read_to_end(&mut rest));
    closed.unwrap();
    read.unwrap();
    assert_eq!(closer.received().unwrap().code(), CloseCode::Normal);
}
