//! What a router builds: any HTTP service behind the same layers, on the same connections.

use std::{convert::Infallible, net::SocketAddr};

use causeway_shell::{
    Shell, TestStop,
    layer::{
        panics::PanicLayer,
        shed::ShedLayer,
        trace::{RpcPath, TraceLayer},
    },
    serve_http,
};
use http::{Request, Response};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
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
