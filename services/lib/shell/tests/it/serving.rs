use causeway_assertion::SigningKey;
use causeway_proto::platform::v1::api_key_service_server::ApiKeyServiceServer;
use causeway_proto::{method::methods, platform::v1 as pb};
use causeway_shell::{Access, Shell};
use tokio_stream::StreamExt as _;
use tonic::Code;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::stage::{CREATE, REVOKE, Stage, access, named};

#[tokio::test]
async fn health_follows_readiness_of_the_whole_and_of_each_service() {
    let stage = Stage::start().await;
    let mut health = HealthClient::new(stage.channel().await);
    let handle = stage.shell.ready_handle("the store");
    for service in ["", "causeway.platform.v1.ApiKeyService"] {
        let request = HealthCheckRequest {
            service: service.to_owned(),
        };
        let mut watch = health.watch(request).await.unwrap().into_inner();
        let wanted = async |watch: &mut tonic::Streaming<_>, wanted: ServingStatus| {
            while let Some(status) = watch.next().await {
                let status: tonic_health::pb::HealthCheckResponse = status.unwrap();
                if status.status() == wanted {
                    return;
                }
            }
            panic!("the watch ended");
        };
        wanted(&mut watch, ServingStatus::NotServing).await;
    }
    drop(handle);
    let request = HealthCheckRequest::default();
    let mut watch = health.watch(request).await.unwrap().into_inner();
    while let Some(status) = watch.next().await {
        if status.unwrap().status() == ServingStatus::Serving {
            break;
        }
    }
    stage.stop.request();
    let last = watch.next().await.unwrap().unwrap();
    assert_eq!(last.status(), ServingStatus::NotServing);
}

#[tokio::test]
async fn reflection_v1_lists_the_contract_and_keeps_its_options() {
    use tonic_reflection::pb::v1::{
        ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
        server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
    };
    let stage = Stage::start().await;
    let mut client = ServerReflectionClient::new(stage.channel().await);
    let ask = |request| ServerReflectionRequest {
        host: String::new(),
        message_request: Some(request),
    };
    let requests = [
        ask(MessageRequest::ListServices(String::new())),
        ask(MessageRequest::FileContainingSymbol(
            "causeway.platform.v1.ApiKeyService".to_owned(),
        )),
    ];
    let answers = client
        .server_reflection_info(tokio_stream::iter(requests))
        .await
        .unwrap();
    let mut answers = answers
        .into_inner()
        .map(|answer| answer.unwrap().message_response);
    let Some(Some(MessageResponse::ListServicesResponse(services))) = answers.next().await else {
        panic!("no list of services");
    };
    let names: Vec<_> = services
        .service
        .into_iter()
        .map(|service| service.name)
        .collect();
    for name in [
        "causeway.platform.v1.ApiKeyService",
        "grpc.health.v1.Health",
    ] {
        assert!(names.iter().any(|found| found == name), "{names:?}");
    }
    let Some(Some(MessageResponse::FileDescriptorResponse(files))) = answers.next().await else {
        panic!("no descriptor");
    };
    let permission = b"apiKey";
    let kept = files.file_descriptor_proto[0]
        .windows(permission.len())
        .any(|window| window.eq_ignore_ascii_case(permission));
    assert!(kept, "the options of the contract are lost");
}

#[tokio::test]
async fn reflection_v1alpha_lists_the_contract() {
    use tonic_reflection::pb::v1alpha::{
        ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
        server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
    };
    let stage = Stage::start().await;
    let mut client = ServerReflectionClient::new(stage.channel().await);
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let answers = client
        .server_reflection_info(tokio_stream::once(request))
        .await
        .unwrap();
    let answer = answers.into_inner().next().await.unwrap().unwrap();
    assert!(matches!(
        answer.message_response,
        Some(MessageResponse::ListServicesResponse(services)) if services.service.len() > 5
    ));
}

#[tokio::test]
async fn a_panic_fails_one_call_and_not_the_connection() {
    let stage = Stage::start().await;
    let mut client = pb::api_key_service_client::ApiKeyServiceClient::new(stage.channel().await);
    let request = stage.mutation(REVOKE, pb::RevokeApiKeyRequest::default());
    let status = client.revoke_api_key(request).await.unwrap_err();
    assert_eq!(status.code(), Code::Internal);
    assert_eq!(status.message(), "internal error");
    let request = stage.mutation(CREATE, named("ci"));
    client.create_api_key(request).await.unwrap();
}

#[tokio::test]
async fn service_with_a_method_without_access_rule_does_not_start() {
    let key = SigningKey::generate().unwrap();
    let verifier = access(&key).verifier().clone();
    let rows = methods().values().filter(|row| row.path != REVOKE).cloned();
    let (shell, _stop) = Shell::for_test("platform");
    let server = shell
        .server(Access::from_methods(verifier, rows))
        .add(ApiKeyServiceServer::new(Absent));
    let error = server.into_service().err().unwrap().to_string();
    assert!(
        error.starts_with(REVOKE) && error.contains("has no access rule"),
        "{error}"
    );
}

struct Absent;

#[tonic::async_trait]
impl pb::api_key_service_server::ApiKeyService for Absent {
    async fn create_api_key(
        &self,
        _: tonic::Request<pb::CreateApiKeyRequest>,
    ) -> Result<tonic::Response<pb::CreateApiKeyResponse>, tonic::Status> {
        unreachable!()
    }

    async fn list_api_keys(
        &self,
        _: tonic::Request<pb::ListApiKeysRequest>,
    ) -> Result<tonic::Response<pb::ListApiKeysResponse>, tonic::Status> {
        unreachable!()
    }

    async fn rotate_api_key(
        &self,
        _: tonic::Request<pb::RotateApiKeyRequest>,
    ) -> Result<tonic::Response<pb::RotateApiKeyResponse>, tonic::Status> {
        unreachable!()
    }

    async fn revoke_api_key(
        &self,
        _: tonic::Request<pb::RevokeApiKeyRequest>,
    ) -> Result<tonic::Response<pb::RevokeApiKeyResponse>, tonic::Status> {
        unreachable!()
    }
}
