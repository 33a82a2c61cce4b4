//! Sessions that are held or ended: by who takes nothing, by who may no longer, and by what does not belong into them.

use causeway_client::{Credential, reason};
use causeway_proto::{
    error::v1::Reason,
    platform::v1::{self as platform, CreateApiKeyRequest, RevokeApiKeyRequest},
    proxy::v1::ExecRequest,
};
use causeway_testkit::{new_id, wait_until};
use tonic::Code;

use super::{audited, in_pod, mesh, open, pod, ran};
use crate::{
    isolation::RECALLED,
    world::{PATIENCE, application, create},
};

/// More than all that may wait between a command and its reader.
const BOUND: u64 = 24 << 20;

#[tokio::test(flavor = "multi_thread")]
async fn unread_output_blocks_only_its_own_command() {
    let mesh = mesh().await;
    let (sandbox, user) = (mesh.sandbox(), mesh.user());
    pod(sandbox, "web", "two");
    let written = |pod| sandbox.kube().written_by_commands("default", pod);
    let stuck = open(&user, in_pod("one", &["yes"])).await.unwrap();
    let mut taken = open(&user, in_pod("two", &["yes"])).await.unwrap();
    // One that is taken writes more than the bound; the other one has had as much time by then.
    let wanted = usize::try_from(2 * BOUND).unwrap();
    let mut read = 0;
    while read < wanted {
        read += taken.some().await;
    }
    assert!(written("two") >= 2 * BOUND);
    assert!(written("one") < BOUND, "{}", written("one"));
    pod(sandbox, "web", "three");
    let beside = ran(&user, in_pod("three", &["hostname"])).await.unwrap();
    assert_eq!(beside.stdout, "three\n");
    drop((stuck, taken));
    // Whoever leaves leaves nothing behind.
    wait_until("the commands end", PATIENCE, async || {
        let before = (written("one"), written("two"));
        let beside = ran(&user, in_pod("three", &["true"])).await;
        beside.map_err(|status| status.to_string())?;
        let after = (written("one"), written("two"));
        (before == after).then_some(()).ok_or(format!("{after:?}"))
    })
    .await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_when_its_key_is_revoked() {
    let mesh = mesh().await;
    let request = CreateApiKeyRequest {
        display_name: "runner".to_owned(),
        request_id: new_id(),
        ..CreateApiKeyRequest::default()
    };
    let made = mesh.api_keys().create_api_key(request).await.unwrap();
    let made = made.into_inner();
    let by = mesh.peer(&mesh.router, Credential::api_key(&made.secret));
    let mut first = in_pod("one", &["sh"]);
    (first.stdin, first.tty) = (true, true);
    let id = first.request_id.clone();
    let mut session = open(&by, first).await.unwrap();
    session.until("$ ").await;
    let request = RevokeApiKeyRequest {
        key_id: made.api_key.unwrap_or_default().key_id,
        request_id: new_id(),
    };
    mesh.api_keys().revoke_api_key(request).await.unwrap();
    let end = tokio::time::timeout(RECALLED, session.ended()).await;
    let end = end.expect("it ends in time");
    assert_eq!(end.code(), Code::Unauthenticated, "{end}");
    let record = audited(&mesh, &id).await;
    assert_eq!(record.outcome(), platform::Outcome::Unknown, "{record:?}");
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn session_ends_when_its_pod_leaves_the_scope() {
    let mesh = mesh().await;
    let sandbox = mesh.sandbox();
    let rule = platform::Rule {
        entities: vec!["exec".to_owned()],
        actions: vec!["create".to_owned()],
        selector: Some(platform::Selector {
            names: vec!["web".to_owned()],
            ..Default::default()
        }),
    };
    let member = crate::tenants::entitled(&mesh, "webs", vec![rule]).await;
    create(sandbox, &application(sandbox, "shop")).await;
    let mut first = in_pod("one", &["sh"]);
    (first.stdin, first.tty) = (true, true);
    let mut session = open(&member, first).await.unwrap();
    session.until("$ ").await;
    // The same object by its uid, which belongs to another application from now on.
    let truth = sandbox.kube().snapshot();
    let mut object = truth.find("Pod", "default", "one").unwrap().object.clone();
    object["metadata"]["annotations"]["argocd.argoproj.io/tracking-id"] =
        "argocd_shop:/Pod:default/one".into();
    sandbox.kube().write_raw("pods", object).unwrap();
    let end = session.ended().await;
    assert_eq!(reason(&end), Some(Reason::ResourceUnknown), "{end}");
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_session_message_ends_the_session() {
    let mesh = mesh().await;
    let user = mesh.user();
    let sent = async |first: ExecRequest, later: ExecRequest| {
        let session = open(&user, first).await.unwrap();
        session.send(later).await;
        session.end().await.unwrap_err()
    };
    let mut reads = in_pod("one", &["cat"]);
    reads.stdin = true;
    let second = in_pod("one", &["true"]);
    let end = sent(reads.clone(), second).await;
    assert_eq!(end.code(), Code::InvalidArgument, "{end}");
    let input = |bytes: usize| ExecRequest {
        input: vec![b'x'; bytes].into(),
        ..ExecRequest::default()
    };
    reads.request_id = new_id();
    let end = sent(reads.clone(), input(2 << 20)).await;
    assert!(end.message().contains("1 MiB"), "{end}");
    let end = sent(in_pod("one", &["sleep", "1000"]), input(1)).await;
    assert!(end.message().contains("stdin"), "{end}");

    // A cluster of before the protocol that tells the end of input.
    mesh.sandbox().kube().run_commands_as_of_old();
    let found = ran(&user, in_pod("one", &["echo", "old"])).await.unwrap();
    assert_eq!(found.stdout, "old\n");
    reads.request_id = new_id();
    let end = ran(&user, reads).await.unwrap_err();
    assert_eq!(end.code(), Code::FailedPrecondition, "{end}");
    mesh.stop().await;
}
