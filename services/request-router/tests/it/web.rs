//! gRPC-Web, as browsers speak it: both encodings, one answer and streams, over both versions of HTTP.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use causeway_proto::inventory::v1::{self as inventory, watch_applications_response::Event};
use http_body_util::{BodyExt as _, Full};
use prost::Message as _;
use tonic::Status;

use crate::{
    caller::{Open, Version, open_by, request},
    peers::application,
    stack::{Stack, soon},
};

const LIST: &str = "ListApplications";
const WATCH: &str = "WatchApplications";
const BOTH: [Version; 2] = [Version::Http1, Version::Http2];

/// How the bytes of gRPC-Web are written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Encoding {
    Binary,
    Text,
}

impl Encoding {
    fn content_type(self) -> &'static str {
        match self {
            Self::Binary => "application/grpc-web+proto",
            Self::Text => "application/grpc-web-text+proto",
        }
    }

    fn write(self, bytes: Vec<u8>) -> Bytes {
        match self {
            Self::Binary => bytes.into(),
            Self::Text => STANDARD.encode(bytes).into(),
        }
    }

    /// Pieces of text are padded each for itself, so four letters are read at a time.
    fn read(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Binary => bytes.to_vec(),
            Self::Text => {
                let fours = bytes.chunks(4);
                fours
                    .flat_map(|four| STANDARD.decode(four).unwrap())
                    .collect()
            }
        }
    }
}

/// The messages of a body and what its trailers say.
fn frames(mut body: &[u8]) -> (Vec<Vec<u8>>, String) {
    let mut messages = Vec::new();
    let mut trailers = String::new();
    while !body.is_empty() {
        let length = u32::from_be_bytes(body[1..5].try_into().unwrap()) as usize;
        let content = body[5..5 + length].to_vec();
        match body[0] {
            0 => messages.push(content),
            flag => {
                assert_eq!(flag, 0x80);
                trailers.push_str(&String::from_utf8(content).unwrap());
            }
        }
        body = &body[5 + length..];
    }
    (messages, trailers)
}

async fn call(
    stack: &Stack,
    (version, encoding): (Version, Encoding),
    rpc: &str,
    message: &impl prost::Message,
) -> Open {
    let mut body = vec![0];
    let encoded = message.encode_to_vec();
    body.extend(u32::try_from(encoded.len()).unwrap().to_be_bytes());
    body.extend(encoded);
    let path = format!("/causeway.inventory.v1.ApplicationService/{rpc}");
    let request = request("POST", &path)
        .header("content-type", encoding.content_type())
        .header("accept", encoding.content_type())
        .header("x-grpc-web", "1");
    let request = request.body(Full::from(encoding.write(body))).unwrap();
    open_by(version, stack.router, request).await
}

async fn whole(open: Open, encoding: Encoding) -> (Vec<Vec<u8>>, String) {
    let body = soon(open.response.collect()).await.unwrap().to_bytes();
    frames(&encoding.read(&body))
}

#[tokio::test]
async fn a_call_is_answered_in_its_encoding_over_both_versions() {
    let stack = Stack::platform().await;
    for how in BOTH
        .iter()
        .flat_map(|version| [(*version, Encoding::Binary), (*version, Encoding::Text)])
    {
        let question = inventory::ListApplicationsRequest {
            page_token: "next".to_owned(),
            ..Default::default()
        };
        let open = call(&stack, how, LIST, &question).await;
        assert_eq!(open.response.status(), 200, "{how:?}");
        assert_eq!(
            open.response.headers()["content-type"],
            how.1.content_type(),
            "{how:?}"
        );
        let (messages, trailers) = whole(open, how.1).await;
        let [message] = messages.as_slice() else {
            panic!("{how:?}: {messages:?}");
        };
        let answer = inventory::ListApplicationsResponse::decode(message.as_slice()).unwrap();
        assert_eq!(answer.next_page_token, "next", "{how:?}");
        assert_eq!(answer.applications[0].name, "guestbook", "{how:?}");
        assert!(trailers.contains("grpc-status:0"), "{how:?}: {trailers}");
    }
}

#[tokio::test]
async fn a_stream_comes_message_by_message_and_ends_with_its_status() {
    let mut stack = Stack::platform().await;
    for how in BOTH
        .iter()
        .flat_map(|version| [(*version, Encoding::Binary), (*version, Encoding::Text)])
    {
        let question = inventory::WatchApplicationsRequest::default();
        let mut open = call(&stack, how, WATCH, &question).await;
        let held = soon(stack.events.watches.recv()).await.unwrap();
        for name in ["a", "b"] {
            let event = Some(Event::Updated(application(name)));
            let cursor = name.to_owned();
            let told = inventory::WatchApplicationsResponse { event, cursor };
            held.send(Ok(told.clone())).await.unwrap();
            let frame = soon(open.response.frame()).await.unwrap().unwrap();
            let (messages, _) = frames(&how.1.read(&frame.into_data().unwrap()));
            assert_eq!(messages, [told.encode_to_vec()], "{how:?}");
        }
        held.send(Err(Status::out_of_range("too old")))
            .await
            .unwrap();
        let (messages, trailers) = whole(open, how.1).await;
        assert!(messages.is_empty(), "{how:?}");
        assert!(
            trailers.contains("grpc-status:11") && trailers.contains("grpc-message:too"),
            "{how:?}: {trailers}"
        );
    }
}

#[tokio::test]
async fn a_page_that_is_closed_ends_the_stream_at_the_part() {
    let mut stack = Stack::platform().await;
    for version in BOTH {
        let question = inventory::WatchApplicationsRequest::default();
        let open = call(&stack, (version, Encoding::Text), WATCH, &question).await;
        let held = soon(stack.events.watches.recv()).await.unwrap();
        drop(open);
        soon(held.closed()).await;
    }
}

#[tokio::test]
async fn errors_keep_their_details() {
    let stack = Stack::platform().await;
    for how in BOTH
        .iter()
        .flat_map(|version| [(*version, Encoding::Binary), (*version, Encoding::Text)])
    {
        let question = inventory::GetApplicationRequest {
            runtime: "prod".to_owned(),
            namespace: "argocd".to_owned(),
            name: "missing".to_owned(),
            ..Default::default()
        };
        let open = call(&stack, how, "GetApplication", &question).await;
        // An error without an answer may have its status in the headers.
        let headers = open.response.headers().clone();
        let (messages, trailers) = whole(open, how.1).await;
        assert!(messages.is_empty(), "{how:?}");
        let header = |name: &str| Some(headers.get(name)?.to_str().unwrap().to_owned());
        let status = header("grpc-status");
        assert!(
            status.as_deref() == Some("5") || trailers.contains("grpc-status:5"),
            "{how:?}"
        );
        let details = header("grpc-status-details-bin");
        assert!(
            details.is_some() || trailers.contains("grpc-status-details-bin:"),
            "{how:?}"
        );
    }
}

#[tokio::test]
async fn who_says_nothing_of_the_answer_gets_it_in_the_form_of_the_request() {
    let stack = Stack::platform().await;
    let path = "/causeway.inventory.v1.ApplicationService/ListApplications";
    for accept in ["*/*", "application/json"] {
        let request = request("POST", path).header("content-type", "application/grpc-web-text");
        let request = request
            .header("accept", accept)
            .body(Full::from("AAAAAAA="))
            .unwrap();
        let open = open_by(Version::Http1, stack.router, request).await;
        let (messages, trailers) = whole(open, Encoding::Text).await;
        assert_eq!(messages.len(), 1);
        assert!(trailers.contains("grpc-status:0"), "{trailers}");
    }
}

#[tokio::test]
async fn text_that_is_no_base64_reaches_nobody() {
    let stack = Stack::platform().await;
    let path = "/causeway.inventory.v1.ApplicationService/ListApplications";
    for body in ["AAAAAAA", "****", "AAAAAAA=AAAA", "AAAA"] {
        let request = request("POST", path).header("content-type", "application/grpc-web-text");
        let request = request.body(Full::from(body)).unwrap();
        let open = open_by(Version::Http1, stack.router, request).await;
        let status = open.response.headers().get("grpc-status").cloned();
        assert!(status.is_some_and(|status| status != "0"), "{body}");
    }
    assert!(stack.peers.seen().is_empty());
}
