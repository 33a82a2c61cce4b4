use super::*;

const KIND: ObjectKind = ObjectKind::Application;

fn owner(runtime: &str) -> Owner {
    ("default".parse().unwrap(), runtime.parse().unwrap())
}

fn ledger(objects: u64, mib: u64) -> QuotaLedger {
    QuotaLedger::new(Quotas {
        objects_per_runtime: objects,
        mib_per_runtime: mib,
        history_per_runtime: 1,
    })
}

fn objects(objects: u64) -> Usage {
    Usage {
        objects,
        ..Usage::default()
    }
}

#[test]
fn a_runtime_far_below_its_quota_is_counted_once() {
    let (ledger, owner) = (ledger(1000, 1), owner("a"));
    assert_eq!(ledger.note(&owner, &KIND, 1), Room::Unknown);
    assert_eq!(ledger.counted(&owner, &KIND, objects(10)), None);
    for report in 0..900 {
        assert_eq!(ledger.note(&owner, &KIND, 1), Room::Enough, "{report}");
    }
}

#[test]
fn a_runtime_near_its_quota_is_counted_again_after_a_hundredth_of_it() {
    let (ledger, owner) = (ledger(1000, 1), owner("a"));
    ledger.counted(&owner, &KIND, objects(999));
    let mut reports = 0;
    while ledger.note(&owner, &KIND, 1) == Room::Enough {
        reports += 1;
    }
    assert!(reports < 11, "{reports}");
}

#[tokio::test(start_paused = true)]
async fn a_reached_quota_is_counted_again_after_a_deletion_or_a_while() {
    let (ledger, owner) = (ledger(1000, 1), owner("a"));
    let error = ledger.counted(&owner, &KIND, objects(1000)).unwrap();
    assert!(error.to_string().contains("1000 objects"), "{error}");
    assert_eq!(ledger.note(&owner, &KIND, 1), Room::None(error));
    ledger.note_deletion(&owner, &KIND);
    assert_eq!(ledger.note(&owner, &KIND, 1), Room::Unknown);
    ledger.counted(&owner, &KIND, objects(1000));
    tokio::time::advance(COUNT_HOLDS).await;
    assert_eq!(ledger.note(&owner, &KIND, 1), Room::Unknown);
}

#[test]
fn bytes_have_a_quota_of_their_own_and_events_do_not_count_as_objects() {
    let (ledger, owner) = (ledger(10, 1), owner("a"));
    let large = Usage {
        bytes: 1 << 20,
        ..Usage::default()
    };
    let error = ledger.counted(&owner, &KIND, large).unwrap();
    assert!(error.to_string().contains("1 MiB"), "{error}");
    let events = Usage {
        events: 10,
        ..Usage::default()
    };
    assert_eq!(ledger.counted(&owner, &KIND, events), None);
    assert!(ledger.counted(&owner, &ObjectKind::Event, events).is_some());
}

#[test]
fn another_runtimes_usage_does_not_count() {
    let ledger = ledger(10, 1);
    ledger.counted(&owner("a"), &KIND, objects(10));
    assert_eq!(ledger.note(&owner("b"), &KIND, 1), Room::Unknown);
}
