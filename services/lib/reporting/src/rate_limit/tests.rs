use std::time::Duration;

use tokio::time::Instant;

use super::{REMEMBERED, RateLimit, TokenBuckets};

const LIMIT: RateLimit = RateLimit {
    burst: 3,
    every: Duration::from_secs(1),
};

fn after(seconds: f64) -> Instant {
    // One beginning for all.
    thread_local!(static BEGIN: Instant = Instant::now());
    BEGIN.with(|begin| *begin) + Duration::from_secs_f64(seconds)
}

/// When a key that is sent as often as it may be goes, in seconds.
fn times(count: usize) -> Vec<f64> {
    let (mut buckets, mut now) = (TokenBuckets::new(LIMIT), after(0.0));
    let mut times = Vec::new();
    for _ in 0..count {
        now = now.max(buckets.ready_at(&"hot", now));
        buckets.spend(&"hot", now);
        times.push((now - after(0.0)).as_secs_f64());
    }
    times
}

#[test]
fn a_burst_goes_at_once_and_then_one_at_a_time() {
    assert_eq!(times(6), [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn a_bucket_fills_again_while_nothing_is_sent() {
    let mut buckets = TokenBuckets::new(LIMIT);
    for _ in 0..3 {
        buckets.spend(&"hot", after(0.0));
    }
    assert_eq!(buckets.ready_at(&"hot", after(0.5)), after(1.0));
    assert!(buckets.ready_at(&"hot", after(60.0)) <= after(60.0));
    for _ in 0..3 {
        assert!(buckets.ready_at(&"hot", after(60.0)) <= after(60.0));
        buckets.spend(&"hot", after(60.0));
    }
    assert_eq!(buckets.ready_at(&"hot", after(60.0)), after(61.0));
}

#[test]
fn one_key_does_not_hold_up_another() {
    let mut buckets = TokenBuckets::new(LIMIT);
    for _ in 0..10 {
        buckets.spend(&"hot", after(0.0));
    }
    assert_eq!(buckets.ready_at(&"cold", after(0.0)), after(0.0));
}

#[test]
fn full_buckets_are_forgotten() {
    let mut buckets = TokenBuckets::new(LIMIT);
    for key in 0..100_000_u32 {
        buckets.spend(&key, after(f64::from(key)));
    }
    assert!(buckets.len() <= REMEMBERED + 1, "{}", buckets.len());
}
