//! Sessions: a stream of requests of a user, which is asked for by its first message and carried both ways.

use causeway_proto::{
    platform::v1 as platform,
    proxy::v1::{self as proxy, exec_response::Event, exec_service_client::ExecServiceClient},
};
use futures::{StreamExt as _, stream};
use http_body_util::Full;
use prost::Message as _;
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc;
use tonic::{Code, Request, Status, Streaming};

use crate::{
    caller::{request, send},
    grpc::channel,
    stack::{Stack, soon},
};

const EXEC: &str = "/causeway.proxy.v1.ExecService/Exec";

fn first() -> proxy::ExecRequest {
    proxy::ExecRequest {
        runtime: "prod".to_owned(),
        application_namespace: "argocd".to_owned(),
        application: "web".to_owned(),
        request_id: "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001".to_owned(),
        command: vec!["cat".to_owned(), "a b".to_owned()],
        stdin: true,
        ..proxy::ExecRequest::default()
    }
}

fn input(text: &str) -> proxy::ExecRequest {
    proxy::ExecRequest {
        input: text.to_owned().into(),
        ..proxy::ExecRequest::default()
    }
}

async fn open(
    stack: &Stack,
) -> Result<
    (
        mpsc::Sender<proxy::ExecRequest>,
        Streaming<proxy::ExecResponse>,
    ),
    Status,
> {
    let (messages, taken) = mpsc::channel(4);
    messages.send(first()).await.unwrap();
    let taken = stream::unfold(taken, async |mut taken| {
        let message = taken.recv().await?;
        Some((message, taken))
    });
    let mut request = Request::new(taken.boxed());
    let bearer = "Bearer cwk_a-users-key".parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    let mut client = ExecServiceClient::new(channel(stack.router).await);
    let answers = soon(client.exec(request)).await?;
    Ok((messages, answers.into_inner()))
}

#[tokio::test]
async fn a_session_is_asked_for_by_its_first_message_and_carried_both_ways() {
    let mut stack = Stack::platform().await;
    let (messages, mut answers) = open(&stack).await.unwrap();
    let begun = soon(answers.message()).await.unwrap().unwrap();
    assert!(matches!(begun.event, Some(Event::Begin(_))));
    let question = stack.peers.questions.lock().unwrap()[0].clone();
    let digest = Sha256::digest(first().encode_to_vec());
    assert_eq!(question.request_digest, digest.as_slice());
    assert_eq!(question.request_id, first().request_id);
    assert_eq!(question.target, "applications/argocd/web/exec/cat a b");
    assert!(!question.going_on);
    let seen = stack.peers.last_seen();
    assert_eq!(seen.message, first().encode_to_vec());
    assert_eq!(seen.header("authorization"), Some("Bearer signed.for.Exec"));
    assert_eq!(seen.header("causeway-runtime"), Some("rt-1"));
    for text in ["one", "two"] {
        messages.send(input(text)).await.unwrap();
        let answer = soon(answers.message()).await.unwrap().unwrap();
        assert_eq!(answer.event, Some(Event::Stdout(text.to_owned().into())));
    }
    drop(messages);
    let end = soon(answers.message()).await.unwrap().unwrap();
    assert!(matches!(end.event, Some(Event::End(_))));
    assert_eq!(soon(answers.message()).await.unwrap(), None);
    let recorded = soon(stack.events.outcomes.recv()).await.unwrap();
    let told = (recorded.outcome(), recorded.message.as_str());
    assert_eq!(
        told,
        (platform::Outcome::Succeeded, "exit code 0; as asked")
    );
}

#[tokio::test]
async fn a_session_ends_when_its_user_may_no_longer() {
    let mut stack = Stack::platform().await;
    let (messages, mut answers) = open(&stack).await.unwrap();
    soon(answers.message()).await.unwrap().unwrap();
    *stack.peers.refusal.lock().unwrap() = Some(Status::permission_denied("not any more"));
    stack.peers.revocations.send_replace(Some(1));
    let end = soon(answers.message()).await.unwrap_err();
    assert_eq!(end.code(), Code::PermissionDenied, "{end}");
    let question = stack.peers.questions.lock().unwrap().pop().unwrap();
    assert!(question.going_on, "nothing new is signed for it");
    let recorded = soon(stack.events.outcomes.recv()).await.unwrap();
    assert_eq!(recorded.outcome(), platform::Outcome::Unknown);
    drop(messages);
}

#[tokio::test]
async fn who_leaves_a_session_leaves_an_unknown_outcome() {
    let mut stack = Stack::platform().await;
    let (messages, answers) = open(&stack).await.unwrap();
    drop((messages, answers));
    let recorded = soon(stack.events.outcomes.recv()).await.unwrap();
    assert_eq!(recorded.outcome(), platform::Outcome::Unknown);
}

#[tokio::test]
async fn a_session_that_is_refused_never_reaches_its_part() {
    let stack = Stack::platform().await;
    *stack.peers.refusal.lock().unwrap() = Some(Status::permission_denied("no"));
    let refused = open(&stack).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert!(stack.peers.seen().is_empty());
}

#[tokio::test]
async fn by_json_a_session_is_told_the_way_to_go() {
    let stack = Stack::platform().await;
    let request = request("POST", EXEC).header("content-type", "application/json");
    let answer = send(stack.router, request.body(Full::from("{}")).unwrap()).await;
    assert_eq!(answer.status, 501);
    let told = answer.json()["message"].to_string();
    assert!(told.contains("call it by gRPC"), "{told}");
}
