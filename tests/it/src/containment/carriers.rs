//! A stolen carrier: a router of either side, or the tunnel server. Each sees what passes through it and signs for nobody.

use causeway_assertion::KeyHolder;
use causeway_assertion::SigningKey;
use causeway_client::{Credential, reason};
use causeway_proto::{
    error::v1::Reason,
    inventory::v1::ListApplicationsRequest,
    platform::v1::{
        AuthorizeRequest, AuthorizeResponse,
        authorization_service_client::AuthorizationServiceClient,
    },
    proxy::v1::application_action_service_client::ApplicationActionServiceClient,
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, Part};
use prost::Message as _;
use tonic::Status;

use super::{LIST, LIVE, SYNC, Thief, issue, list, live, part_of, refused, sync};
use crate::{
    action::order,
    isolation::{assertion, until_without_tunnels},
    world::{application, create, until_told},
};

fn live_of(runtime: &str) -> causeway_proto::proxy::v1::GetLiveApplicationRequest {
    causeway_proto::proxy::v1::GetLiveApplicationRequest {
        runtime: runtime.to_owned(),
        ..live()
    }
}

async fn authorize(
    mesh: &Mesh,
    credential: &str,
    method: &str,
) -> Result<AuthorizeResponse, Status> {
    let router = mesh.peer(&mesh.platform, mesh.platform_credential("request-router"));
    let question = AuthorizeRequest {
        credential: credential.to_owned(),
        method: method.to_owned(),
        runtime: if method == LIST { "" } else { "east" }.to_owned(),
        ..AuthorizeRequest::default()
    };
    let mut authorization = AuthorizationServiceClient::new(router);
    let answer = authorization.authorize(question).await;
    answer.map(tonic::Response::into_inner)
}

/// A read that somebody caught, as it is shown to a part.
async fn read_live(mesh: &Mesh, at: &Part, caught: &str, runtime: &str) -> Result<(), Status> {
    let mut client =
        ApplicationActionServiceClient::new(mesh.peer(at, Credential::api_key(caught)));
    client
        .get_live_application(live_of(runtime))
        .await
        .map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_router_of_the_platform_uses_the_api_keys_that_it_sees_and_signs_for_nobody() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    // What it can: with an API key that came by, all that this key may, until it is revoked.
    let seen = authorize(&mesh, &mesh.admin_key(), LIST).await.unwrap();
    list(&mesh, Credential::api_key(&seen.assertion))
        .await
        .unwrap();
    // What it cannot: have an assertion without one, or with one that it makes up.
    let made_up = format!("cwk_{}", "A".repeat(43));
    for shown in ["", "admin", "user:admin", &made_up, &seen.assertion] {
        refused(shown, authorize(&mesh, shown, LIST).await);
    }
    let parts = mesh.folder().join("platform/keys/parts.pem");
    let issuer = SigningKey::from_pem(&std::fs::read_to_string(parts).unwrap()).unwrap();
    let own = issue(
        &issuer,
        KeyHolder::platform("request-router".parse().unwrap()),
    );
    let (thief, order) = (Thief::of_part(&own), order("a"));
    let asked = ListApplicationsRequest::default();
    for subject in [
        "user:admin",
        "part:platform/tunnel-server",
        "part:platform/platform",
    ] {
        let shown = thief.shows(subject, None, LIST, &asked);
        refused(subject, list(&mesh, shown).await);
        let shown = thief.shows(subject, Some(&mesh.runtime), SYNC, &order);
        refused(
            subject,
            sync(&mesh, &mesh.runtime.app_proxy, shown, &order).await,
        );
    }
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_router_of_a_runtime_acts_for_no_user() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    let identity = mesh.runtime.identity.key.clone().unwrap();
    let own = issue(&identity, part_of(&mesh.runtime, "request-router"));
    let (thief, order) = (Thief::of_part(&own), order("a"));
    for subject in [
        "user:admin",
        "part:runtime/request-router",
        "part:platform/request-router",
    ] {
        let shown = thief.shows(subject, Some(&mesh.runtime), SYNC, &order);
        refused(
            subject,
            sync(&mesh, &mesh.runtime.app_proxy, shown, &order).await,
        );
        let shown = thief.shows(subject, Some(&mesh.runtime), LIVE, &live_of("east"));
        let mut client =
            ApplicationActionServiceClient::new(mesh.peer(&mesh.runtime.app_proxy, shown));
        refused(subject, client.get_live_application(live_of("east")).await);
    }
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_tunnel_server_repeats_reads_for_a_minute_and_changes_nothing() {
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let west = mesh.join("west", SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    // What it can: show a read that passed again, within the life of its assertion, and nothing else by it.
    let proxy = &mesh.runtime.app_proxy;
    let caught = authorize(&mesh, &mesh.admin_key(), LIVE)
        .await
        .unwrap()
        .assertion;
    for _ in 0..2 {
        read_live(&mesh, proxy, &caught, "east").await.unwrap();
    }
    refused(
        "at another runtime",
        read_live(&mesh, &west.app_proxy, &caught, "west").await,
    );
    let order = order("a");
    let status = refused(
        "a read made a mutation",
        sync(&mesh, proxy, Credential::api_key(&caught), &order).await,
    );
    assert_eq!(reason(&status), Some(Reason::AudienceMismatch), "{status}");
    // A changed assertion is none.
    let [head, claims, signature] =
        <[&str; 3]>::try_from(caught.split('.').collect::<Vec<_>>()).unwrap();
    let swapped: String = claims.chars().rev().collect();
    for changed in [
        format!("{head}.{swapped}.{signature}"),
        format!("{head}.{claims}."),
        format!("{head}.{claims}.{}", "A".repeat(signature.len())),
    ] {
        refused(
            "a changed assertion",
            read_live(&mesh, proxy, &changed, "east").await,
        );
    }
    // A mutation that passed is spent on its one request.
    let caught = assertion(&mesh, &order).await;
    let first = sync(&mesh, proxy, Credential::api_key(&caught), &order).await;
    assert!(first.is_ok() || first.is_err_and(|status| reason(&status) != Some(Reason::Replayed)));
    let again = sync(&mesh, proxy, Credential::api_key(&caught), &order).await;
    assert_eq!(reason(&refused("again", again)), Some(Reason::Replayed));
    // It signs for nobody.
    let parts = mesh.folder().join("platform/keys/parts.pem");
    let issuer = SigningKey::from_pem(&std::fs::read_to_string(parts).unwrap()).unwrap();
    let own = issue(
        &issuer,
        KeyHolder::platform("tunnel-server".parse().unwrap()),
    );
    for subject in ["user:admin", "part:platform/tunnel-server"] {
        let shown = Thief::of_part(&own).shows(subject, Some(&mesh.runtime), SYNC, &order);
        refused(subject, sync(&mesh, proxy, shown, &order).await);
    }
    assert!(!order.encode_to_vec().is_empty());
    west.stop().await;
    // It can always be silent: then the caller is told, and nothing was done.
    mesh.runtime.tunnel_client.stop().await;
    until_without_tunnels(&mesh).await;
    let told = mesh.actions().sync_application(order).await.unwrap_err();
    assert_eq!(reason(&told), Some(Reason::RuntimeNotConnected), "{told}");
    mesh.stop().await;
}
