//! gRPC through the router.

use std::net::SocketAddr;

use causeway_proto::{
    inventory::v1::{
        self as inventory, application_service_client::ApplicationServiceClient,
        report_service_client::ReportServiceClient,
    },
    proxy::v1::{self as proxy, application_action_service_client::ApplicationActionServiceClient},
};
use http_body_util::Full;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Code, Request,
    transport::{Channel, Endpoint},
};
use tonic_types::StatusExt as _;

use crate::{
    caller::{request, send},
    stack::{KEY, Stack, soon},
};

/// A JWT by its form: {"aud": "default/rt-1/app-proxy"}.
const ASSERTION: &str = "Bearer eyJhIjoxfQ.eyJhdWQiOiJkZWZhdWx0L3J0LTEvYXBwLXByb3h5In0.c2ln";

pub(crate) async fn channel(router: SocketAddr) -> Channel {
    let endpoint = Endpoint::try_from(format!("http://{router}")).unwrap();
    endpoint.connect().await.unwrap()
}

fn with<M>(message: M, authorization: &'static str) -> Request<M> {
    let mut request = Request::new(message);
    let value = authorization.parse().unwrap();
    request.metadata_mut().insert("authorization", value);
    request
}

fn get(name: &str) -> inventory::GetApplicationRequest {
    inventory::GetApplicationRequest {
        runtime: "prod".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        ..Default::default()
    }
}

#[tokio::test]
async fn an_assertion_and_its_call_pass_untouched() {
    let stack = Stack::platform().await;
    let mut client = ApplicationServiceClient::new(channel(stack.router).await);
    let answer = client
        .get_application(with(get("web"), ASSERTION))
        .await
        .unwrap();
    assert_eq!(answer.into_inner().application.unwrap().name, "web");
    assert_eq!(
        stack.peers.last_seen().header("authorization"),
        Some(ASSERTION)
    );
    assert!(
        stack.peers.questions.lock().unwrap().is_empty(),
        "nobody was asked"
    );
    let status = client
        .get_application(with(get("missing"), ASSERTION))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    assert_eq!(
        status.get_details_error_info().unwrap().reason,
        "APPLICATION_UNKNOWN"
    );
}

#[tokio::test]
async fn only_listed_headers_pass() {
    let stack = Stack::platform().await;
    let mut client = ApplicationServiceClient::new(channel(stack.router).await);
    let mut request = with(get("web"), ASSERTION);
    for name in ["causeway-runtime", "causeway-subject", "x-user", "cookie"] {
        request
            .metadata_mut()
            .insert(name, "forged".parse().unwrap());
    }
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    request
        .metadata_mut()
        .insert("traceparent", parent.parse().unwrap());
    client.get_application(request).await.unwrap();
    let seen = stack.peers.last_seen();
    for name in ["causeway-runtime", "causeway-subject", "x-user", "cookie"] {
        assert_eq!(seen.header(name), None, "{name}");
    }
    assert!(
        seen.header("traceparent")
            .unwrap()
            .contains("0af7651916cd43dd8448eb211c80319c")
    );
    assert!(
        seen.header("grpc-timeout").is_some(),
        "a unary call has a deadline"
    );
}

#[tokio::test]
async fn both_directions_stream() {
    let stack = Stack::platform().await;
    let mut client = ReportServiceClient::new(channel(stack.router).await);
    let (reports, requests) = tokio::sync::mpsc::channel(1);
    let request = with(ReceiverStream::new(requests), ASSERTION);
    let mut answers = soon(client.report(request)).await.unwrap().into_inner();
    for sequence in 1..=3 {
        let report = inventory::Report {
            sequence,
            ..Default::default()
        };
        let message = Some(inventory::report_request::Message::Report(report));
        reports
            .send(inventory::ReportRequest { message })
            .await
            .unwrap();
        let answer = soon(answers.message()).await.unwrap().unwrap();
        let acknowledged = inventory::Acknowledged {
            sequences: vec![sequence],
        };
        let expected = inventory::report_response::Message::Acknowledged(acknowledged);
        assert_eq!(answer.message, Some(expected));
    }
    reports
        .send(inventory::ReportRequest::default())
        .await
        .unwrap();
    let status = soon(answers.message()).await.unwrap_err();
    assert_eq!(status.code(), Code::Aborted);
    assert_eq!(stack.peers.last_seen().header("grpc-timeout"), None);
}

#[tokio::test]
async fn a_caller_that_leaves_ends_the_stream_at_the_part() {
    let mut stack = Stack::platform().await;
    let mut client = ApplicationServiceClient::new(channel(stack.router).await);
    let request = with(inventory::WatchApplicationsRequest::default(), ASSERTION);
    let answers = client.watch_applications(request).await.unwrap();
    let held = soon(stack.events.watches.recv()).await.unwrap();
    drop(answers);
    soon(held.closed()).await;
}

#[tokio::test]
async fn a_call_into_a_runtime_goes_to_the_tunnel_with_its_route() {
    let stack = Stack::platform().await;
    let mut client = ApplicationActionServiceClient::new(channel(stack.router).await);
    let request = with(proxy::GetLiveApplicationRequest::default(), ASSERTION);
    client.get_live_application(request).await.unwrap();
    let seen = stack.peers.last_seen();
    assert_eq!(seen.header("causeway-route"), Some("router"));
    assert_eq!(seen.header("causeway-runtime"), Some("rt-1"));
}

#[tokio::test]
async fn what_is_not_in_the_contract_is_unimplemented() {
    let stack = Stack::platform().await;
    let request = request("POST", "/causeway.inventory.v1.ApplicationService/Nothing")
        .header("content-type", "application/grpc");
    let answer = send(stack.router, request.body(Full::default()).unwrap()).await;
    assert_eq!(answer.headers["grpc-status"], "12");
}

#[tokio::test]
async fn a_runtimes_router_carries_assertions_to_the_runtimes_parts_only() {
    let stack = Stack::runtime().await;
    let channel = channel(stack.router).await;
    let mut inside = ApplicationActionServiceClient::new(channel.clone());
    let live = proxy::GetLiveApplicationRequest::default;
    inside
        .get_live_application(with(live(), ASSERTION))
        .await
        .unwrap();
    assert_eq!(
        stack.peers.last_seen().header("authorization"),
        Some(ASSERTION)
    );
    assert_eq!(stack.peers.last_seen().header("causeway-route"), None);
    let status = inside
        .get_live_application(with(live(), KEY))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated);
    let mut outside = ApplicationServiceClient::new(channel);
    let status = outside
        .get_application(with(get("web"), ASSERTION))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    assert_eq!(stack.peers.seen().len(), 1);
}

#[tokio::test]
async fn a_part_that_is_down_is_told_so_and_found_by_the_next_call_when_it_is_back() {
    let mut stack = Stack::runtime().await;
    let mut client = ApplicationActionServiceClient::new(channel(stack.router).await);
    let live = proxy::GetLiveApplicationRequest::default;
    client
        .get_live_application(with(live(), ASSERTION))
        .await
        .unwrap();
    stack.stop_peers();
    let status = soon(client.get_live_application(with(live(), ASSERTION)))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(
        status.get_details_error_info().unwrap().reason,
        "UPSTREAM_UNAVAILABLE"
    );
    stack.start_peers();
    soon(client.get_live_application(with(live(), ASSERTION)))
        .await
        .unwrap();
}

#[tokio::test]
async fn health_and_reflection_are_open_to_anyone() {
    use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
    use tonic_reflection::pb::v1::{
        ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
        server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
    };
    let stack = Stack::platform().await;
    let channel = channel(stack.router).await;
    let mut health = HealthClient::new(channel.clone());
    for service in ["", "causeway.inventory.v1.ApplicationService"] {
        let service = service.to_owned();
        let answer = health.check(HealthCheckRequest { service }).await.unwrap();
        assert_eq!(answer.into_inner().status, 1);
    }
    let question = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut reflection = ServerReflectionClient::new(channel);
    let answers = reflection
        .server_reflection_info(tokio_stream::once(question))
        .await
        .unwrap();
    let answer = answers.into_inner().message().await.unwrap().unwrap();
    let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response else {
        panic!("{answer:?}");
    };
    let names: Vec<_> = list
        .service
        .iter()
        .map(|service| service.name.as_str())
        .collect();
    assert!(
        names.contains(&"causeway.proxy.v1.ApplicationActionService"),
        "{names:?}"
    );
}

#[tokio::test]
async fn grpc_web_is_answered_over_http_1() {
    let stack = Stack::platform().await;
    let path = "/causeway.inventory.v1.ApplicationService/ListApplications";
    let call = request("POST", path).header("content-type", "application/grpc-web+proto");
    let answer = send(stack.router, call.body(Full::from(vec![0; 5])).unwrap()).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["content-type"], "application/grpc-web+proto");
    let text = String::from_utf8_lossy(&answer.body);
    assert!(
        text.contains("guestbook") && text.contains("grpc-status:0"),
        "{text}"
    );
}

#[tokio::test]
async fn reflection_of_both_versions_knows_every_service_of_the_contract() {
    use tonic_reflection::pb::{v1, v1alpha};
    let stack = Stack::platform().await;
    let channel = channel(stack.router).await;
    let mut services: Vec<_> = causeway_proto::method::methods()
        .values()
        .map(|method| method.descriptor.parent_service().full_name().to_owned())
        .collect();
    services.dedup();
    let questions = services.iter().map(|service| v1::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(
            v1::server_reflection_request::MessageRequest::FileContainingSymbol(service.clone()),
        ),
    });
    let mut reflection = v1::server_reflection_client::ServerReflectionClient::new(channel.clone());
    let questions: Vec<_> = questions.collect();
    let answers = reflection
        .server_reflection_info(tokio_stream::iter(questions))
        .await;
    let mut answers = answers.unwrap().into_inner();
    for service in &services {
        let answer = soon(answers.message())
            .await
            .unwrap()
            .unwrap()
            .message_response;
        let known = matches!(
            answer,
            Some(v1::server_reflection_response::MessageResponse::FileDescriptorResponse(_))
        );
        assert!(known, "{service}");
    }
    let questions = services
        .iter()
        .map(|service| v1alpha::ServerReflectionRequest {
            host: String::new(),
            message_request: Some(
                v1alpha::server_reflection_request::MessageRequest::FileContainingSymbol(
                    service.clone(),
                ),
            ),
        });
    let mut reflection = v1alpha::server_reflection_client::ServerReflectionClient::new(channel);
    let questions: Vec<_> = questions.collect();
    let answers = reflection
        .server_reflection_info(tokio_stream::iter(questions))
        .await;
    let mut answers = answers.unwrap().into_inner();
    for service in &services {
        let answer = soon(answers.message())
            .await
            .unwrap()
            .unwrap()
            .message_response;
        let known = matches!(
            answer,
            Some(v1alpha::server_reflection_response::MessageResponse::FileDescriptorResponse(_))
        );
        assert!(known, "{service}");
    }
}
