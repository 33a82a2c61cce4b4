//! What a router builds: any HTTP service behind the same layers, on the same connections.

use std::{convert::Infallible, net::SocketAddr, time::Duration};

use bytes::Bytes;
use causeway_shell::{
    Shell, TestStop,
    layer::{
        panics::PanicLayer,
        shed::ShedLayer,
        trace::{RpcPath, TraceLayer},
    },
    serve_http, serve_public_http,
};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{Instant, timeout},
};
use tonic::body::Body;
use tower::ServiceBuilder;

async fn answer(request: Request<Body>) -> Result<Response<Body>, Infallible> {
    assert!(request.uri().path() != "/panic", "a bug");
    let mut response = Response::new(Body::new("hello".to_owned()));
    let called = RpcPath("/causeway.platform.v1.KeyService/ListSigningKeys");
    response.extensions_mut().insert(called);
    Ok(response)
}

async fn start(calls: usize) -> (SocketAddr, TestStop) {
    let (shell, stop) = Shell::for_test("request-router");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = ServiceBuilder::new()
        .layer(TraceLayer::new(&shell))
        .layer(PanicLayer)
        .layer(ShedLayer::new(calls))
        .service_fn(answer);
    let server = serve_http(&shell, listener, None, service);
    shell.tasks().spawn_essential("server", server);
    (address, stop)
}

async fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: router\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    response
}

#[tokio::test]
async fn http_1_is_served_on_the_same_port() {
    let (address, _stop) = start(10).await;
    let response = get(address, "/").await;
    assert!(
        response.starts_with("HTTP/1.1 200") && response.ends_with("hello"),
        "{response}"
    );
}

#[tokio::test]
async fn json_callers_get_rejections_and_panics_as_json() {
    let (address, _stop) = start(0).await;
    let response = get(address, "/").await;
    assert!(response.starts_with("HTTP/1.1 429"), "{response}");
    assert!(response.contains(r#""reason":"OVERLOADED""#), "{response}");
    let (address, _stop) = start(10).await;
    let response = get(address, "/panic").await;
    assert!(response.starts_with("HTTP/1.1 500"), "{response}");
    assert!(
        response.contains(r#""message":"internal error""#),
        "{response}"
    );
}

#[tokio::test]
async fn silent_peer_does_not_delay_the_drain() {
    let (address, stop) = start(10).await;
    let silent = TcpStream::connect(address).await.unwrap();
    get(address, "/").await;
    stop.stop().await.unwrap();
    drop(silent);
}

/// A public listener whose service answers all but `/open`, which it holds open.
async fn start_public() -> (SocketAddr, TestStop) {
    let (shell, stop) = Shell::for_test("request-router");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = tower::service_fn(|request: Request<Body>| async move {
        if request.uri().path() == "/pieces" {
            let mut largest = 0;
            let mut body = request.into_body();
            while let Some(Ok(frame)) = body.frame().await {
                largest = largest.max(frame.data_ref().map_or(0, Bytes::len));
            }
            return Ok(Response::new(Body::new(largest.to_string())));
        }
        if request.uri().path() == "/open" {
            std::future::pending::<()>().await;
        }
        answer(request).await
    });
    let is_shared = std::sync::Arc::new(|_| false);
    let server = serve_public_http(&shell, listener, None, is_shared, service);
    shell.tasks().spawn_essential("server", server);
    (address, stop)
}

/// How long the server keeps a connection on which only this was sent.
async fn time_until_closed(address: SocketAddr, sent: &[u8]) -> Duration {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(sent).await.unwrap();
    let begun = Instant::now();
    let mut heard = Vec::new();
    // A reset is an end, too.
    let _ = stream.read_to_end(&mut heard).await;
    begun.elapsed()
}

/// A client of HTTP/2 that answers pings, and the end of its connection.
async fn http2_client(
    address: SocketAddr,
) -> (http2::SendRequest<Empty<Bytes>>, JoinSet<hyper::Result<()>>) {
    let stream = TokioIo::new(TcpStream::connect(address).await.unwrap());
    let (sender, driver) = http2::handshake(TokioExecutor::new(), stream)
        .await
        .unwrap();
    let mut connection = JoinSet::new();
    connection.spawn(driver);
    (sender, connection)
}

fn call(address: SocketAddr, path: &str) -> Request<Empty<Bytes>> {
    let request = Request::get(format!("http://{address}{path}"));
    request.body(Empty::new()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_public_peer_has_two_seconds_for_its_first_byte_and_a_minute_for_a_request() {
    let (address, _stop) = start_public().await;
    let silent = time_until_closed(address, b"").await;
    assert_eq!(silent.as_secs(), 2);
    // The beginning of the preface of HTTP/2, and of a request of HTTP/1.1.
    for sent in [&b"PRI"[..], b"GET / HT"] {
        let hesitant = time_until_closed(address, sent).await;
        assert!(hesitant.as_secs() <= 66, "{hesitant:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn idle_public_http_2_is_closed_after_a_minute_and_open_streams_are_not() {
    let (address, _stop) = start_public().await;
    let (mut sender, mut idle) = http2_client(address).await;
    let response = sender.send_request(call(address, "/")).await.unwrap();
    drop(response);
    let begun = Instant::now();
    let end = idle.join_next().await.unwrap().unwrap();
    let took = begun.elapsed().as_secs();
    assert!(end.is_ok() && (60..=66).contains(&took), "{end:?} {took}");
    let waiting = b"GET /open HTTP/1.1\r\nhost: x\r\n\r\n";
    let open = timeout(
        Duration::from_secs(600),
        time_until_closed(address, waiting),
    );
    let end = open.await;
    assert!(end.is_err(), "a request under way was cut: {end:?}");
}

#[tokio::test]
async fn no_more_than_80_kib_of_a_connection_are_read_ahead() {
    let (address, _stop) = start_public().await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = 4 << 20;
    let head = format!(
        "POST /pieces HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![7; length]).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (_, largest) = answer.rsplit_once("\r\n\r\n").unwrap();
    let largest: usize = largest.parse().unwrap();
    assert!(largest <= 80 << 10, "{largest}");
}
