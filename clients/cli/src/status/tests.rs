use std::time::{Duration, SystemTime};

use super::*;

fn ago(seconds: u64) -> Option<prost_types::Timestamp> {
    Some((SystemTime::now() - Duration::from_secs(seconds)).into())
}

fn part(name: &str, health: pb::Health) -> pb::PartStatus {
    pb::PartStatus {
        part: name.to_owned(),
        side: Side::Platform.into(),
        health: health.into(),
        last_seen_at: ago(40),
        ..pb::PartStatus::default()
    }
}

fn runtime(name: &str, connection: pb::Connection) -> pb::Runtime {
    pb::Runtime {
        name: name.to_owned(),
        connection: connection.into(),
        last_seen_at: ago(725),
        ..pb::Runtime::default()
    }
}

#[test]
fn problems_name_offline_runtimes_full_disks_and_lost_parts() {
    let full = pb::PartStatus {
        pending: vec!["writable database".to_owned()],
        notices: vec!["the disk of /data is full (5 MiB are free)".to_owned()],
        ..part("inventory", pb::Health::NotServing)
    };
    let starting = pb::PartStatus {
        pending: vec!["store".to_owned()],
        ..part("tunnel-server", pb::Health::NotServing)
    };
    let parts = [
        part("platform", pb::Health::Serving),
        part("request-router", pb::Health::Lost),
        full,
        starting,
    ];
    let runtimes = [
        runtime("edge", pb::Connection::Offline),
        runtime("west", pb::Connection::Online),
        runtime("old", pb::Connection::Revoked),
        runtime("south", pb::Connection::Reporting),
    ];
    let found: Vec<_> = problems(&parts, &runtimes).into_iter().collect();
    let expected = [
        (
            "inventory (platform)",
            "not serving: the disk of /data is full (5 MiB are free)",
        ),
        ("request-router (platform)", "lost, last seen 40s ago"),
        (
            "runtime edge",
            "offline, last seen 12m ago; what it reported is stale",
        ),
        ("tunnel-server (platform)", "not serving: store"),
    ];
    let expected = expected.map(|(subject, reason)| (subject.to_owned(), reason.to_owned()));
    assert_eq!(found, expected);
}

#[test]
fn platform_in_order_has_no_problems() {
    let notice = pb::PartStatus {
        notices: vec!["3 objects cannot be read".to_owned()],
        ..part("inventory", pb::Health::Serving)
    };
    let online = [runtime("edge", pb::Connection::Online)];
    assert_eq!(problems(&[notice], &online), Problems::new());
}
