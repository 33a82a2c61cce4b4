use super::*;

const LIMIT: Limit = Limit {
    kind: "test",
    burst: 3,
    every: 1_000,
    most: 10,
};

#[test]
fn n_19_a_bucket_gives_its_burst_and_then_one_try_for_each_time() {
    let mut full_at = None;
    for _ in 0..3 {
        full_at = Some(LIMIT.take(full_at, 10_000).unwrap());
    }
    assert_eq!(LIMIT.take(full_at, 10_000), Err(Throttled { wait: 1_000 }));
    assert_eq!(LIMIT.take(full_at, 10_400), Err(Throttled { wait: 600 }));
    full_at = Some(LIMIT.take(full_at, 11_000).unwrap());
    assert!(LIMIT.take(full_at, 11_000).is_err());
    assert!(LIMIT.take(full_at, 1_000_000).is_ok());
}

#[test]
fn n_18_no_clock_that_was_set_back_locks_anybody_out() {
    let after = LIMIT.take(Some(i64::MAX), 10_000).unwrap_err();
    assert_eq!(after.wait, 1_000);
}

#[test]
fn one_customers_addresses_share_a_bucket_and_others_have_their_own() {
    let name = |source: &str| Bucket::of_source(FAILURES, source).name;
    assert_eq!(name("10.0.0.1:5000"), name("10.0.0.1:6000"));
    assert_eq!(name("10.0.0.1"), name("[::ffff:10.0.0.1]:7"));
    assert_ne!(name("10.0.0.1:1"), name("10.0.0.2:1"));
    assert_eq!(name("[2001:db8::1]:1"), name("[2001:db8::ffff:1]:2"));
    assert_eq!(name("[2001:db8::1]:1"), name("[2001:db8:0:ff::1]:1"));
    assert_ne!(name("[2001:db8::1]:1"), name("[2001:db8:0:100::1]:1"));
    assert_eq!(name("' OR 1=1"), name(""));
}

#[test]
fn n_74_a_person_has_one_bucket_and_nobody_elses_name_empties_it() {
    let account = "default".parse().unwrap();
    let (dex, okta) = ("dex".parse().unwrap(), "okta".parse().unwrap());
    let of = |subject: &str| Bucket::of_person(&account, &dex, subject).name;
    for other in [
        "alic@eexample.com",
        "ALICE@example.com",
        " alice@example.com",
        "alice@example.com\u{200b}",
        "\u{ff41}lice@example.com",
    ] {
        assert_ne!(of(other), of("alice@example.com"), "{other:?}");
    }
    assert_ne!(of("u-1"), Bucket::of_person(&account, &okta, "u-1").name);
    let second = "second".parse().unwrap();
    assert_ne!(of("u-1"), Bucket::of_person(&second, &dex, "u-1").name);
}

#[test]
fn one_job_that_is_trusted_starves_no_other_of_the_same_service_account() {
    let (account, user) = ("default".parse().unwrap(), "ci".parse().unwrap());
    let of = |identity: &str| Bucket::of_job(&account, &user, identity);
    assert_ne!(of("https://ci repo:acme/a"), of("https://ci repo:acme/b"));
}
