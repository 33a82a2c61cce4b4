//! A runtime whose folder was lost joins again: it stays what it is, and its former keys open nothing.

use std::time::Duration;

use causeway_client::{Credential, RuntimeIdentity};
use causeway_proto::{
    inventory::v1::report_service_client::ReportServiceClient,
    platform::v1::{AuditRecord, ListAuditRecordsRequest, ListRuntimesRequest, Outcome},
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, wait_until};
use futures::{StreamExt as _, stream};
use tokio::time::Instant;

use crate::{
    action::until_reached,
    isolation::{assert_refused, ended, hello, report_at, tunnels},
    world::{PATIENCE, application, create, list, told, until_told},
};

/// Time enough for a client to dial again several times.
const DIALS: Duration = Duration::from_secs(5);

fn own(identity: &RuntimeIdentity) -> Credential {
    Credential::runtime(
        identity.key.clone().unwrap(),
        identity.account.clone(),
        identity.runtime_id.clone(),
    )
}

async fn joins(mesh: &Mesh) -> Vec<AuditRecord> {
    let request = ListAuditRecordsRequest {
        page_size: 100,
        ..ListAuditRecordsRequest::default()
    };
    let mut audit = mesh.audit();
    let listed = audit.list_audit_records(request).await.unwrap();
    let mut records = listed.into_inner().records;
    records.retain(|record| record.method.ends_with("/Join"));
    records
}

#[tokio::test(flavor = "multi_thread")]
async fn rejoined_runtime_has_new_keys_and_old_ones_are_rejected() {
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    for name in ["a", "b"] {
        create(mesh.sandbox(), &application(mesh.sandbox(), name)).await;
    }
    until_told(&mesh).await;
    let former = own(&mesh.runtime.identity);
    let id = mesh.runtime.identity.runtime_id.clone();
    let mut reports = ReportServiceClient::new(mesh.peer(&mesh.inventory, former.clone()));
    let hello = stream::iter([hello()]).chain(stream::pending());
    let mut voice = reports.report(hello).await.unwrap().into_inner();
    assert!(voice.message().await.unwrap().is_some());
    mesh.runtime.reporter.stop().await;
    let before = told(&list(&mesh, "east").await.unwrap());

    let thieves: Vec<_> = tunnels(&mesh)
        .await
        .into_iter()
        .map(|it| it.client)
        .collect();
    assert!(!thieves.is_empty());
    let thief = mesh.join_again().await;
    let rejoined = Instant::now();
    assert_eq!(mesh.runtime.identity.runtime_id, id);
    assert_refused("the stream of the former key", ended(voice).await);
    let refused = report_at(&mesh, &mesh.inventory, former).await;
    assert_refused("the former key reports", refused);
    // The thief's tunnel client has the former key, and dials again and again.
    let one_is_left = async || match tunnels(&mesh).await {
        open if !open.is_empty() && open.iter().all(|it| !thieves.contains(&it.client)) => Ok(()),
        open => Err(format!("{open:?}")),
    };
    wait_until("only the new client has tunnels", PATIENCE, one_is_left).await;
    let mut looks = tokio::time::interval(Duration::from_millis(100));
    while rejoined.elapsed() < DIALS {
        looks.tick().await;
        assert_eq!(one_is_left().await, Ok(()));
    }
    until_reached(&mesh, "a").await;

    let request = ListRuntimesRequest::default();
    let shown = mesh.runtimes().list_runtimes(request).await.unwrap();
    let shown = shown.into_inner().runtimes;
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert_eq!(shown[0].runtime_id, id.as_str());
    let after = until_told(&mesh).await;
    assert!(before.keys().all(|name| after.contains_key(name)));
    let joins = joins(&mesh).await;
    assert_eq!(joins.len(), 2, "{joins:?}");
    assert_eq!(joins[0].outcome(), Outcome::Succeeded);
    assert_eq!(joins[0].message, "its former keys count no more");
    assert_eq!(joins[0].runtime, "east");
    thief.stop().await;
    mesh.stop().await;
}
