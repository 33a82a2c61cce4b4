use std::time::{Duration, SystemTime};

use causeway_proto::{inventory::v1 as pb, time};

use super::{
    age, author_name, moment, plain, reported_health, reported_sync, short, split_staleness,
};

#[test]
fn ages_take_the_largest_fitting_unit() {
    let check = |seconds: u64, text: &str| {
        let then = time::to_millis(SystemTime::now() - Duration::from_secs(seconds));
        assert_eq!(age(Some(&time::millis_to_timestamp(then))), text);
    };
    check(5, "5s");
    check(125, "2m");
    check(3 * 3_600, "3h");
    check(8 * 86_400, "8d");
    assert_eq!(age(None), "-");
}

#[test]
fn hashes_are_cut_and_names_are_not() {
    assert_eq!(short("0123456789012345678901234567890123456789"), "0123456");
    assert_eq!(short("release-1.20"), "release-1.20");
}

#[test]
fn authors_lose_their_address() {
    assert_eq!(author_name("Ada L <ada@example.org>"), "Ada L");
    assert_eq!(author_name("Ada"), "Ada");
}

#[test]
fn moments_are_utc() {
    assert_eq!(
        moment(Some(&time::millis_to_timestamp(1_000))),
        "1970-01-01T00:00:01Z"
    );
}

#[test]
fn control_characters_of_commits_are_removed() {
    assert_eq!(author_name("Eve\u{1b}]0;x\u{7} <e@x.org>"), "Eve]0;x");
    assert_eq!(plain("one\u{1b}[2J\ntwo"), "one[2J");
}

#[test]
fn states_of_a_runtime_that_is_not_heard_say_how_old_they_are() {
    let now = time::to_millis(SystemTime::now());
    let application = pb::Application {
        status: Some(pb::ApplicationStatus {
            sync: Some(pb::SyncState {
                status: pb::SyncStatus::Synced.into(),
                ..pb::SyncState::default()
            }),
            ..pb::ApplicationStatus::default()
        }),
        stale_since: Some(time::millis_to_timestamp(now - 725_000)),
        ..pb::Application::default()
    };
    assert_eq!(reported_sync(&application), "Synced (stale 12m)");
    assert_eq!(reported_health(&application), "Unknown (stale 12m)");
    assert_eq!(split_staleness("Synced (stale 12m)"), ("Synced", true));
    let current = pb::Application {
        stale_since: None,
        ..application
    };
    assert_eq!(reported_sync(&current), "Synced");
    assert_eq!(split_staleness("Synced"), ("Synced", false));
}
