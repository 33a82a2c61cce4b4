use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use causeway_proto::status::{status, status_with_retry};
use tokio::time::Instant;
use tower::service_fn;

use super::*;

const MESSAGE: &[u8] = b"\0\0\0\0\x02hi";

/// Calls a router that refuses the first calls so, and returns the answer, how many calls it got and how long it took.
async fn called(refusals: usize, refusal: Status) -> (Status, usize, Duration) {
    let calls = Arc::new(AtomicUsize::new(0));
    let seen = calls.clone();
    let router = service_fn(move |request: Request<Body>| {
        let (seen, refusal) = (seen.clone(), refusal.clone());
        async move {
            let body = request.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(body, MESSAGE);
            let call = seen.fetch_add(1, Ordering::Relaxed);
            let status = if call < refusals {
                refusal
            } else {
                Status::ok("")
            };
            Ok::<_, std::convert::Infallible>(status.into_http())
        }
    });
    let begun = Instant::now();
    let request = Request::new(Body::new(Full::from(MESSAGE)));
    let response = call(router, request).await.unwrap();
    let status = Status::from_header_map(response.headers()).unwrap();
    (status, calls.load(Ordering::Relaxed), begun.elapsed())
}

fn throttled(seconds: u64) -> Status {
    let after = Duration::from_secs(seconds);
    status_with_retry(
        Code::ResourceExhausted,
        Reason::Throttled,
        "too many calls",
        after,
    )
}

#[tokio::test(start_paused = true)]
async fn a_throttled_call_is_repeated_after_the_delay_that_it_is_told() {
    let (status, calls, took) = called(2, throttled(3)).await;
    assert_eq!((status.code(), calls), (Code::Ok, 3));
    assert_eq!(took.as_secs(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_throttled_again_and_again_ends_in_the_refusal() {
    let (status, calls, _) = called(100, throttled(1)).await;
    assert_eq!((status.message(), calls), ("too many calls", ATTEMPTS));
}

#[tokio::test(start_paused = true)]
async fn other_refusals_are_not_repeated() {
    let long = throttled(60);
    let no_delay = status(
        Code::ResourceExhausted,
        Reason::Throttled,
        "too many streams",
    );
    let overloaded = status_with_retry(
        Code::ResourceExhausted,
        Reason::Overloaded,
        "busy",
        Duration::from_secs(1),
    );
    for refusal in [long, no_delay, overloaded, Status::unavailable("away")] {
        let (status, calls, took) = called(1, refusal.clone()).await;
        assert_eq!((status.message(), calls), (refusal.message(), 1));
        assert_eq!(took, Duration::ZERO);
    }
}
