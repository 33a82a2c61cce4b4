//! Bodies of requests: who has shown no valid credential makes the router read 64 KiB and no more.

use std::{convert::Infallible, net::SocketAddr};

use bytes::Bytes;
use causeway_proto::inventory::v1 as inventory;
use causeway_shell::ByteBudget;
use futures::{StreamExt as _, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::Incoming,
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message as _;
use tokio::{net::TcpStream, task::JoinSet};
use tonic::{Code, Status};

use crate::{
    caller::{Answer, Version, get, open_by, request, send},
    stack::{Stack, soon},
};

type Endless = UnsyncBoxBody<Bytes, Infallible>;

const LARGE: &str = "/v1/runtimes/prod/applications/argocd/web:sync";
const SYNC: &str = "/causeway.proxy.v1.ApplicationActionService/SyncApplication";
const PUBLIC: &str = "/causeway.platform.v1.KeyService/ListSigningKeys";
const WHO_AM_I: &str = "/causeway.platform.v1.SessionService/WhoAmI";

/// A body that begins so, goes on for a while, and never ends.
fn endless(begin: &[u8], length: usize) -> Endless {
    let begin = Bytes::copy_from_slice(begin);
    let pieces = std::iter::repeat_n(Bytes::from(vec![b' '; 8 << 10]), length / (8 << 10));
    let sent = stream::iter(std::iter::once(begin).chain(pieces));
    let frames = sent.map(|piece| Ok(Frame::data(piece)));
    StreamBody::new(frames.chain(stream::pending())).boxed_unsync()
}

/// The prefix of a gRPC message of 4 MiB.
fn message() -> [u8; 5] {
    [0, 0, 0x40, 0, 0]
}

async fn by_http_1(router: SocketAddr, request: Request<Endless>) -> Response<Incoming> {
    let stream = TokioIo::new(TcpStream::connect(router).await.unwrap());
    let (mut sender, driver) = http1::handshake(stream).await.unwrap();
    let mut connection = JoinSet::new();
    connection.spawn(driver);
    soon(sender.send_request(request)).await.unwrap()
}

async fn by_http_2(router: SocketAddr, mut request: Request<Endless>) -> Status {
    let stream = TokioIo::new(TcpStream::connect(router).await.unwrap());
    let executor = TokioExecutor::new();
    let (mut sender, driver) = http2::handshake(executor, stream).await.unwrap();
    let mut connection = JoinSet::new();
    connection.spawn(driver);
    let uri = format!("http://{router}{}", request.uri());
    *request.uri_mut() = uri.parse().unwrap();
    request.headers_mut().remove("host");
    let response = soon(sender.send_request(request)).await.unwrap();
    Status::from_header_map(response.headers()).unwrap()
}

fn json(credential: Option<&str>) -> http::request::Builder {
    let request = Request::post(LARGE).header("host", "causeway.test");
    let request = request.header("content-type", "application/json");
    match credential {
        Some(credential) => request.header("authorization", credential),
        None => request,
    }
}

fn grpc(path: &str) -> http::request::Builder {
    request("POST", path)
        .header("content-type", "application/grpc")
        .header("te", "trailers")
}

#[tokio::test]
async fn json_without_a_valid_credential_is_refused_before_it_has_arrived() {
    let stack = Stack::platform().await;
    *stack.peers.refusal.lock().unwrap() = Some(Status::unauthenticated("unknown"));
    let forged = "Bearer e30.e30.c2ln";
    for (credential, status) in [
        (None, 401),
        (Some("Bearer cwk_unknown"), 401),
        (Some(forged), 413),
    ] {
        let request = json(credential).header("content-length", 4 << 20);
        let request = request.body(endless(b"{", 128 << 10)).unwrap();
        let answer = by_http_1(stack.router, request).await;
        assert_eq!(answer.status(), status, "{credential:?}");
    }
    assert!(stack.peers.seen().is_empty());
}

#[tokio::test]
async fn grpc_without_a_valid_credential_is_refused_before_it_has_arrived() {
    let stack = Stack::platform().await;
    *stack.peers.refusal.lock().unwrap() = Some(Status::unauthenticated("unknown"));
    let sync = grpc(SYNC).body(endless(&message(), 128 << 10)).unwrap();
    let status = by_http_2(stack.router, sync).await;
    assert_eq!(status.code(), Code::Unauthenticated);
    let questions = stack.peers.questions.lock().unwrap().clone();
    let asked: Vec<_> = questions.iter().map(|it| it.method.as_str()).collect();
    assert_eq!(asked, [WHO_AM_I]);
    assert!(questions[0].going_on);
}

#[tokio::test]
async fn a_call_that_needs_no_credential_takes_64_kib() {
    let stack = Stack::platform().await;
    let public = grpc(PUBLIC).body(endless(&message(), 128 << 10)).unwrap();
    let status = by_http_2(stack.router, public).await;
    assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
    assert!(status.message().contains("64 KiB"), "{status}");
    let body = format!("{{\"x\": \"{}\"}}", "x".repeat(65 << 10));
    let public = Request::post(PUBLIC).header("host", "causeway.test");
    let public = public.header("content-type", "application/json");
    let answer = send(stack.router, public.body(body.into()).unwrap()).await;
    assert_eq!(answer.status, 413, "{answer:?}");
}

#[tokio::test]
async fn a_large_request_of_a_user_is_read_once_the_platform_knows_the_credential() {
    let stack = Stack::platform().await;
    let body = format!("{{\"x\": \"{}\"}}", "x".repeat(1 << 20));
    let large = request("POST", LARGE).header("content-type", "application/json");
    let answer: Answer = send(stack.router, large.body(body.into()).unwrap()).await;
    // It has been read as a whole: what is wrong is its field.
    assert_eq!(answer.status, 400, "{answer:?}");
    let questions = stack.peers.questions.lock().unwrap().clone();
    assert_eq!(questions.len(), 1);
    assert_eq!(questions[0].method, WHO_AM_I);
}

#[tokio::test]
async fn bodies_for_which_there_is_no_memory_are_told_to_come_again() {
    let stack = Stack::platform_with(ByteBudget::new(1 << 20)).await;
    let answer = get(stack.router, "/v1/manifests/00").await;
    assert_eq!(answer.status, 503, "an answer");
    let details = answer.json()["details"].to_string();
    assert!(details.contains("OVERLOADED"), "{details}");
    assert_eq!(answer.headers["retry-after"], "1");
    let body = format!("{{\"x\": \"{}\"}}", "x".repeat(2 << 20));
    let large = request("POST", LARGE).header("content-type", "application/json");
    let answer = send(stack.router, large.body(body.into()).unwrap()).await;
    assert_eq!(answer.status, 503, "a request");
    assert_eq!(answer.headers["retry-after"], "1");
    assert_eq!(answer.headers["causeway-outcome"], "not-delivered");
    let sync = grpc(SYNC).body(endless(&message(), 2 << 20)).unwrap();
    let status = by_http_2(stack.router, sync).await;
    assert_eq!(status.code(), Code::Unavailable, "{status}");
    // What the others held is there again.
    assert_eq!(get(stack.router, "/v1/applications").await.status, 200);
}

#[tokio::test]
async fn an_answer_over_8_mib_is_refused_as_json_and_streamed_by_grpc() {
    let stack = Stack::platform().await;
    let answer = get(stack.router, "/v1/manifests/01").await;
    assert_eq!(answer.status, 200, "5 MiB");
    let answer = get(stack.router, "/v1/manifests/02").await;
    assert_eq!(answer.status, 413);
    assert!(answer.message().contains("8 MiB"), "{answer:?}");
    let manifest = grpc("/causeway.inventory.v1.ApplicationService/GetManifest");
    let asked = inventory::GetManifestRequest {
        digest_hex: "02".to_owned(),
        ..Default::default()
    };
    let mut frame = vec![0, 0, 0, 0, u8::try_from(asked.encoded_len()).unwrap()];
    asked.encode(&mut frame).unwrap();
    let open = open_by(
        Version::Http2,
        stack.router,
        manifest.body(frame.into()).unwrap(),
    )
    .await;
    let whole = soon(open.response.into_body().collect()).await.unwrap();
    assert_eq!(whole.trailers().unwrap()["grpc-status"], "0");
    assert!(whole.to_bytes().len() > 9 << 20);
}
