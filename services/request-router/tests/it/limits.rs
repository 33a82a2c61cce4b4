//! One caller's flood is refused with the time to wait, and everybody else is served.

use std::num::NonZeroU32;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use causeway_request_router::LimitArgs;
use http_body_util::Full;
use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    caller::{Answer, get, open, request, send},
    stack::{Stack, soon},
};

const LIST: &str = "/v1/applications";
const WATCH: &str = "/v1/applications:watch";

/// More calls than one caller may make, have running and have waiting.
const FLOOD: usize = 300;

fn few() -> LimitArgs {
    let number = |number| NonZeroU32::new(number).unwrap();
    LimitArgs {
        calls_per_caller: number(1),
        streams_per_caller: number(2),
        calls_per_runtime: number(1),
    }
}

fn user_assertion() -> String {
    let claims = r#"{"aud": "default/-/inventory", "sub": "user:1"}"#;
    format!("Bearer h.{}.s", URL_SAFE_NO_PAD.encode(claims))
}

async fn get_as(stack: &Stack, authorization: &str, path: &str) -> Answer {
    let mut request = request("GET", path).body(Full::default()).unwrap();
    let value = authorization.parse().unwrap();
    request.headers_mut().insert("authorization", value);
    send(stack.router, request).await
}

/// Floods the router with calls, until one is refused.
async fn flood(
    stack: &Stack,
    authorization: &str,
    path: &'static str,
) -> (Answer, JoinSet<Answer>) {
    let mut calls = JoinSet::new();
    let router = stack.router;
    for _ in 0..FLOOD {
        let mut request = request("GET", path).body(Full::default()).unwrap();
        let value = authorization.parse().unwrap();
        request.headers_mut().insert("authorization", value);
        calls.spawn(send(router, request));
    }
    let refused = soon(async {
        loop {
            let answer = calls.join_next().await.unwrap().unwrap();
            if answer.status != 200 {
                return answer;
            }
        }
    });
    (refused.await, calls)
}

fn assert_throttled(answer: &Answer) {
    assert_eq!(answer.status, 429, "{answer:?}");
    let body = answer.json();
    let details = body["details"].as_array().unwrap();
    let reasons: Vec<_> = details.iter().map(|it| &it["reason"]).collect();
    assert!(reasons.contains(&&json!("THROTTLED")), "{answer:?}");
    let after: u64 = answer.headers["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(after > 0);
    assert!(answer.message().starts_with("too many calls"), "{answer:?}");
}

#[tokio::test]
async fn a_users_flood_is_refused_with_the_time_to_wait_and_another_user_is_served() {
    let stack = Stack::platform_limited_to(few()).await;
    let (refused, _calls) = flood(&stack, "Bearer cwk_flood", LIST).await;
    assert_throttled(&refused);
    assert_eq!(get(stack.router, LIST).await.status, 200);
}

#[tokio::test]
async fn calls_that_hang_in_a_part_leave_places_to_other_users() {
    let stack = Stack::platform().await;
    let path = "/v1/runtimes/prod/applications/argocd/never";
    let (refused, _calls) = flood(&stack, "Bearer cwk_flood", path).await;
    assert_throttled(&refused);
    assert_eq!(get(stack.router, LIST).await.status, 200);
}

#[tokio::test]
async fn a_flood_of_users_assertions_counts_for_its_source_and_no_user() {
    let stack = Stack::platform_limited_to(few()).await;
    let (refused, _calls) = flood(&stack, &user_assertion(), LIST).await;
    assert_throttled(&refused);
    assert_eq!(get(stack.router, LIST).await.status, 200);
}

#[tokio::test]
async fn the_streams_of_a_user_are_bounded_until_one_ends() {
    let mut stack = Stack::platform_limited_to(few()).await;
    let watch = || request("GET", WATCH).body(Full::default()).unwrap();
    let mut held = Vec::new();
    let mut streams = Vec::new();
    for _ in 0..2 {
        streams.push(open(stack.router, watch()).await);
        held.push(soon(stack.events.watches.recv()).await.unwrap());
    }
    let third = send(stack.router, watch()).await;
    assert_eq!(
        (third.status.as_u16(), third.reason().as_str()),
        (429, "THROTTLED")
    );
    assert!(third.message().starts_with("too many open streams"));
    let other = get_as(&stack, "Bearer cwk_other", LIST).await;
    assert_eq!(other.status, 200);
    drop(streams);
    soon(held[0].closed()).await;
    soon(async { while open(stack.router, watch()).await.response.status() == 429 {} }).await;
}
