//! Who may not: another runtime, a runtime in a user's place, a key that is wrong, absent or revoked.

use std::time::Duration;

use causeway_assertion::{Audience, Claims, Scope, Subject};
use causeway_client::{Credential, Peer, RuntimeIdentity, reason};
use causeway_proto::{
    error::v1::Reason,
    inventory::v1::{
        GetApplicationRequest, Hello, ReportRequest, WatchApplicationsRequest,
        application_service_client::ApplicationServiceClient, report_request::Message,
        report_service_client::ReportServiceClient,
    },
    platform::v1::{
        AuthorizeRequest, CreateApiKeyRequest, RevokeApiKeyRequest, RevokeRuntimeRequest,
        authorization_service_client::AuthorizationServiceClient,
    },
    proxy::v1::{
        SyncApplicationRequest, application_action_service_client::ApplicationActionServiceClient,
    },
    tunnel::v1::{ListSessionsRequest, TunnelSession, tunnel_service_client::TunnelServiceClient},
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, Part, new_id, wait_until};
use futures::{StreamExt as _, stream};
use prost::Message as _;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use tonic::{Code, Status, Streaming};

use crate::{
    action::{order, sync},
    world::{application, create, list, list_by, until_told},
};

/// Three times what is promised, for a machine that is busy, and far less than an assertion lives: where nobody is told of a
/// revocation, all that it ends goes on for a minute.
pub(crate) const RECALLED: Duration = Duration::from_secs(15);
/// Time enough for a client to dial again several times.
const DIALS: Duration = Duration::from_secs(5);
const SYNC: &str = "/causeway.proxy.v1.ApplicationActionService/SyncApplication";

/// What the platform's router would show to `east` for the admin's sync.
pub(crate) async fn assertion(mesh: &Mesh, order: &SyncApplicationRequest) -> String {
    let router = mesh.platform_credential("request-router");
    let platform = mesh.peer(&mesh.platform, router);
    let question = AuthorizeRequest {
        credential: mesh.admin_key(),
        method: SYNC.to_owned(),
        runtime: "east".to_owned(),
        request_digest: Sha256::digest(order.encode_to_vec()).to_vec().into(),
        request_id: order.request_id.clone(),
        ..AuthorizeRequest::default()
    };
    let mut authorization = AuthorizationServiceClient::new(platform);
    let answer = authorization.authorize(question).await;
    answer.unwrap().into_inner().assertion
}

async fn sync_at(
    mesh: &Mesh,
    part: &Part,
    credential: Credential,
    order: &SyncApplicationRequest,
) -> Result<(), Status> {
    let mut actions = ApplicationActionServiceClient::new(mesh.peer(part, credential));
    actions.sync_application(order.clone()).await.map(drop)
}

pub(crate) fn hello() -> ReportRequest {
    ReportRequest {
        message: Some(Message::Hello(Hello {
            instance: new_id(),
            kind: "applications.argoproj.io".to_owned(),
            cluster: "in-cluster".to_owned(),
            store_identity: "one".to_owned(),
            ..Hello::default()
        })),
    }
}

/// Waits until an open stream ends, and gives its end.
pub(crate) async fn ended<T>(mut stream: Streaming<T>) -> Result<(), Status> {
    let end = tokio::time::timeout(RECALLED, async {
        loop {
            match stream.message().await {
                Ok(Some(_)) => {}
                end => return end.map(drop),
            }
        }
    });
    end.await.expect("the stream ends in time")
}

/// The tunnels that the server holds.
pub(crate) async fn tunnels(mesh: &Mesh) -> Vec<TunnelSession> {
    let router = mesh.platform_credential("request-router");
    let server = mesh.peer(&mesh.tunnel_server, router);
    let mut client = TunnelServiceClient::new(server);
    let answer = client.list_sessions(ListSessionsRequest::default()).await;
    answer.unwrap().into_inner().sessions
}

/// Waits until no tunnel is open.
pub(crate) async fn until_without_tunnels(mesh: &Mesh) {
    wait_until("the tunnel ends", RECALLED, async || {
        match tunnels(mesh).await {
            open if open.is_empty() => Ok(()),
            open => Err(format!("{open:?}")),
        }
    })
    .await;
}

pub(crate) async fn report_at(
    mesh: &Mesh,
    part: &Part,
    credential: Credential,
) -> Result<(), Status> {
    let mut reports = ReportServiceClient::new(mesh.peer(part, credential));
    let answers = reports.report(stream::iter([hello()])).await?;
    answers.into_inner().message().await.map(drop)
}

/// A user's sync of `east`, signed by the key of a runtime.
fn forged(mesh: &Mesh, by: &RuntimeIdentity, order: &SyncApplicationRequest) -> Credential {
    let east = &mesh.runtime.identity;
    let audience = Audience {
        account: east.account.clone(),
        runtime: Some(east.runtime_id.clone()),
        part: "app-proxy".parse().unwrap(),
    };
    let user = Subject::User("admin".parse().unwrap());
    let claims = Claims::for_read("platform", user, audience, SYNC, Duration::from_secs(60));
    let claims = claims
        .for_one_request(&order.encode_to_vec(), order.request_id.parse().unwrap())
        .with_scope(Scope::everything("admin"));
    Credential::api_key(&by.key.as_ref().unwrap().sign(&claims).unwrap())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "callers make the answer in place"
)]
pub(crate) fn assert_refused(what: &str, answer: Result<(), Status>) {
    let code = answer.as_ref().err().map(Status::code);
    let refused = matches!(code, Some(Code::Unauthenticated | Code::PermissionDenied));
    assert!(refused, "{what}: {answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn runtime_cannot_impersonate_a_runtime_or_user() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let west = mesh.join("west", SandboxOptions::in_memory()).await;
    for sandbox in [mesh.sandbox(), west.sandbox()] {
        create(sandbox, &application(sandbox, "a")).await;
    }
    let east = &mesh.runtime.identity;
    let as_east = Credential::runtime(
        west.identity.key.clone().unwrap(),
        east.account.clone(),
        east.runtime_id.clone(),
    );
    for part in [&mesh.inventory, &mesh.router] {
        assert_refused(
            "west reports as east",
            report_at(&mesh, part, as_east.clone()).await,
        );
    }

    let order = order("a");
    let for_east = Credential::api_key(&assertion(&mesh, &order).await);
    let answer = sync_at(&mesh, &west.app_proxy, for_east.clone(), &order).await;
    let status = answer.clone().unwrap_err();
    assert_refused("an assertion for east at west", answer);
    assert_eq!(reason(&status), Some(Reason::AudienceMismatch), "{status}");
    for by in [east, &west.identity] {
        let forged = forged(&mesh, by, &order);
        let answer = sync_at(&mesh, &mesh.runtime.app_proxy, forged, &order).await;
        assert_refused("a runtime signs for a user", answer);
    }
    let part = Credential::runtime_part(
        east.key.clone().unwrap(),
        east.account.clone(),
        east.runtime_id.clone(),
        "source-server".parse().unwrap(),
    );
    let answer = sync_at(&mesh, &mesh.runtime.app_proxy, part, &order).await;
    assert_refused("a part of the runtime syncs", answer);

    let told = list(&mesh, "east").await.unwrap();
    assert!(told.iter().all(|it| it.runtime == "east"), "{told:?}");
    west.stop().await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_and_absent_keys_are_rejected() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    let wrong = format!("cwk_{}", "A".repeat(43));
    for credential in [
        Credential::None,
        Credential::api_key(&wrong),
        Credential::api_key("x"),
    ] {
        let peer = mesh.peer(&mesh.router, credential);
        let mut reads = ApplicationServiceClient::new(peer.clone());
        let read = list_by(&mut reads, "east").await.unwrap_err();
        assert_eq!(read.code(), Code::Unauthenticated, "{read}");
        let actions = ApplicationActionServiceClient::new(peer);
        let acted = sync(&actions, "a").await.unwrap_err();
        assert_eq!(acted.code(), Code::Unauthenticated, "{acted}");
    }
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_ends_reads_and_watches() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    let request = CreateApiKeyRequest {
        display_name: "guest".to_owned(),
        request_id: new_id(),
        ..CreateApiKeyRequest::default()
    };
    let made = mesh
        .api_keys()
        .create_api_key(request)
        .await
        .unwrap()
        .into_inner();
    let guest: Peer = mesh.peer(&mesh.router, Credential::api_key(&made.secret));
    let mut reads = ApplicationServiceClient::new(guest);
    assert_eq!(list_by(&mut reads, "east").await.unwrap().len(), 1);
    let watch = reads.watch_applications(WatchApplicationsRequest::default());
    let mut watch = watch.await.unwrap().into_inner();
    assert!(watch.message().await.unwrap().is_some());

    let request = RevokeApiKeyRequest {
        key_id: made.api_key.unwrap().key_id,
        request_id: new_id(),
    };
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
    let request = GetApplicationRequest {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: "a".to_owned(),
        ..GetApplicationRequest::default()
    };
    let refused = reads.get_application(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated, "{refused}");
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_runtime_loses_tunnel_and_reports() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    let east = &mesh.runtime.identity;
    let own = Credential::runtime(
        east.key.clone().unwrap(),
        east.account.clone(),
        east.runtime_id.clone(),
    );
    let mut reports = ReportServiceClient::new(mesh.peer(&mesh.inventory, own.clone()));
    let hello = stream::iter([hello()]).chain(stream::pending());
    let mut voice = reports.report(hello).await.unwrap().into_inner();
    assert!(voice.message().await.unwrap().is_some());
    let revoke = RevokeRuntimeRequest {
        name: "east".to_owned(),
        request_id: new_id(),
    };
    assert!(!tunnels(&mesh).await.is_empty());
    mesh.runtimes().revoke_runtime(revoke).await.unwrap();
    let revoked = Instant::now();
    assert_refused("the open stream of reports", ended(voice).await);
    until_without_tunnels(&mesh).await;
    assert!(sync(&mesh.actions(), "a").await.is_err());
    assert_refused(
        "the revoked runtime reports",
        report_at(&mesh, &mesh.inventory, own).await,
    );
    // It dials again at once, and again.
    let mut looks = tokio::time::interval(Duration::from_millis(100));
    while revoked.elapsed() < DIALS {
        looks.tick().await;
        assert!(tunnels(&mesh).await.is_empty(), "it is back");
    }
    mesh.stop().await;
}
