//! A session on two replicas of the platform: what the one ends, ends on the other.

use causeway_client::Credential;
use causeway_proto::{
    inventory::v1::{
        WatchApplicationsRequest, application_service_client::ApplicationServiceClient,
    },
    platform::v1::{
        CreateServiceAccountRequest, ExchangeTokenRequest, ExchangeTokenResponse,
        RevokeSessionRequest, TrustRule,
        service_account_service_client::ServiceAccountServiceClient,
        session_service_client::SessionServiceClient, sign_in_service_client::SignInServiceClient,
    },
};
use causeway_testkit::{Mesh, new_id, wait_until};
use tokio::time::Instant;
use tonic::Code;

use self::issuer::Issuer;
use crate::{
    isolation::{RECALLED, assert_refused, ended},
    replicas::{say, start},
    world::list_by,
};

mod issuer;

/// A job of a CI system signs in at the first replica.
async fn signed_in(mesh: &Mesh, issuer: &Issuer) -> ExchangeTokenResponse {
    let request = CreateServiceAccountRequest {
        user: "job".to_owned(),
        roles: vec!["viewer".to_owned()],
        trust_rules: vec![TrustRule {
            issuer: issuer.url.clone(),
            audience: "causeway".to_owned(),
            subject: "repo:acme/shop".to_owned(),
            ..TrustRule::default()
        }],
        request_id: new_id(),
        ..CreateServiceAccountRequest::default()
    };
    let mut accounts = ServiceAccountServiceClient::new(mesh.user());
    accounts.create_service_account(request).await.unwrap();
    let request = ExchangeTokenRequest {
        service_account: "job".to_owned(),
        id_token: issuer.token("repo:acme/shop"),
        ..ExchangeTokenRequest::default()
    };
    let anybody = mesh.peer(&mesh.router, Credential::None);
    let mut sign_ins = SignInServiceClient::new(anybody);
    sign_ins.exchange_token(request).await.unwrap().into_inner()
}

async fn a_session_ends_everywhere(listen: &str) {
    let Some(mesh) = start(listen).await else {
        return;
    };
    let there = &mesh.other.as_ref().unwrap().router;
    let issuer = Issuer::start().await;
    let job = signed_in(&mesh, &issuer).await;
    let own = mesh.peer(there, Credential::api_key(&job.session_token));
    let mut reads = ApplicationServiceClient::new(own);
    assert_eq!(list_by(&mut reads, "east").await.unwrap().len(), 1);
    let watch = reads.watch_applications(WatchApplicationsRequest::default());
    let mut watch = watch.await.unwrap().into_inner();
    assert!(watch.message().await.unwrap().is_some());
    let request = RevokeSessionRequest {
        session_id: job.session.unwrap().session_id,
        request_id: new_id(),
    };
    let mut sessions = SessionServiceClient::new(mesh.user());
    let begun = Instant::now();
    sessions.revoke_session(request).await.unwrap();
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
    say("an ended session", listen, begun);
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_one_replica_ends_reads_and_watches_nothing_on_the_other() {
    a_session_ends_everywhere("true").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn session_ends_without_notifications() {
    a_session_ends_everywhere("false").await;
}
