//! Sessions that come, are taken over, drain and come back.

use causeway_proto::tunnel::v1 as pb;
use causeway_testkit::wait_until;
use http_body_util::BodyExt;
use tokio::time::timeout;

use causeway_assertion::{Claims, KeyHolder, PartKey};

use crate::stage::{Caller, Stage, finished};
use crate::upstream::{COUNT, ECHO, HEAD_THEN_HANG, SOON, Upstream};

/// What the server lists.
async fn sessions(stage: &Stage, caller: &Caller) -> Vec<pb::TunnelSession> {
    use prost::Message;
    let path = "/causeway.tunnel.v1.TunnelService/ListSessions";
    let (subject, audience) = (
        "part:platform/platform".parse().unwrap(),
        "acme/-/tunnel-server".parse().unwrap(),
    );
    let claims = Claims::for_read(
        "part:platform/platform",
        subject,
        audience,
        path,
        std::time::Duration::from_secs(60),
    );
    let mut call = stage.call(path, &[0, 0, 0, 0, 0][..]);
    let holder = KeyHolder::platform("platform".parse().unwrap());
    let key = PartKey::issue(&stage.parts_key, holder, 60).unwrap();
    let token = key.sign(&claims).unwrap();
    call.headers_mut()
        .insert("authorization", format!("Bearer {token}").parse().unwrap());
    let (body, trailers) = finished(caller.send(call).await).await;
    assert_eq!(trailers["grpc-status"], "0", "{trailers:?}");
    pb::ListSessionsResponse::decode(&body[5..])
        .unwrap()
        .sessions
}

#[tokio::test]
async fn a_session_is_listed_with_what_its_client_said() {
    let open = Stage::new().open().await;
    let listed = sessions(&open.stage, &open.caller).await;
    assert_eq!(listed.len(), 1, "one replica, one session: {listed:?}");
    let session = &listed[0];
    assert_eq!(
        (session.account.as_str(), session.runtime_id.as_str()),
        ("acme", "r1")
    );
    assert_eq!(session.routes, ["router"]);
    assert!(
        session.generation > 0 && session.round_trip_micros > 0 && session.connected_at.is_some()
    );
}

#[tokio::test]
async fn a_cut_session_comes_back_by_itself() {
    let open = Stage::new().open().await;
    for _ in 0..3 {
        open.wire.cut();
        open.connected().await;
    }
    wait_until("the old sessions to be gone", SOON, async || {
        let listed = sessions(&open.stage, &open.caller).await;
        if listed.len() == 1 {
            Ok(())
        } else {
            Err(format!("{listed:?}"))
        }
    })
    .await;
}

#[tokio::test]
async fn two_replicas_get_a_session_each() {
    let open = Stage::new().open().await;
    let second = open.stage.server().await;
    // The second slot found only the first replica so far; a client that starts now finds both.
    let upstream = Upstream::start().await;
    let wire = crate::wire::Wire::start(second.tunnel).await;
    let _client = open.stage.client(wire.address, upstream.address);
    let caller = Caller::connect(second.internal).await;
    caller.reaches(&open.stage).await;
    open.connected().await;
}

#[tokio::test]
async fn a_draining_replica_hands_over_without_a_failed_call() {
    let open = Stage::new().open().await;
    let held = open.caller.send(open.stage.call(HEAD_THEN_HANG, "")).await;
    let next = open.stage.server().await;
    let next_caller = Caller::connect(next.internal).await;
    open.wire.lead_to(next.tunnel);
    open.server.stop.request();
    // The new session is there while the old one still carries its call.
    next_caller.reaches(&open.stage).await;
    open.hanging(1).await;
    drop(held);
    open.hanging(0).await;
    timeout(SOON, open.server.stop.stop())
        .await
        .expect("the drain ends")
        .unwrap();
}

#[tokio::test]
async fn a_stopping_client_lets_calls_end_and_says_goodbye() {
    let open = Stage::new().open().await;
    let (body, _trailers) = finished(open.caller.send(open.stage.call(COUNT, "")).await).await;
    assert_eq!(body.len(), 100);
    timeout(SOON, open.client.stop())
        .await
        .expect("the drain ends")
        .unwrap();
    wait_until("the session to be gone", SOON, async || {
        let response = open.caller.send(open.stage.call(ECHO, "")).await;
        let status = response.headers().get("grpc-status").cloned();
        let _end = response.into_body().collect().await;
        if status.is_some_and(|status| status == "14") {
            Ok(())
        } else {
            Err("still there".to_owned())
        }
    })
    .await;
}
