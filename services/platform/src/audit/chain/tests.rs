use super::*;
use crate::audit::{AuditRecord, End};

fn record(at: i64) -> AuditRecord {
    let account: AccountId = "default".parse().unwrap();
    AuditRecord::allowed(account, Intent::default(), at)
}

fn head() -> Head {
    Head::new(ChainId::stored("default".to_owned()))
}

#[test]
fn each_entry_stands_on_the_one_before() {
    let mut head = head();
    let first = record(5).append_to(&mut head).remove(0);
    let second = record(7).append_to(&mut head).remove(0);
    assert_eq!((first.sequence, second.sequence), (1, 2));
    assert_eq!(hash(&[0; 32], &head.chain, 1, 5, &first.body), first.hash);
    assert_eq!(
        hash(&first.hash, &head.chain, 2, 7, &second.body),
        second.hash
    );
    assert_eq!((head.sequence, head.hash, head.at), (2, second.hash, 7));
}

#[test]
fn a_clock_that_goes_back_does_not_take_the_chain_with_it() {
    let mut head = head();
    record(10).append_to(&mut head);
    assert_eq!(record(3).append_to(&mut head)[0].at, 10);
}

#[test]
fn a_call_with_its_end_is_an_intent_and_an_outcome() {
    let mut head = head();
    let mut record = record(1);
    record.end = Some(End::new(2, Outcome::Succeeded, 0, String::new()));
    let entries = record.append_to(&mut head);
    assert!(matches!(entries[0].body, Body::Intent { .. }));
    assert!(matches!(entries[1].body, Body::Outcome { closes: 1, .. }));
}

#[test]
fn no_field_can_lend_a_letter_to_its_neighbour() {
    let told = |subject: &str, credential: &str| {
        let intent = Intent {
            subject: subject.to_owned(),
            credential: credential.to_owned(),
            ..Intent::default()
        };
        let audit_id = Uuid::nil();
        hash(
            &[0; 32],
            &head().chain,
            1,
            1,
            &Body::Intent { audit_id, intent },
        )
    };
    assert_ne!(told("ab", "c"), told("a", "bc"));
    assert_ne!(told("", "ab"), told("ab", ""));
}

#[test]
fn no_account_has_the_name_of_the_platforms_chain() {
    assert!(ChainId::platform().as_str().parse::<AccountId>().is_err());
}
