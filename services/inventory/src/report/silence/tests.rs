use std::time::Duration;

use super::*;
use crate::{
    fixture::{joining, scope},
    report::membership::Leaving,
};

const KEY: (&str, &str) = ("rt-one", "in-cluster");

#[test]
fn scope_is_silent_from_the_departure_of_its_last_reporter_until_one_joins() {
    let (scope, mut silences) = (scope(), Silences::default());
    let account = scope.account.clone();
    assert_eq!(silences.since(&account, KEY), Some(0), "not known");
    let mut roster = Roster::default();
    roster.join(&joining(1), (1, 1), 10).unwrap();
    silences.update(&scope, &roster);
    assert_eq!(silences.since(&account, KEY), None);
    let heard = silences.reporting(&account);
    assert_eq!(heard.into_values().collect::<Vec<_>>(), ["edge"]);

    let before = roster.clone();
    let lease = roster
        .leases
        .iter()
        .next()
        .map(|(instance, lease)| (*instance, lease.number));
    let (instance, number) = lease.unwrap();
    let leaving = Leaving {
        scope: scope.clone(),
        instance,
        number,
    };
    assert!(roster.leave(&leaving, 2, 20));
    silences.update(&scope, &roster);
    assert_eq!(silences.since(&account, KEY), Some(20));
    silences.update(&scope, &before);
    assert_eq!(silences.since(&account, KEY), Some(20), "an older roster");
    assert_eq!(silences.reporting(&account), ScopeNames::new());

    roster.join(&joining(1), (3, 2), 30).unwrap();
    silences.update(&scope, &roster);
    assert_eq!(silences.since(&account, KEY), None);
    assert!(roster.retire(4, 30 + Duration::from_secs(7200).as_millis() as i64));
    silences.update(&scope, &roster);
    assert_eq!(
        silences.since(&account, KEY),
        Some(7_200_030),
        "it was lost"
    );
}

#[test]
fn only_reporters_of_applications_keep_applications_current() {
    let (scope, mut silences) = (scope(), Silences::default());
    let events = Scope {
        kind: ObjectKind::Event,
        ..scope
    };
    let mut roster = Roster::default();
    roster.join(&joining(1), (1, 1), 10).unwrap();
    silences.update(&events, &roster);
    assert_eq!(silences.since(&events.account, KEY), Some(0));
}
