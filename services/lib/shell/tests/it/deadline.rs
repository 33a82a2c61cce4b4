use std::time::Duration;

use causeway_proto::{inventory::v1 as inventory, platform::v1 as pb};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper_util::rt::{TokioExecutor, TokioIo};
use inventory::application_service_client::ApplicationServiceClient;
use pb::api_key_service_client::ApiKeyServiceClient;
use tokio::net::TcpStream;
use tonic::{Code, Status};

use crate::stage::{LIST, Stage, WATCH, claims};

const SHORT: Duration = Duration::from_millis(50);

/// By hand, since the client of tonic ends such a call itself, and as cancelled.
#[tokio::test]
async fn caller_timeout_is_deadline_exceeded() {
    let stage = Stage::start().await;
    let stream = TcpStream::connect(stage.address).await.unwrap();
    let (mut client, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
    stage.shell.tasks().spawn("client", async move {
        connection.await.unwrap();
    });
    let token = stage.key.sign(&claims(LIST)).unwrap();
    let empty_message = Full::new(Bytes::from_static(&[0; 5]));
    let request = http::Request::post(format!("http://{}{LIST}", stage.address))
        .header("content-type", "application/grpc")
        .header("grpc-timeout", "50m")
        .header("authorization", format!("Bearer {token}"))
        .body(empty_message)
        .unwrap();
    let response = client.send_request(request).await.unwrap();
    assert_eq!(response.status(), http::StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "application/grpc");
    let status = Status::from_header_map(response.headers()).unwrap();
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
}

#[tokio::test]
async fn unary_call_without_timeout_ends_at_the_maximum() {
    let stage = Stage::start_with(|server| server.max_call_duration(SHORT)).await;
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    let request = stage.read(LIST, pb::ListApiKeysRequest::default());
    let status = client.list_api_keys(request).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
}

#[tokio::test]
async fn stream_ends_only_at_the_caller_timeout() {
    let stage = Stage::start_with(|server| server.max_call_duration(Duration::ZERO)).await;
    let mut client = ApplicationServiceClient::new(stage.channel().await);
    let mut request = stage.read(WATCH, inventory::WatchApplicationsRequest::default());
    let timeout = "60S".parse().unwrap();
    request.metadata_mut().insert("grpc-timeout", timeout);
    let mut events = client
        .watch_applications(request)
        .await
        .unwrap()
        .into_inner();
    assert!(events.message().await.unwrap().is_some());
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(60)).await;
    tokio::time::resume();
    let status = events.message().await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
}

#[tokio::test]
async fn malformed_timeout_is_rejected() {
    let stage = Stage::start().await;
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    let mut request = stage.read(LIST, pb::ListApiKeysRequest::default());
    request
        .metadata_mut()
        .insert("grpc-timeout", "soon".parse().unwrap());
    let status = client.list_api_keys(request).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
}
