use reqwest::header::{HeaderName, HeaderValue};

use super::*;

const NOW: Duration = Duration::from_secs(1_800_000_000);

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&str, &str)| {
        (
            HeaderName::from_bytes(name.as_bytes()).unwrap(),
            HeaderValue::from_str(value).unwrap(),
        )
    };
    pairs.iter().map(pair).collect()
}

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + NOW
}

fn admitted(budget: &Budget) -> Vec<Priority> {
    let all = [Priority::Polling, Priority::Promotion, Priority::User];
    let admits = |priority: &Priority| budget.admit(*priority, now()).is_ok();
    all.into_iter().filter(admits).collect()
}

#[test]
fn the_last_fifth_is_kept_for_users_and_the_fifth_before_it_for_promotions() {
    let budget = Budget::default();
    assert_eq!(admitted(&budget).len(), 3);
    let at = |left: &str| {
        budget.observe(
            &headers(&[
                ("x-ratelimit-limit", "5000"),
                ("x-ratelimit-remaining", left),
                ("x-ratelimit-reset", "1800000600"),
            ]),
            now(),
        );
        admitted(&budget)
    };
    assert_eq!(at("2001").len(), 3);
    assert_eq!(at("2000"), [Priority::Promotion, Priority::User]);
    assert_eq!(at("1000"), [Priority::User]);
    assert_eq!(at("0"), []);
}

#[test]
fn a_window_that_is_over_limits_nothing() {
    let budget = Budget::default();
    budget.observe(
        &headers(&[("ratelimit-remaining", "0"), ("ratelimit-reset", "10")]),
        now(),
    );
    assert!(budget.admit(Priority::User, now()).is_err());
    let later = now() + Duration::from_secs(11);
    assert!(budget.admit(Priority::Polling, later).is_ok());
}

#[test]
fn a_refusal_is_obeyed_to_the_second_and_shown() {
    let budget = Budget::default();
    let state = budget.exhaust(&headers(&[("retry-after", "7")]), now());
    assert_eq!(state.until, now() + Duration::from_secs(7));
    assert_eq!(state.to_string(), "0 requests left until 08:00:07 UTC");
    assert!(budget.admit(Priority::User, now()).is_err());
    let forever = budget.exhaust(&headers(&[("retry-after", "99999999")]), now());
    assert_eq!(forever.until, now() + MAX_WAIT);
}
