use std::time::Duration;

use causeway_proto::{error::v1::Reason, inventory::v1 as inventory, platform::v1 as pb};
use inventory::application_service_client::ApplicationServiceClient;
use pb::api_key_service_client::ApiKeyServiceClient;
use tonic::Code;
use tonic_types::StatusExt as _;

use crate::stage::{LIST, Stage, WATCH};

#[tokio::test]
async fn an_open_stream_ends_with_draining_and_does_not_hold_the_drain() {
    let stage = Stage::start().await;
    let mut client = ApplicationServiceClient::new(stage.channel().await);
    let request = stage.read(WATCH, inventory::WatchApplicationsRequest::default());
    let mut events = client
        .watch_applications(request)
        .await
        .unwrap()
        .into_inner();
    assert!(events.message().await.unwrap().is_some());
    stage.stop.request();
    let end = tokio::time::timeout(Duration::from_secs(60), events.message());
    let status = end.await.unwrap().unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
    let reason = status.get_details_error_info().unwrap().reason;
    assert_eq!(reason, Reason::Draining.code());
    stage.stop.stop().await.unwrap();
}

#[tokio::test]
async fn running_calls_complete_during_the_drain() {
    let stage = Stage::start().await;
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    let request = stage.read(LIST, pb::ListApiKeysRequest::default());
    let mut calls = tokio::task::JoinSet::new();
    calls.spawn(async move { client.list_api_keys(request).await });
    stage.waiting.acquire().await.unwrap().forget();
    stage.stop.request();
    stage.gate.add_permits(1);
    calls.join_next().await.unwrap().unwrap().unwrap();
    stage.stop.stop().await.unwrap();
}

#[tokio::test]
async fn port_is_released_after_the_drain() {
    let stage = Stage::start().await;
    let client = stage.channel().await;
    let address = stage.address;
    stage.stop.stop().await.unwrap();
    drop(client);
    // A child that another test is just starting holds a copy of the socket until it is another program.
    let free = async {
        while causeway_shell::bind("--listen", address).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), free)
        .await
        .unwrap();
}
