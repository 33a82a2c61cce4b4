use std::time::Duration;

use super::Backoff;
use crate::Jitter;

#[test]
fn the_bound_doubles_up_to_the_most_and_begins_anew() {
    let mut backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(30));
    let mut bounds = Vec::new();
    for _ in 0..40 {
        bounds.push(backoff.bound());
        assert!(backoff.next_delay() <= *bounds.last().unwrap());
    }
    assert_eq!(bounds[..3], [200, 400, 800].map(Duration::from_millis));
    assert_eq!(bounds[39], Duration::from_secs(30));
    backoff.reset();
    assert_eq!(backoff.bound(), Duration::from_millis(200));
}

#[test]
fn the_same_seed_draws_the_same_delays() {
    let delays = |seed| {
        let backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(30));
        let mut backoff = backoff.with_jitter(Jitter::seeded(seed));
        std::array::from_fn::<_, 20, _>(|_| backoff.next_delay())
    };
    assert_eq!(delays(1), delays(1));
    assert_ne!(delays(1), delays(2));
}
