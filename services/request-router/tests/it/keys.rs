//! API keys: what the platform is asked, what goes on, and what is recorded.

use std::time::Duration;

use causeway_proto::{platform::v1 as platform, proxy::v1 as proxy};
use http_body_util::Full;
use prost::Message as _;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tonic::Status;

use crate::{
    caller::{Answer, get, open, post, request, send},
    peers::Held,
    stack::{Stack, soon},
};

const SYNC: &str = "/v1/runtimes/prod/applications/argocd/web:sync";
const ID: &str = "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001";

/// Starts a sync and holds it at the part.
async fn held_sync(
    stack: &mut Stack,
) -> (
    tokio::task::JoinSet<Answer>,
    Held<proxy::SyncApplicationResponse>,
) {
    let router = stack.router;
    let mut call = tokio::task::JoinSet::new();
    call.spawn(async move {
        let request = request("POST", SYNC)
            .header("content-type", "application/json")
            .header("idempotency-key", ID)
            .header(
                "traceparent",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            );
        send(
            router,
            request.body(Full::from("{\"prune\": true}")).unwrap(),
        )
        .await
    });
    let held = soon(stack.events.syncs.recv()).await.unwrap();
    (call, held)
}

#[tokio::test]
async fn a_change_is_asked_for_by_its_digest_and_its_outcome_recorded() {
    let mut stack = Stack::platform().await;
    let (mut call, held) = held_sync(&mut stack).await;
    let question = stack.peers.questions.lock().unwrap().pop().unwrap();
    let seen = stack.peers.last_seen();
    let digest: [u8; 32] = Sha256::digest(&seen.message).into();
    assert_eq!(question.request_digest, digest.as_slice());
    let expected = platform::AuthorizeRequest {
        credential: "cwk_a-users-key".to_owned(),
        method: "/causeway.proxy.v1.ApplicationActionService/SyncApplication".to_owned(),
        runtime: "prod".to_owned(),
        request_digest: digest.to_vec().into(),
        request_id: ID.to_owned(),
        source_address: question.source_address.clone(),
        trace_id: "0af7651916cd43dd8448eb211c80319c".to_owned(),
        target: "applications/argocd/web".to_owned(),
        going_on: false,
    };
    assert_eq!(question, expected);
    assert!(question.source_address.starts_with("127.0.0.1:"));
    assert_eq!(
        seen.header("authorization"),
        Some("Bearer signed.for.SyncApplication")
    );
    assert_eq!(seen.header("causeway-runtime"), Some("rt-1"));
    assert_eq!(seen.header("causeway-route"), Some("router"));
    held.send(Ok(proxy::SyncApplicationResponse::default()))
        .await
        .unwrap();
    let answer = soon(call.join_next()).await.unwrap().unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["causeway-request-id"], ID);
    let recorded = soon(stack.events.outcomes.recv()).await.unwrap();
    assert_eq!(
        (recorded.audit_id.as_str(), recorded.outcome()),
        ("audit-1", platform::Outcome::Succeeded)
    );
}

#[tokio::test]
async fn a_change_that_fails_is_recorded_so() {
    let mut stack = Stack::platform().await;
    let (mut call, held) = held_sync(&mut stack).await;
    held.send(Err(Status::failed_precondition(
        "an operation is under way",
    )))
    .await
    .unwrap();
    let answer = soon(call.join_next()).await.unwrap().unwrap();
    assert_eq!(answer.status, 400);
    let recorded = soon(stack.events.outcomes.recv()).await.unwrap();
    assert_eq!(recorded.outcome(), platform::Outcome::Failed);
    assert_eq!(
        (recorded.code, recorded.message.as_str()),
        (9, "an operation is under way")
    );
}

#[tokio::test]
async fn a_caller_that_hangs_up_leaves_an_unknown_outcome_behind() {
    let mut stack = Stack::platform().await;
    let (mut call, held) = held_sync(&mut stack).await;
    call.shutdown().await;
    soon(held.closed()).await;
    let recorded = soon(stack.events.outcomes.recv()).await.unwrap();
    assert_eq!(
        (recorded.outcome(), recorded.code),
        (platform::Outcome::Unknown, 1)
    );
}

#[tokio::test]
async fn a_part_that_breaks_off_leaves_an_unknown_outcome_behind() {
    let mut stack = Stack::platform().await;
    let (mut call, held) = held_sync(&mut stack).await;
    stack.stop_peers();
    let answer = soon(call.join_next()).await.unwrap().unwrap();
    assert_eq!(
        (answer.status.as_u16(), answer.reason().as_str()),
        (503, "UPSTREAM_UNAVAILABLE")
    );
    assert_eq!(
        answer.json()["details"][0]["metadata"],
        json!({"outcome": "unknown"})
    );
    assert_eq!(answer.headers["causeway-outcome"], "unknown");
    stack.start_peers();
    let recorded = soon(stack.events.outcomes.recv()).await.unwrap();
    assert_eq!(
        (recorded.outcome(), recorded.code),
        (platform::Outcome::Unknown, 14)
    );
    drop(held);
}

/// What the router remembers of an allowed read is used for so long when nothing is heard against it.
const RUNS_OUT: Duration = Duration::from_secs(40);

/// Reads, once the router has heard of revocations, so that what it remembers holds. Gives the number of questions.
async fn read_and_remember(stack: &Stack, path: &str) -> usize {
    let mut told = stack.peers.told.subscribe();
    // A second word goes out long after the first.
    soon(told.wait_for(|told| *told > 2)).await.unwrap();
    assert_eq!(get(stack.router, path).await.status, 200);
    stack.peers.questions.lock().unwrap().len()
}

#[tokio::test]
async fn assertions_of_reads_are_used_again_until_one_is_refused() {
    let stack = Stack::platform().await;
    let asked = || stack.peers.questions.lock().unwrap().len();
    let path = "/v1/runtimes/prod/applications/argocd/web";
    let before = read_and_remember(&stack, path).await;
    for _ in 0..3 {
        assert_eq!(get(stack.router, path).await.status, 200);
    }
    assert_eq!(asked(), before);
    assert_eq!(get(stack.router, "/v1/applications").await.status, 200);
    assert_eq!(asked(), before + 1, "another method needs another one");
    let refused = get(
        stack.router,
        "/v1/runtimes/prod/applications/argocd/refused",
    )
    .await;
    assert_eq!(refused.status, 401);
    soon(async {
        while asked() == before + 1 {
            get(stack.router, path).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_read_that_was_allowed_is_refused_after_a_revocation() {
    let stack = Stack::platform().await;
    let path = "/v1/applications";
    read_and_remember(&stack, path).await;
    *stack.peers.refusal.lock().unwrap() = Some(Status::unauthenticated("revoked"));
    assert_eq!(
        get(stack.router, path).await.status,
        200,
        "it is remembered"
    );
    stack.peers.revocations.send_replace(Some(1));
    let told = tokio::time::Instant::now();
    soon(async { while get(stack.router, path).await.status != 401 {} }).await;
    let took = told.elapsed();
    assert!(took < RUNS_OUT, "{took:?}");
}

#[tokio::test]
async fn without_a_word_about_revocations_an_allowed_read_is_asked_for_again() {
    let stack = Stack::platform().await;
    let path = "/v1/applications";
    read_and_remember(&stack, path).await;
    stack.peers.revocations.send_replace(None);
    *stack.peers.refusal.lock().unwrap() = Some(Status::unauthenticated("revoked"));
    let silent = tokio::time::Instant::now();
    soon(async { while get(stack.router, path).await.status != 401 {} }).await;
    let took = silent.elapsed();
    assert!(took < RUNS_OUT, "{took:?}");
}

#[tokio::test]
async fn a_refusal_of_the_platform_goes_to_the_caller() {
    let stack = Stack::platform().await;
    *stack.peers.refusal.lock().unwrap() = Some(Status::permission_denied("not you"));
    let answer = get(stack.router, "/v1/applications").await;
    assert_eq!(
        (answer.status.as_u16(), answer.message().as_str()),
        (403, "not you")
    );
    assert!(stack.peers.seen().is_empty());
}

#[tokio::test]
async fn a_request_id_is_made_checked_or_taken_from_the_body() {
    let mut stack = Stack::platform().await;
    let router = stack.router;
    let both = request("POST", SYNC).header("idempotency-key", ID);
    let answer = send(
        router,
        both.body(Full::from("{\"requestId\": \"x\"}")).unwrap(),
    )
    .await;
    assert!(answer.message().contains("differ"), "{answer:?}");
    let wrong = request("POST", SYNC).header("idempotency-key", "x");
    let answer = send(router, wrong.body(Full::default()).unwrap()).await;
    assert!(
        answer.message().starts_with("request_id must be a UUID"),
        "{answer:?}"
    );
    let answer = post(router, SYNC, "{\"requestId\": \"x\"}").await;
    assert!(
        answer.message().starts_with("request_id must be a UUID"),
        "{answer:?}"
    );
    let mut call = tokio::task::JoinSet::new();
    call.spawn(async move { post(router, SYNC, "").await });
    let held = soon(stack.events.syncs.recv()).await.unwrap();
    held.send(Ok(proxy::SyncApplicationResponse::default()))
        .await
        .unwrap();
    let answer = soon(call.join_next()).await.unwrap().unwrap();
    let made = answer.headers["causeway-request-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let seen =
        proxy::SyncApplicationRequest::decode(stack.peers.last_seen().message.as_slice()).unwrap();
    assert_eq!(seen.request_id, made);
}

#[tokio::test]
async fn a_grpc_caller_gives_the_request_id_itself() {
    let stack = Stack::platform().await;
    let path = "/causeway.proxy.v1.ApplicationActionService/SyncApplication";
    let sync = proxy::SyncApplicationRequest {
        runtime: "prod".to_owned(),
        ..Default::default()
    };
    let mut frame = vec![0, 0, 0, 0, u8::try_from(sync.encoded_len()).unwrap()];
    sync.encode(&mut frame).unwrap();
    let call = |frame: Vec<u8>| {
        let request = request("POST", path).header("content-type", "application/grpc");
        open(stack.router, request.body(Full::from(frame)).unwrap())
    };
    let answer = call(frame.clone()).await.response;
    assert_eq!(answer.headers()["grpc-status"], "3");
    let message = answer.headers()["grpc-message"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(message.starts_with("request_id"), "{message}");
    frame[0] = 1;
    let answer = call(frame).await.response;
    assert_eq!(answer.headers()["grpc-status"], "12", "compressed");
    assert!(stack.peers.questions.lock().unwrap().is_empty());
}

#[tokio::test]
async fn nobody_is_let_in_while_the_platform_is_away() {
    let mut stack = Stack::platform().await;
    stack.stop_peers();
    let answer = get(stack.router, "/v1/applications").await;
    assert_eq!(
        (answer.status.as_u16(), answer.reason().as_str()),
        (503, "UPSTREAM_UNAVAILABLE")
    );
    assert_eq!(answer.headers["causeway-outcome"], "not-delivered");
}
