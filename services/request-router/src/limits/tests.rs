use futures::future::join_all;
use tokio::time::Instant;

use super::{bucket::Bucket, *};

fn per_second(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

fn limits(calls_per_caller: u32, streams_per_caller: u32) -> Limits {
    Limits::new(&LimitArgs {
        calls_per_caller: per_second(calls_per_caller),
        streams_per_caller: per_second(streams_per_caller),
        calls_per_runtime: per_second(calls_per_caller),
    })
}

fn user(name: &str) -> Caller {
    Caller::Subject(name.into())
}

#[test]
fn an_idle_caller_has_a_burst_then_waits_in_turn_and_is_refused_beyond_the_longest_wait() {
    let start = Instant::now();
    let mut bucket = Bucket::new(per_second(10), start);
    let longest = Duration::from_secs(2);
    for call in 0..=30 {
        assert_eq!(bucket.take(start, longest), Ok(Duration::ZERO), "{call}");
    }
    for call in 1..=20 {
        let wait = Duration::from_millis(100) * call;
        assert_eq!(bucket.take(start, longest), Ok(wait));
    }
    let refused = Err(Duration::from_secs(1));
    assert_eq!(bucket.take(start, longest), refused);
    assert_eq!(
        bucket.take(start, longest),
        refused,
        "a refusal costs nothing"
    );
    let later = start + Duration::from_secs(1);
    assert_eq!(bucket.take(later, longest), Ok(Duration::from_millis(1100)));
}

#[test]
fn a_full_bucket_gains_nothing_by_waiting() {
    let start = Instant::now();
    let mut bucket = Bucket::new(per_second(1), start);
    let much_later = start + Duration::from_secs(3600);
    for _ in 0..=3 {
        assert_eq!(bucket.take(much_later, Duration::ZERO), Ok(Duration::ZERO));
    }
    assert!(bucket.take(much_later, Duration::ZERO).is_err());
}

#[tokio::test(start_paused = true)]
async fn hundreds_of_calls_in_one_go_wait_and_are_all_made() {
    let limits = limits(200, 1);
    let begun = Instant::now();
    let calls = (0..16).map(|_| async {
        for _ in 0..100 {
            drop(limits.enter(user("bulk"), CallShape::Unary).await.unwrap());
        }
    });
    join_all(calls).await;
    let took = begun.elapsed();
    assert!(
        took > Duration::from_secs(4) && took < Duration::from_secs(6),
        "{took:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_flood_is_refused_with_the_time_to_wait_and_nobody_else_is() {
    let limits = limits(10, 1);
    let flood = (0..1000).map(|_| limits.enter(user("flood"), CallShape::Unary));
    let flood = join_all(flood).await;
    let refused = flood.iter().find_map(|it| it.as_ref().err()).unwrap();
    assert!(
        refused.to_string().starts_with("too many calls"),
        "{refused}"
    );
    let now = Instant::now();
    assert!(limits.enter(user("other"), CallShape::Unary).await.is_ok());
    assert_eq!(now.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn calls_that_do_not_end_leave_places_to_others() {
    let limits = limits(100_000, 1);
    let calls = (0..64).map(|_| limits.enter(user("stuck"), CallShape::Unary));
    let held = join_all(calls).await;
    assert!(held.iter().all(Result::is_ok));
    let more = limits.enter(user("stuck"), CallShape::Unary).await;
    assert!(matches!(more, Err(LimitError::AtOnce { .. })), "{more:?}");
    assert!(limits.enter(user("other"), CallShape::Unary).await.is_ok());
    drop(held);
    assert!(limits.enter(user("stuck"), CallShape::Unary).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn open_streams_are_bounded_and_unary_calls_pass_beside_them() {
    let limits = limits(100, 2);
    let open = [(); 2].map(|()| limits.enter(user("a"), CallShape::Stream));
    let open = join_all(open).await;
    let third = limits.enter(user("a"), CallShape::Stream).await;
    assert_eq!(
        third.unwrap_err(),
        LimitError::Streams {
            who: "one caller",
            streams: 2
        }
    );
    assert!(limits.enter(user("a"), CallShape::Unary).await.is_ok());
    drop(open);
    assert!(limits.enter(user("a"), CallShape::Stream).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn one_runtime_that_gets_too_much_delays_no_other() {
    let limits = limits(1, 1);
    let calls = (0..20).map(|_| limits.enter_runtime("east", CallShape::Unary));
    let refused = join_all(calls).await.into_iter().filter(Result::is_err);
    assert!(refused.count() > 0);
    let now = Instant::now();
    assert!(limits.enter_runtime("west", CallShape::Unary).await.is_ok());
    assert_eq!(now.elapsed(), Duration::ZERO);
}

#[test]
fn an_ipv6_network_is_one_caller() {
    let at = |text: &str| Caller::at(text.parse().unwrap());
    assert_eq!(at("2001:db8:0:1::1"), at("2001:db8:0:ff:2::9"));
    assert_ne!(at("2001:db8:0:1::1"), at("2001:db8:0:100::1"));
    assert_eq!(at("::ffff:10.0.0.1"), at("10.0.0.1"));
    assert_ne!(at("10.0.0.2"), at("10.0.0.1"));
}
