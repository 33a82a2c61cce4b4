use super::*;

fn from(address: &str) -> Intent {
    Intent {
        source_address: address.to_owned(),
        ..Intent::default()
    }
}

fn refuse(strangers: &RefusalCounter, address: &str, now: i64) -> usize {
    strangers
        .refused(from(address), "unknown".to_owned(), now)
        .len()
}

#[test]
fn a_network_gets_ten_rows_a_minute_and_one_that_counts_the_rest() {
    let strangers = RefusalCounter::default();
    let written: usize = (0..500)
        .map(|n| refuse(&strangers, &format!("10.0.0.{}:{n}", n % 256), 1))
        .sum();
    assert_eq!(written, 10);
    let left = strangers.left(MINUTE + 1);
    assert_eq!(left.len(), 1);
    let Entry::Open(record) = &left[0] else {
        panic!("{left:?}");
    };
    assert_eq!(record.intent.source_address, "10.0.0.0/24");
    assert!(
        record
            .end
            .as_ref()
            .unwrap()
            .message
            .starts_with("490 refusals")
    );
    assert_eq!(record.chain, ChainId::platform());
    assert!(strangers.left(MINUTE + 2).is_empty());
}

#[test]
fn a_credential_that_ended_gets_ten_rows_a_minute_and_one_that_counts_the_rest() {
    let strangers = RefusalCounter::default();
    let chain = ChainId::stored("default".to_owned());
    let refuse = |credential: &str| {
        let intent = Intent {
            subject: "user:kim".to_owned(),
            credential: credential.to_owned(),
            ..Intent::default()
        };
        let why = "revoked".to_owned();
        strangers.refused_ended(chain.clone(), intent, why, 1).len()
    };
    let written: usize = (0..500).map(|_| refuse("key:one")).sum();
    assert_eq!((written, refuse("key:other")), (10, 1));
    let left = strangers.left(MINUTE);
    let [Entry::Open(record)] = left.as_slice() else {
        panic!("{left:?}");
    };
    let intent = &record.intent;
    assert_eq!(
        (intent.subject.as_str(), intent.credential.as_str()),
        ("user:kim", "key:one")
    );
    let message = &record.end.as_ref().unwrap().message;
    assert!(message.starts_with("490 refusals"), "{message}");
    assert_eq!(record.chain, chain);
}

#[test]
fn no_flood_of_addresses_makes_more_than_some_hundred_rows_a_minute() {
    let strangers = RefusalCounter::default();
    let mut written = 0;
    for n in 0..100_000_u32 {
        let [a, b, c, _] = n.wrapping_mul(2_654_435_761).to_be_bytes();
        written += refuse(&strangers, &format!("{a}.{b}.{c}.1:80"), 1);
    }
    let left = strangers.left(MINUTE).len();
    assert!(written <= 100 && left <= 21, "{written} and {left}");
}

#[test]
fn addresses_are_told_by_their_networks() {
    assert_eq!(network("[2001:db8:1:2ff:3::4]:443"), "2001:db8:1:200::/56");
    assert_eq!(network("192.0.2.7"), "192.0.2.0/24");
    assert_eq!(network("somewhere"), "unknown");
}

#[test]
fn an_old_address_in_the_form_of_a_new_one_is_in_its_own_network() {
    let strangers = RefusalCounter::default();
    for _ in 0..OF_NETWORK {
        assert_eq!(refuse(&strangers, "[::ffff:192.0.2.1]:1", 1), 1);
    }
    assert_eq!(refuse(&strangers, "192.0.2.9:1", 1), 0);
    assert_eq!(refuse(&strangers, "[::ffff:198.51.100.1]:1", 1), 1);
}
