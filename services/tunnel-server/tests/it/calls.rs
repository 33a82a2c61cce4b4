//! Calls through an open tunnel.

use http_body_util::BodyExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::stage::{Caller, Stage, finished};
use crate::upstream::{COUNT, ECHO, FLOOD, HANG, HEAD_THEN_HANG, SOON};

fn reason(status: &Status) -> String {
    status
        .get_details_error_info()
        .map(|info| info.reason)
        .unwrap_or_default()
}

#[tokio::test]
async fn a_unary_call_comes_back_with_its_trailers() {
    let open = Stage::new().open().await;
    let response = open.caller.send(open.stage.call(ECHO, "hello")).await;
    assert_eq!(response.status(), 200);
    let (body, trailers) = finished(response).await;
    assert_eq!(body, "hello");
    assert_eq!(
        (&trailers["grpc-status"], &trailers["x-last-word"]),
        (&"0".parse().unwrap(), &"end".parse().unwrap())
    );
}

#[tokio::test]
async fn a_server_stream_arrives_whole_and_in_order() {
    let open = Stage::new().open().await;
    let (body, trailers) = finished(open.caller.send(open.stage.call(COUNT, "")).await).await;
    assert_eq!(body, (0..100).collect::<Vec<u8>>());
    assert_eq!(trailers["grpc-status"], "0");
}

#[tokio::test]
async fn a_large_body_passes_both_ways() {
    let open = Stage::new().open().await;
    let sent: Vec<u8> = (0..3_000_000_u32)
        .map(|index| (index % 251) as u8)
        .collect();
    let (body, _trailers) =
        finished(open.caller.send(open.stage.call(ECHO, sent.clone())).await).await;
    assert!(body == sent);
}

#[tokio::test]
async fn trace_context_passes_and_hop_by_hop_fields_do_not() {
    let open = Stage::new().open().await;
    let mut call = open.stage.call(ECHO, "");
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    call.headers_mut()
        .insert("traceparent", trace.parse().unwrap());
    call.headers_mut()
        .insert("x-custom", "kept".parse().unwrap());
    call.headers_mut()
        .insert("causeway-route", "router".parse().unwrap());
    let response = open.caller.send(call).await;
    assert_eq!(response.headers()["seen-traceparent"], trace);
    assert_eq!(response.headers()["seen-x-custom"], "kept");
    assert!(!response.headers().contains_key("seen-causeway-route"));
    assert_eq!(
        response.headers()["x-authority"],
        open.upstream.address.to_string().as_str()
    );
}

#[tokio::test]
async fn a_cancelled_call_drops_the_far_handler() {
    let open = Stage::new().open().await;
    let mut call = Box::pin(open.caller.send(open.stage.call(HANG, "")));
    tokio::select! {
        _answer = &mut call => panic!("it hangs"),
        () = open.hanging(1) => {}
    }
    drop(call);
    open.hanging(0).await;
}

#[tokio::test]
async fn a_cancelled_stream_drops_the_far_handler() {
    let open = Stage::new().open().await;
    let response = open.caller.send(open.stage.call(FLOOD, "")).await;
    open.hanging(1).await;
    drop(response);
    open.hanging(0).await;
}

#[tokio::test]
async fn a_deadline_ends_a_call_that_the_runtime_does_not_answer() {
    let open = Stage::new().open().await;
    let mut call = open.stage.call(HANG, "");
    call.headers_mut()
        .insert("grpc-timeout", "50m".parse().unwrap());
    let response = timeout(SOON, open.caller.send(call)).await.unwrap();
    assert_eq!(response.headers()["grpc-status"], "4");
    assert_eq!(response.headers()["causeway-outcome"], "unknown");
    open.hanging(0).await;
}

#[tokio::test]
async fn a_deadline_ends_an_answer_that_nobody_reads() {
    let open = Stage::new().open().await;
    let mut call = open.stage.call(FLOOD, "");
    call.headers_mut()
        .insert("grpc-timeout", "200m".parse().unwrap());
    let _unread = open.caller.send(call).await;
    open.hanging(0).await;
}

#[tokio::test]
async fn a_burst_of_cancelled_calls_costs_no_other_call_of_its_connection() {
    let open = Stage::new().open().await;
    let socket = TcpStream::connect(open.server.internal).await.unwrap();
    let (mut sender, connection) = h2::client::handshake(socket).await.unwrap();
    let mut connection = Box::pin(connection);
    let call = |path| open.stage.call(path, "").map(drop);
    let (other, _sent) = sender.send_request(call(HEAD_THEN_HANG), true).unwrap();
    let cancelled: Vec<_> = (0..64)
        .map(|_| sender.send_request(call(HANG), true).unwrap())
        .collect();
    // All of them leave, and are given up before the server has looked at the first.
    assert!(futures::poll!(&mut connection).is_pending());
    drop(cancelled);
    assert!(futures::poll!(&mut connection).is_pending());
    let later = async {
        let other = other.await.unwrap();
        let (answer, _sent) = sender.send_request(call(ECHO), true).unwrap();
        assert_eq!(answer.await.unwrap().status(), 200);
        drop(other);
    };
    tokio::select! {
        () = later => {}
        ended = &mut connection => panic!("the connection ended: {ended:?}"),
    }
}

#[tokio::test]
async fn without_a_session_the_answer_waits_for_none_and_says_why() {
    let stage = Stage::new();
    let server = stage.server().await;
    let caller = Caller::connect(server.internal).await;
    // Nobody dials: an answer that waited for a session would never come.
    let response = timeout(SOON, caller.send(stage.call(ECHO, "")))
        .await
        .unwrap();
    assert_eq!(
        (
            response.status().as_u16(),
            &response.headers()["content-type"]
        ),
        (200, &"application/grpc".parse().unwrap())
    );
    assert_eq!(response.headers()["causeway-outcome"], "not-delivered");
    let status = Status::from_header_map(response.headers()).unwrap();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::Unavailable, "RUNTIME_NOT_CONNECTED")
    );
    let info = status.get_details_error_info().unwrap();
    assert_eq!(info.domain, "causeway");
}

#[tokio::test]
async fn a_route_that_the_runtime_does_not_offer_is_not_found() {
    let open = Stage::new().open().await;
    for route in [
        "app-proxy",
        "169.254.169.254",
        "kubernetes.default",
        &"r".repeat(1024),
    ] {
        let mut call = open.stage.call(ECHO, "");
        call.headers_mut()
            .insert("causeway-route", route.parse().unwrap());
        let response = open.caller.send(call).await;
        let status = Status::from_header_map(response.headers()).unwrap();
        assert_eq!(
            (status.code(), reason(&status).as_str()),
            (Code::NotFound, "ROUTE_UNKNOWN"),
            "{route}"
        );
    }
}

#[tokio::test]
async fn an_upstream_that_is_down_is_unavailable() {
    let stage = Stage::new();
    let server = stage.server().await;
    let closed = causeway_testkit::reserved_address();
    let _client = stage.client(server.tunnel, closed);
    let caller = Caller::connect(server.internal).await;
    causeway_testkit::wait_until("the upstream's answer", SOON, async || {
        let response = caller.send(stage.call(ECHO, "")).await;
        let status = Status::from_header_map(response.headers()).unwrap();
        assert_eq!(status.code(), Code::Unavailable);
        match reason(&status).as_str() {
            "UPSTREAM_UNAVAILABLE" => Ok(()),
            other => Err(other.to_owned()),
        }
    })
    .await;
}

#[tokio::test]
async fn a_session_that_dies_under_a_call_leaves_its_outcome_unknown() {
    let open = Stage::new().open().await;
    let call = open.caller.send(open.stage.call(HANG, ""));
    let cut = async {
        open.hanging(1).await;
        open.wire.cut();
    };
    // The call has no deadline and its handler hangs: only the lost session ends it.
    let (response, ()) = timeout(SOON, async { futures::join!(call, cut) })
        .await
        .unwrap();
    assert_eq!(response.headers()["causeway-outcome"], "unknown");
    let status = Status::from_header_map(response.headers()).unwrap();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::Unavailable, "TUNNEL_LOST")
    );
}

#[tokio::test]
async fn a_session_that_dies_under_an_answer_ends_it_with_a_status() {
    let open = Stage::new().open().await;
    let response = open.caller.send(open.stage.call(HEAD_THEN_HANG, "")).await;
    open.hanging(1).await;
    open.wire.cut();
    let (_body, trailers) = finished(response).await;
    assert_eq!(trailers["causeway-outcome"], "unknown");
    let status = Status::from_header_map(&trailers).unwrap();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::Unavailable, "TUNNEL_LOST")
    );
    open.hanging(0).await;
}

#[tokio::test]
async fn sixty_four_stalled_streams_do_not_stop_the_next_call() {
    let open = Stage::new().open().await;
    let mut stalled = Vec::new();
    for _ in 0..64 {
        let mut response = open.caller.send(open.stage.call(FLOOD, "")).await;
        response.body_mut().frame().await.unwrap().unwrap();
        stalled.push(response);
    }
    for _ in 0..100 {
        let call = open.caller.send(open.stage.call(ECHO, "still here"));
        let (body, _trailers) = finished(timeout(SOON, call).await.unwrap()).await;
        assert_eq!(body, "still here");
    }
}

#[tokio::test]
async fn a_session_refuses_calls_above_its_budget_and_takes_them_again_later() {
    let open = Stage::new().open().await;
    let mut held = Vec::new();
    for _ in 0..256 {
        held.push(open.caller.send(open.stage.call(HEAD_THEN_HANG, "")).await);
    }
    let response = open.caller.send(open.stage.call(ECHO, "")).await;
    let status = Status::from_header_map(response.headers()).unwrap();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::Unavailable, "OVERLOADED")
    );
    assert_eq!(response.headers()["causeway-outcome"], "not-delivered");
    drop(held);
    open.connected().await;
}
