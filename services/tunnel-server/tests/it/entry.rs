//! Who gets in: at the upgrade, and at the internal listener.

use std::time::Duration;

use causeway_assertion::{Claims, KeyHolder, PartKey};
use causeway_relay::TrustRoots;
use causeway_websocket::{DialError, DialOptions, Dialed, connect};
use http::{HeaderMap, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tonic::{Code, Status};

use crate::stage::{Caller, Server, Stage};
use crate::upstream::{ECHO, SOON};

pub(crate) async fn dial(
    stage: &Stage,
    server: &Server,
    authorization: &str,
    headers: &[(&'static str, &'static str)],
) -> Result<Dialed, DialError> {
    let mut seat = HeaderMap::new();
    for (name, value) in headers {
        seat.insert(*name, HeaderValue::from_static(value));
    }
    connect(DialOptions {
        url: format!("wss://localhost:{}/tunnel/v1", server.tunnel.port())
            .parse()
            .unwrap(),
        tls: TrustRoots::Pem(stage.ca.ca_pem().as_bytes().to_vec())
            .client_config(b"http/1.1")
            .unwrap(),
        authorization: HeaderValue::from_str(authorization).unwrap(),
        headers: seat,
        proxy: None,
        connect_timeout: SOON,
        upgrade_timeout: SOON,
    })
    .await
}

pub(crate) const SEAT: [(&str, &str); 3] = [
    ("causeway-client", "c"),
    ("causeway-slot", "0"),
    ("causeway-generation", "1"),
];

fn status_of(outcome: Result<Dialed, DialError>) -> u16 {
    match outcome {
        Ok(_dialed) => 101,
        Err(DialError::Refused { refusal, .. }) => refusal.status.as_u16(),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_dial_without_a_valid_assertion_gets_401_and_never_101() {
    let stage = Stage::new();
    let server = stage.server().await;
    let good = Stage::dial_assertion(&stage.runtime_key, "r1");
    let subject = "runtime:acme/r1".parse().unwrap();
    let elsewhere = Claims::for_read(
        "runtime:acme/r1",
        subject,
        "acme/-/inventory".parse().unwrap(),
        "/tunnel/v1",
        Duration::from_secs(60),
    );
    let (head, signature) = good.rsplit_once('.').unwrap();
    let tokens = [
        String::new(),
        "Bearer".to_owned(),
        "Bearer garbage".to_owned(),
        format!("Basic {good}"),
        format!(
            "Bearer {head}.{}",
            signature.chars().rev().collect::<String>()
        ),
        format!("Bearer {}", Stage::dial_assertion(&stage.other_key, "r1")),
        format!(
            "Bearer {}",
            Stage::dial_assertion(&stage.platform_key, "r1")
        ),
        format!("Bearer {}", stage.runtime_key.sign(&elsewhere).unwrap()),
        format!("Bearer {}", "a".repeat(9000)),
    ];
    for token in tokens {
        assert_eq!(
            status_of(dial(&stage, &server, &token, &SEAT).await),
            401,
            "{token}"
        );
    }
    assert_eq!(
        status_of(dial(&stage, &server, &format!("Bearer {good}"), &SEAT).await),
        101
    );
}

#[tokio::test]
async fn a_silent_peer_loses_its_place_before_a_handshake_would_time_out() {
    let stage = Stage::new();
    let server = stage.server().await;
    let begun = tokio::time::Instant::now();
    let mut silent = tokio::net::TcpStream::connect(server.tunnel).await.unwrap();
    let end = tokio::time::timeout(SOON, silent.read_u8()).await.unwrap();
    assert!(end.is_err(), "nothing is said to it");
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(9), "{took:?}");
}

#[tokio::test]
async fn a_user_cannot_open_a_tunnel() {
    let stage = Stage::new();
    let server = stage.server().await;
    let audience = "acme/-/tunnel-server".parse().unwrap();
    let claims = Claims::for_read(
        "platform",
        "user:ada".parse().unwrap(),
        audience,
        "/tunnel/v1",
        Duration::from_secs(60),
    );
    let token = stage.platform_key.sign(&claims).unwrap();
    assert_eq!(
        status_of(dial(&stage, &server, &format!("Bearer {token}"), &SEAT).await),
        403
    );
}

#[tokio::test]
async fn a_seat_that_is_no_seat_is_refused() {
    let stage = Stage::new();
    let server = stage.server().await;
    let token = format!("Bearer {}", Stage::dial_assertion(&stage.runtime_key, "r1"));
    let seats = [
        [("causeway-client", ""), SEAT[1], SEAT[2]],
        [("causeway-client", "../x"), SEAT[1], SEAT[2]],
        [SEAT[0], ("causeway-slot", "2"), SEAT[2]],
        [SEAT[0], SEAT[1], ("causeway-generation", "-1")],
    ];
    for seat in seats {
        assert_eq!(
            status_of(dial(&stage, &server, &token, &seat).await),
            400,
            "{seat:?}"
        );
    }
}

#[tokio::test]
async fn a_server_that_the_roots_do_not_vouch_for_is_not_dialled() {
    let stage = Stage::new();
    let server = stage.server().await;
    let stranger = Stage::new();
    let outcome = dial(&stranger, &server, "Bearer x", &SEAT).await;
    assert!(
        matches!(outcome, Err(DialError::Tls(..))),
        "{:?}",
        outcome.err()
    );
}

#[tokio::test]
async fn an_oversized_frame_ends_the_session_with_1009() {
    let stage = Stage::new();
    let server = stage.server().await;
    let key = Stage::dial_assertion(&stage.runtime_key, "r1");
    let tls = TrustRoots::Pem(stage.ca.ca_pem().as_bytes().to_vec())
        .client_config(b"http/1.1")
        .unwrap();
    let socket = tokio::net::TcpStream::connect(server.tunnel).await.unwrap();
    let connector = tokio_rustls::TlsConnector::from(tls);
    let mut wire = connector
        .connect("localhost".try_into().unwrap(), socket)
        .await
        .unwrap();
    let head = format!(
        "GET /tunnel/v1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: h2.tunnel.v1\r\nAuthorization: Bearer {key}\r\n\
         causeway-client: c\r\ncauseway-slot: 0\r\ncauseway-generation: 1\r\n\r\n"
    );
    wire.write_all(head.as_bytes()).await.unwrap();
    wire.write_all(&[0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 1, 1, 2, 3, 4])
        .await
        .unwrap();
    let mut heard = Vec::new();
    // The end without close_notify is an error of this raw reader only.
    let _ = tokio::time::timeout(SOON, wire.read_to_end(&mut heard))
        .await
        .unwrap();
    let code = 1009_u16.to_be_bytes();
    assert!(
        heard.windows(2).any(|window| window == code),
        "no close frame with 1009"
    );
    assert!(heard.starts_with(b"HTTP/1.1 101 "));
}

#[tokio::test]
async fn a_call_needs_an_assertion_for_exactly_this_runtime_and_method() {
    let open = Stage::new().open().await;
    let refused = async |authorization: Option<String>| {
        let mut call = open.stage.call(ECHO, "");
        call.headers_mut().remove("authorization");
        if let Some(authorization) = authorization {
            call.headers_mut()
                .insert("authorization", authorization.parse().unwrap());
        }
        let response = open.caller.send(call).await;
        assert_eq!(response.headers()["causeway-outcome"], "not-delivered");
        Status::from_header_map(response.headers()).unwrap().code()
    };
    assert_eq!(refused(None).await, Code::Unauthenticated);
    assert_eq!(
        refused(Some("Bearer garbage".to_owned())).await,
        Code::Unauthenticated
    );
    let other_method = open.stage.assertion("r1", "/test.Echo/Other");
    assert_eq!(
        refused(Some(format!("Bearer {other_method}"))).await,
        Code::Unauthenticated
    );
    // Runtime r2 is not connected: its assertion must never reach r1.
    let foreign = open.stage.assertion("r2", ECHO);
    assert_eq!(
        refused(Some(format!("Bearer {foreign}"))).await,
        Code::Unavailable
    );
}

#[tokio::test]
async fn a_runtime_cannot_call_through_the_platform() {
    let open = Stage::new().open().await;
    let audience = "acme/r1/app-proxy".parse().unwrap();
    let subject = "part:runtime/app-proxy".parse().unwrap();
    let name = "part:runtime/app-proxy";
    let claims = Claims::for_read(name, subject, audience, ECHO, Duration::from_secs(60));
    let mut call = open.stage.call(ECHO, "");
    let [account, runtime, part] = ["acme", "r1", "app-proxy"];
    let holder = KeyHolder::runtime(
        account.parse().unwrap(),
        runtime.parse().unwrap(),
        part.parse().unwrap(),
    );
    let key = PartKey::issue(&open.stage.runtime_key, holder, 60).unwrap();
    let token = key.sign(&claims).unwrap();
    call.headers_mut()
        .insert("authorization", format!("Bearer {token}").parse().unwrap());
    let response = open.caller.send(call).await;
    let status = Status::from_header_map(response.headers()).unwrap();
    assert_eq!(status.code(), Code::PermissionDenied);
}

#[tokio::test]
async fn health_of_the_tunnel_server_is_its_own_and_needs_no_assertion() {
    let stage = Stage::new();
    let server = stage.server().await;
    let caller = Caller::connect(server.internal).await;
    let mut call = stage.call("/grpc.health.v1.Health/Check", &[0, 0, 0, 0, 0][..]);
    call.headers_mut().remove("authorization");
    let (_body, trailers) = crate::stage::finished(caller.send(call).await).await;
    assert_eq!(trailers["grpc-status"], "0");
}
