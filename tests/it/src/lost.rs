//! A change whose router ended between asking whether it may go on and telling how it ended.

use causeway_proto::platform::v1::{
    AuditRecord, AuthorizeRequest, ListAuditRecordsRequest, Outcome,
    authorization_service_client::AuthorizationServiceClient,
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, new_id, wait_until};

use crate::{
    containment::database::{run, stolen, verify},
    world::PATIENCE,
};

const SYNC: &str = "/causeway.proxy.v1.ApplicationActionService/SyncApplication";

async fn records(mesh: &Mesh, request: ListAuditRecordsRequest) -> Vec<AuditRecord> {
    let listed = mesh.audit().list_audit_records(request).await;
    listed.unwrap().into_inner().records
}

#[tokio::test(flavor = "multi_thread")]
async fn call_of_a_dead_router_is_pending_then_unknown() {
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    // A router asks, and is heard of no more.
    let router = mesh.peer(&mesh.platform, mesh.platform_credential("request-router"));
    let request_id = new_id();
    let question = AuthorizeRequest {
        credential: mesh.admin_key(),
        method: SYNC.to_owned(),
        runtime: "east".to_owned(),
        request_digest: vec![7; 32].into(),
        request_id: request_id.clone(),
        ..AuthorizeRequest::default()
    };
    let mut authorization = AuthorizationServiceClient::new(router);
    let permit = authorization.authorize(question).await.unwrap();
    let audit_id = permit.into_inner().audit_id;
    let of_request = || ListAuditRecordsRequest {
        request_id: request_id.clone(),
        ..ListAuditRecordsRequest::default()
    };
    let pending = ListAuditRecordsRequest {
        pending: true,
        ..of_request()
    };
    let told = records(&mesh, pending.clone()).await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].audit_id, audit_id);
    assert_eq!(told[0].outcome(), Outcome::Unspecified);

    // Two hours later; what is not in the chain may be changed without breaking it.
    mesh.platform.stop().await;
    let mut database = stolen(&mesh).await;
    let later = "UPDATE audit_open SET written_at = written_at - 7200000";
    assert!(run(&mut database, later).await > 0);
    drop(database);
    mesh.platform.start_again().await;
    let ended = wait_until("the outcome is told", PATIENCE, async || {
        let told = records(&mesh, of_request()).await;
        let ended = told.into_iter().find(|it| it.ended_at.is_some());
        ended.ok_or_else(|| "it is pending".to_owned())
    })
    .await;
    assert_eq!(ended.outcome(), Outcome::Unknown);
    assert!(ended.message.contains("never"), "{}", ended.message);
    assert!(records(&mesh, pending).await.is_empty());
    let unknown = ListAuditRecordsRequest {
        outcome: Outcome::Unknown.into(),
        ..ListAuditRecordsRequest::default()
    };
    let told = records(&mesh, unknown).await;
    assert!(told.iter().any(|it| it.audit_id == audit_id), "{told:?}");
    verify(&mesh).await.unwrap();
    mesh.stop().await;
}
