use causeway_proto::{error::v1::Reason, platform::v1 as pb};
use pb::api_key_service_client::ApiKeyServiceClient;
use tonic::Code;
use tonic_types::StatusExt as _;

use crate::stage::{LIST, Stage};

#[tokio::test]
async fn calls_over_the_limit_are_rejected_but_health_is_not() {
    let stage = Stage::start_with(|server| server.max_concurrent_calls(2)).await;
    let channel = stage.channel().await;
    let list = || {
        let mut client = ApiKeyServiceClient::new(channel.clone());
        let request = stage.read(LIST, pb::ListApiKeysRequest::default());
        async move { client.list_api_keys(request).await }
    };
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..3 {
        calls.spawn(list());
    }
    let refused = calls.join_next().await.unwrap().unwrap().unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    let info = refused.get_details_error_info().unwrap();
    assert_eq!(info.reason, Reason::Overloaded.code());
    let mut health = tonic_health::pb::health_client::HealthClient::new(channel.clone());
    let request = tonic_health::pb::HealthCheckRequest::default();
    health.check(request).await.unwrap();
    stage.gate.add_permits(2);
    while let Some(call) = calls.join_next().await {
        call.unwrap().unwrap();
    }
    stage.gate.add_permits(1);
    list().await.unwrap();
}
