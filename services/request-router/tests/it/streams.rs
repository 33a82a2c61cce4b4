//! Streams over HTTP: a line for each message, at once.

use bytes::Bytes;
use causeway_proto::inventory::v1::{self as inventory, watch_applications_response::Event};
use http_body_util::{BodyExt as _, Full};
use prost::Message as _;
use tonic::Status;

use crate::{
    caller::{Open, open, request, send},
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

async fn events(
    stack: &mut Stack,
    path: &str,
    last: Option<&str>,
) -> (Open, Held<inventory::WatchApplicationsResponse>) {
    let request = request("GET", path).header("accept", "text/event-stream");
    let request = match last {
        Some(last) => request.header("last-event-id", last),
        None => request,
    };
    let mut open = open(stack.router, request.body(Full::default()).unwrap()).await;
    let held = soon(stack.events.watches.recv()).await.unwrap();
    assert_eq!(piece(&mut open).await, "retry: 1000\n\n");
    (open, held)
}

async fn piece(open: &mut Open) -> String {
    let frame = soon(open.response.frame()).await.unwrap().unwrap();
    String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn each_message_is_an_event_whose_id_is_the_cursor() {
    let mut stack = Stack::platform().await;
    let (mut open, held) = events(&mut stack, "/v1/applications:watch", None).await;
    assert_eq!(open.response.headers()["content-type"], "text/event-stream");
    assert_eq!(open.response.headers()["x-accel-buffering"], "no");
    for name in ["a", "b"] {
        held.send(Ok(updated(name))).await.unwrap();
        let event = piece(&mut open).await;
        let data = event.strip_prefix(&format!("id: {name}\ndata: ")).unwrap();
        let data: serde_json::Value =
            serde_json::from_str(data.strip_suffix("\n\n").unwrap()).unwrap();
        assert_eq!(data["updated"]["name"], name);
    }
    // No cursor may begin a line of its own.
    held.send(Ok(updated("x\n\ndata: forged"))).await.unwrap();
    let event = piece(&mut open).await;
    assert!(event.starts_with("data: {"), "{event}");
    assert_eq!(event.matches("\n\n").count(), 1, "{event}");
    drop(held);
    assert_eq!(
        piece(&mut open).await,
        "event: status\ndata: {\"code\":0,\"details\":[],\"message\":\"\"}\n\n"
    );
    assert!(soon(open.response.frame()).await.is_none());
}

#[tokio::test]
async fn a_reader_who_comes_again_goes_on_after_what_they_saw_last() {
    let mut stack = Stack::platform().await;
    let path = "/v1/applications:watch?cursor=earlier&fields=updated.name";
    let (mut open, held) = events(&mut stack, path, Some("later")).await;
    let seen = stack.peers.last_seen().message;
    let seen = inventory::WatchApplicationsRequest::decode(seen.as_slice()).unwrap();
    assert_eq!(seen.cursor, "later");
    held.send(Ok(updated("a"))).await.unwrap();
    let event = piece(&mut open).await;
    assert_eq!(
        event, "id: a\ndata: {\"updated\":{\"name\":\"a\"}}\n\n",
        "the id is there, wanted or not"
    );
    events(&mut stack, path, Some("")).await;
    let seen = stack.peers.last_seen().message;
    let seen = inventory::WatchApplicationsRequest::decode(seen.as_slice()).unwrap();
    assert_eq!(seen.cursor, "earlier");
}

#[tokio::test]
async fn an_error_is_the_last_event() {
    let mut stack = Stack::platform().await;
    let (mut open, held) = events(&mut stack, "/v1/applications:watch", None).await;
    held.send(Err(Status::out_of_range("the cursor is too old")))
        .await
        .unwrap();
    let event = piece(&mut open).await;
    assert!(
        event.starts_with("event: status\ndata: {\"code\":11,"),
        "{event}"
    );
    assert!(soon(open.response.frame()).await.is_none());
}

#[tokio::test]
async fn a_call_without_a_cursor_takes_no_last_event() {
    let stack = Stack::platform().await;
    let request = request("GET", "/v1/applications").header("last-event-id", "a");
    let answer = send(stack.router, request.body(Full::default()).unwrap()).await;
    assert_eq!(answer.status, 400);
    assert!(answer.message().contains("has no cursor"), "{answer:?}");
    assert!(stack.peers.seen().is_empty());
}
