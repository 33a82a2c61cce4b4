//! Two replicas of the platform on one PostgreSQL: what is revoked on the one ends on the other.

use std::io::Write as _;

use causeway_client::Credential;
use causeway_proto::{
    inventory::v1::{
        WatchApplicationsRequest, application_service_client::ApplicationServiceClient,
        report_service_client::ReportServiceClient,
    },
    platform::v1::{
        Connection, CreateApiKeyRequest, GetRuntimeRequest, RevokeApiKeyRequest,
        RevokeRuntimeRequest, api_key_service_client::ApiKeyServiceClient,
    },
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, Postgres, new_id, wait_until};
use futures::{StreamExt as _, stream};
use tokio::time::Instant;
use tonic::Code;

use crate::{
    isolation::{
        RECALLED, assert_refused, ended, hello, report_at, tunnels, until_without_tunnels,
    },
    world::{PATIENCE, application, create, list_by, until_told},
};

/// Nothing where there is no PostgreSQL.
pub(crate) async fn start(listen: &str) -> Option<Mesh> {
    let database = Postgres::shared()?.database();
    let flags = [
        "--database",
        &database,
        "--database-listen",
        listen,
        "--loopback-issuers",
    ];
    let mesh = Mesh::replicated(&flags.map(str::to_owned), SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    Some(mesh)
}

pub(crate) fn say(what: &str, listen: &str, since: Instant) {
    let took = since.elapsed();
    // A figure for people; whoever runs the tests with --nocapture sees it.
    let _ = writeln!(
        std::io::stderr(),
        "{what}, told to the other replica (LISTEN {listen}): {took:?}"
    );
}

async fn a_key_ends_everywhere(listen: &str) {
    let Some(mesh) = start(listen).await else {
        return;
    };
    let there = &mesh.other.as_ref().unwrap().router;
    let request = CreateApiKeyRequest {
        display_name: "guest".to_owned(),
        request_id: new_id(),
        ..CreateApiKeyRequest::default()
    };
    let made = mesh.api_keys().create_api_key(request).await;
    let made = made.unwrap().into_inner();
    let guest = mesh.peer(there, Credential::api_key(&made.secret));
    let mut reads = ApplicationServiceClient::new(guest);
    assert_eq!(list_by(&mut reads, "east").await.unwrap().len(), 1);
    let watch = reads.watch_applications(WatchApplicationsRequest::default());
    let mut watch = watch.await.unwrap().into_inner();
    assert!(watch.message().await.unwrap().is_some());
    let request = RevokeApiKeyRequest {
        key_id: made.api_key.unwrap().key_id,
        request_id: new_id(),
    };
    let begun = Instant::now();
    mesh.api_keys().revoke_api_key(request).await.unwrap();
    wait_until(
        "the read that was allowed before",
        RECALLED,
        async || match list_by(&mut reads.clone(), "east").await {
            Err(status) if status.code() == Code::Unauthenticated => Ok(()),
            answer => Err(format!("{answer:?}")),
        },
    )
    .await;
    assert_refused("the open watch", ended(watch).await);
    say("a revoked key", listen, begun);
    mesh.stop().await;
}

async fn a_runtime_ends_everywhere(listen: &str) {
    let Some(mesh) = start(listen).await else {
        return;
    };
    let there = &mesh.other.as_ref().unwrap().router;
    let east = &mesh.runtime.identity;
    let own = Credential::runtime(
        east.key.clone().unwrap(),
        east.account.clone(),
        east.runtime_id.clone(),
    );
    let mut reports = ReportServiceClient::new(mesh.peer(there, own.clone()));
    let hello = stream::iter([hello()]).chain(stream::pending());
    let mut voice = reports.report(hello).await.unwrap().into_inner();
    assert!(voice.message().await.unwrap().is_some());
    assert!(!tunnels(&mesh).await.is_empty());
    let revoke = RevokeRuntimeRequest {
        name: "east".to_owned(),
        request_id: new_id(),
    };
    let begun = Instant::now();
    mesh.runtimes().revoke_runtime(revoke).await.unwrap();
    assert_refused("the open stream of reports", ended(voice).await);
    until_without_tunnels(&mesh).await;
    say("a revoked runtime", listen, begun);
    let refused = report_at(&mesh, there, own).await;
    assert_refused("the revoked runtime reports", refused);
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_one_replica_revokes_ends_reads_and_watches_on_the_other() {
    a_key_ends_everywhere("true").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_where_no_word_comes_by_looking_alone() {
    a_key_ends_everywhere("false").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_runtime_loses_tunnel_and_reports_on_the_other_replica() {
    a_runtime_ends_everywhere("true").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_runtime_is_disconnected_without_notifications() {
    a_runtime_ends_everywhere("false").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_change_on_the_other_replica_has_no_second_effect() {
    let Some(mesh) = start("true").await else {
        return;
    };
    let there = &mesh.other.as_ref().unwrap().router;
    let request = CreateApiKeyRequest {
        display_name: "once".to_owned(),
        request_id: new_id(),
        ..CreateApiKeyRequest::default()
    };
    let first = mesh.api_keys().create_api_key(request.clone()).await;
    let first = first.unwrap().into_inner();
    let admin = mesh.peer(there, Credential::api_key(&mesh.admin_key()));
    let again = ApiKeyServiceClient::new(admin)
        .create_api_key(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(again.secret, "");
    assert_eq!(again.api_key.unwrap().key_id, first.api_key.unwrap().key_id);
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tunnels_and_parts_are_shared_between_replicas() {
    let Some(mesh) = start("true").await else {
        return;
    };
    // The tunnel server tells the second replica, and the first one is asked.
    wait_until("the tunnel is shown", PATIENCE, async || {
        let request = GetRuntimeRequest {
            name: "east".to_owned(),
        };
        let answer = mesh.runtimes().get_runtime(request).await;
        let runtime = answer.map_err(|status| status.to_string())?.into_inner();
        let runtime = runtime.runtime.ok_or("none")?;
        if runtime.connection() == Connection::Online {
            return Ok(());
        }
        Err(format!("{:?}", runtime.connection()))
    })
    .await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_with_another_root_key_does_not_start() {
    let Some(postgres) = Postgres::shared() else {
        return;
    };
    let database = postgres.database();
    let flags = ["--database", &database].map(str::to_owned);
    let mesh = Mesh::replicated(&flags, SandboxOptions::in_memory()).await;
    let refusal = mesh.refused_platform("platform-3", &flags).await;
    assert!(refusal.starts_with("--keys "), "{refusal}");
    assert!(refusal.contains("platform-3/keys"), "{refusal}");
    assert!(refusal.contains("replicas share one folder"), "{refusal}");
    assert_eq!(refusal.lines().count(), 1, "{refusal}");
    // With the files of the others it does.
    let keys = mesh.folder().join("platform/keys").display().to_string();
    let flags = [&flags[..], &["--keys".to_owned(), keys]].concat();
    let mut third = mesh.start_platform("platform-3", &flags).await;
    third.stop().await;
    mesh.stop().await;
}
