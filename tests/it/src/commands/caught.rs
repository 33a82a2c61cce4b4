//! The assertion of a session that somebody caught: it is for its first message alone, and for one session.

use causeway_proto::{
    platform::v1::{
        AuthorizeRequest, AuthorizeResponse,
        authorization_service_client::AuthorizationServiceClient,
    },
    proxy::v1::ExecRequest,
};
use causeway_testkit::{Mesh, new_id};
use prost::Message as _;
use sha2::{Digest as _, Sha256};
use tonic::Code;

use super::{at, in_pod, mesh, ran};

const EXEC: &str = "/causeway.proxy.v1.ExecService/Exec";

/// A way to have something else run than was asked for.
type Change = fn(&mut ExecRequest);

fn question(mesh: &Mesh, first: &ExecRequest) -> AuthorizeRequest {
    AuthorizeRequest {
        credential: mesh.admin_key(),
        method: EXEC.to_owned(),
        runtime: "east".to_owned(),
        request_digest: Sha256::digest(first.encode_to_vec()).to_vec().into(),
        request_id: first.request_id.clone(),
        ..AuthorizeRequest::default()
    }
}

async fn asked(mesh: &Mesh, question: AuthorizeRequest) -> AuthorizeResponse {
    let router = mesh.platform_credential("request-router");
    let mut platform = AuthorizationServiceClient::new(mesh.peer(&mesh.platform, router));
    platform.authorize(question).await.unwrap().into_inner()
}

#[tokio::test(flavor = "multi_thread")]
async fn session_assertion_is_single_use() {
    let mesh = mesh().await;
    let first = in_pod("one", &["echo", "asked for"]);
    let caught = asked(&mesh, question(&mesh, &first)).await.assertion;
    let proxy = &mesh.runtime.app_proxy;
    let changes: [(&str, Change); 6] = [
        ("another command", |it| it.command[1] = "other".to_owned()),
        ("another pod", |it| it.name = "two".to_owned()),
        ("with input", |it| it.stdin = true),
        ("with a terminal", |it| it.tty = true),
        ("another id", |it| it.request_id = new_id()),
        ("nothing in it", |it| *it = ExecRequest::default()),
    ];
    for part in [proxy, &mesh.runtime.router, &mesh.router] {
        for (what, change) in changes {
            let mut changed = first.clone();
            change(&mut changed);
            let refused = ran(&at(&mesh, part, &caught), changed).await.unwrap_err();
            assert_eq!(refused.code(), Code::Unauthenticated, "{what}: {refused}");
        }
    }
    let thief = at(&mesh, proxy, &caught);
    let found = ran(&thief, first.clone()).await.unwrap();
    assert_eq!(found.stdout, "asked for\n");
    let again = ran(&thief, first.clone()).await.unwrap_err();
    assert_eq!(again.code(), Code::Unauthenticated, "{again}");
    // A new assertion for the same request runs nothing again either.
    let caught = asked(&mesh, question(&mesh, &first)).await.assertion;
    let again = ran(&at(&mesh, proxy, &caught), first).await.unwrap_err();
    assert_eq!(again.code(), Code::AlreadyExists, "{again}");
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn session_recheck_yields_no_assertion() {
    let mesh = mesh().await;
    let first = in_pod("one", &["true"]);
    let going_on = AuthorizeRequest {
        going_on: true,
        ..question(&mesh, &first)
    };
    let told = asked(&mesh, going_on).await;
    assert!(told.assertion.is_empty() && told.audit_id.is_empty());
    let begins = asked(&mesh, question(&mesh, &first)).await;
    assert_eq!(told.scope_digest, begins.scope_digest);
    assert!(!begins.assertion.is_empty() && !begins.audit_id.is_empty());
    mesh.stop().await;
}
