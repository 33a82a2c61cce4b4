//! Streams over HTTP: a line for each message, at once.

use bytes::Bytes;
use causeway_proto::inventory::v1::{self as inventory, watch_applications_response::Event};
use http_body_util::{BodyExt as _, Full};
use tonic::Status;

use crate::{
    caller::{Open, open, request},
    peers::{Held, application},
    stack::{Stack, soon},
};

async fn watch(stack: &mut Stack) -> (Open, Held<inventory::WatchApplicationsResponse>) {
    let request = request("GET", "/v1/applications:watch")
        .body(Full::default())
        .unwrap();
    let open = open(stack.router, request).await;
    let held = soon(stack.events.watches.recv()).await.unwrap();
    (open, held)
}

fn updated(name: &str) -> inventory::WatchApplicationsResponse {
    inventory::WatchApplicationsResponse {
        event: Some(Event::Updated(application(name))),
        cursor: name.to_owned(),
    }
}

async fn line(open: &mut Open) -> serde_json::Value {
    let frame = soon(open.response.frame()).await.unwrap().unwrap();
    let data: Bytes = frame.into_data().unwrap();
    assert!(data.ends_with(b"\n"));
    serde_json::from_slice(&data).unwrap()
}

#[tokio::test]
async fn each_message_is_a_line_as_soon_as_it_is_there() {
    let mut stack = Stack::platform().await;
    let (mut open, held) = watch(&mut stack).await;
    assert_eq!(open.response.status(), 200);
    assert_eq!(
        open.response.headers()["content-type"],
        "application/x-ndjson"
    );
    for name in ["a", "b"] {
        held.send(Ok(updated(name))).await.unwrap();
        let line = line(&mut open).await;
        assert_eq!(
            (line["cursor"].as_str(), line["updated"]["name"].as_str()),
            (Some(name), Some(name))
        );
    }
    drop(held);
    assert!(soon(open.response.frame()).await.is_none());
}

#[tokio::test]
async fn an_error_is_the_last_line() {
    let mut stack = Stack::platform().await;
    let (mut open, held) = watch(&mut stack).await;
    held.send(Err(Status::out_of_range("the cursor is too old")))
        .await
        .unwrap();
    let line = line(&mut open).await;
    assert_eq!(
        (
            line["error"]["code"].as_i64(),
            line["error"]["message"].as_str()
        ),
        (Some(11), Some("the cursor is too old"))
    );
    assert!(soon(open.response.frame()).await.is_none());
}

#[tokio::test]
async fn a_caller_that_hangs_up_ends_the_watch_at_the_part() {
    let mut stack = Stack::platform().await;
    let (open, held) = watch(&mut stack).await;
    drop(open);
    soon(held.closed()).await;
}

#[tokio::test]
async fn a_part_that_goes_away_is_the_last_line() {
    let mut stack = Stack::platform().await;
    let (mut open, held) = watch(&mut stack).await;
    held.send(Ok(updated("a"))).await.unwrap();
    line(&mut open).await;
    stack.stop.request();
    let line = line(&mut open).await;
    assert_eq!(line["error"]["details"][0]["reason"], "DRAINING");
}

#[tokio::test]
async fn a_watch_ends_when_its_key_is_revoked() {
    let mut stack = Stack::platform().await;
    let (mut open, held) = watch(&mut stack).await;
    held.send(Ok(updated("a"))).await.unwrap();
    line(&mut open).await;
    *stack.peers.refusal.lock().unwrap() = Some(Status::unauthenticated("the key was revoked"));
    let line = line(&mut open).await;
    assert_eq!(line["error"]["message"], "the key was revoked");
    soon(held.closed()).await;
}

#[tokio::test]
async fn a_watch_ends_when_its_reader_may_see_other_things() {
    let mut stack = Stack::platform().await;
    let (mut open, held) = watch(&mut stack).await;
    held.send(Ok(updated("a"))).await.unwrap();
    line(&mut open).await;
    *stack.peers.scope.lock().unwrap() = b"another".to_vec();
    stack.peers.revocations.send_replace(Some(1));
    let line = line(&mut open).await;
    assert_eq!(line["error"]["details"][0]["reason"], "SCOPE_CHANGED");
    soon(held.closed()).await;
}
