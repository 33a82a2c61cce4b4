use causeway_assertion::{KeyHolder, PartKey};
use causeway_proto::{error::v1::Reason, ids::RequestId, platform::v1 as pb};
use pb::api_key_service_client::ApiKeyServiceClient;
use prost::Message as _;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;

use crate::stage::{CREATE, LIST, Stage, authorized, claims, named};

#[track_caller]
fn assert_refused(status: &Status, code: Code, reason: Reason) {
    assert_eq!(status.code(), code, "{status:?}");
    let info = status.get_details_error_info().expect("an ErrorInfo");
    assert_eq!(
        (info.domain.as_str(), info.reason.as_str()),
        ("causeway", reason.code())
    );
}

#[tokio::test]
async fn a_mutation_reaches_the_handler_with_its_caller() {
    let stage = Stage::start().await;
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    let response = client
        .create_api_key(stage.mutation(CREATE, named("ci")))
        .await;
    let api_key = response.unwrap().into_inner().api_key.unwrap();
    assert_eq!(api_key.display_name, "ci");
    assert_eq!(api_key.subject, "user:ada");
}

#[tokio::test]
async fn a_read_reuses_its_assertion() {
    let stage = Stage::start().await;
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    stage.gate.add_permits(3);
    let token = stage.key.sign(&claims(LIST)).unwrap();
    for _ in 0..3 {
        let request = authorized(pb::ListApiKeysRequest::default(), &token);
        client.list_api_keys(request).await.unwrap();
    }
}

#[tokio::test]
async fn calls_without_assertion_are_rejected() {
    let stage = Stage::start().await;
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    let status = client
        .list_api_keys(pb::ListApiKeysRequest::default())
        .await
        .unwrap_err();
    assert_refused(&status, Code::Unauthenticated, Reason::CredentialMissing);
    assert!(
        status.message().contains("send `authorization: Bearer"),
        "{status}"
    );
}

#[tokio::test]
async fn mutation_with_reusable_assertion_is_rejected() {
    let stage = Stage::start().await;
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    let status = client
        .create_api_key(stage.read(CREATE, named("ci")))
        .await
        .unwrap_err();
    assert_refused(&status, Code::Unauthenticated, Reason::CredentialInvalid);
}

#[tokio::test]
async fn replayed_mutation_is_rejected() {
    let stage = Stage::start().await;
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    let message = named("ci");
    let claims = claims(CREATE);
    let claims = claims.for_one_request(&message.encode_to_vec(), RequestId::generate());
    let token = stage.key.sign(&claims).unwrap();
    client
        .create_api_key(authorized(message.clone(), &token))
        .await
        .unwrap();
    let status = client
        .create_api_key(authorized(message, &token))
        .await
        .unwrap_err();
    assert_refused(&status, Code::Unauthenticated, Reason::Replayed);
}

#[tokio::test]
async fn modified_request_is_rejected_without_consuming_the_assertion() {
    let stage = Stage::start().await;
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    let message = named("ci");
    let claims = claims(CREATE);
    let claims = claims.for_one_request(&message.encode_to_vec(), RequestId::generate());
    let token = stage.key.sign(&claims).unwrap();
    let status = client
        .create_api_key(authorized(named("root"), &token))
        .await
        .unwrap_err();
    assert_refused(&status, Code::Unauthenticated, Reason::DigestMismatch);
    client
        .create_api_key(authorized(message, &token))
        .await
        .unwrap();
}

#[tokio::test]
async fn compressed_mutation_is_rejected() {
    let stage = Stage::start().await;
    let channel = stage.channel().await;
    let mut client =
        ApiKeyServiceClient::new(channel).send_compressed(tonic::codec::CompressionEncoding::Gzip);
    let request = stage.mutation(CREATE, named("ci"));
    let status = client.create_api_key(request).await.unwrap_err();
    assert_refused(&status, Code::InvalidArgument, Reason::DigestMismatch);
}

#[tokio::test]
async fn oversized_mutation_is_rejected() {
    let stage = Stage::start().await;
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    let request = stage.mutation(CREATE, named(&"x".repeat(4 * 1024 * 1024)));
    let status = client.create_api_key(request).await.unwrap_err();
    assert_refused(&status, Code::ResourceExhausted, Reason::TooLarge);
}

#[tokio::test]
async fn caller_kind_outside_the_access_rule_is_rejected() {
    let stage = Stage::start().await;
    stage.gate.add_permits(1);
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    let mut other = claims(LIST);
    other.iss = "part:platform/inventory".to_owned();
    other.sub = other.iss.parse().unwrap();
    let holder = KeyHolder::platform("inventory".parse().unwrap());
    let key = PartKey::issue(&stage.parts, holder, 60).unwrap();
    let token = key.sign(&other).unwrap();
    let request = authorized(pb::ListApiKeysRequest::default(), &token);
    let status = client.list_api_keys(request).await.unwrap_err();
    assert_refused(&status, Code::PermissionDenied, Reason::PermissionDenied);
}

#[tokio::test]
async fn huge_credential_is_rejected_before_the_handler() {
    let stage = Stage::start().await;
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    let request = authorized(pb::ListApiKeysRequest::default(), &"a".repeat(12 * 1024));
    let status = client.list_api_keys(request).await.unwrap_err();
    assert_refused(&status, Code::Unauthenticated, Reason::CredentialInvalid);
    let request = authorized(pb::ListApiKeysRequest::default(), &"a".repeat(1024 * 1024));
    client.list_api_keys(request).await.unwrap_err();
    stage.gate.add_permits(1);
    let mut client = ApiKeyServiceClient::new(stage.channel().await);
    client
        .list_api_keys(stage.read(LIST, pb::ListApiKeysRequest::default()))
        .await
        .unwrap();
}

#[tokio::test]
async fn an_unknown_method_is_unimplemented() {
    let stage = Stage::start().await;
    let mut client = causeway_proto::proxy::v1::application_action_service_client::ApplicationActionServiceClient::new(
        stage.channel().await,
    );
    let request = stage.mutation(
        "/causeway.proxy.v1.ApplicationActionService/SyncApplication",
        causeway_proto::proxy::v1::SyncApplicationRequest::default(),
    );
    let status = client.sync_application(request).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    let health = tonic_health::pb::health_client::HealthClient::new(stage.channel().await);
    let request = Request::new(tonic_health::pb::HealthCheckRequest::default());
    { health }.check(request).await.unwrap();
}
