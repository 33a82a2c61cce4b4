use super::*;
use crate::quota::Quotas;

async fn open(bench: &Bench, objects: u64) -> (Inventory, Wire) {
    let inventory = bench.inventory().with_quotas(Quotas {
        objects_per_runtime: objects,
        ..Quotas::DEFAULT
    });
    let (wire, _, _) = Wire::open(&inventory, hello(1)).await;
    (inventory, wire)
}

async fn refused(wire: &mut Wire) -> Rejection {
    let next = wire.next().await;
    let Outgoing::Rejected(rejection) = next else {
        panic!("{next:?}");
    };
    rejection
}

#[tokio::test]
async fn a_new_object_beyond_the_quota_is_refused_and_held_ones_change_and_go() {
    for bench in Bench::all().await {
        let (_inventory, mut wire) = open(&bench, 2).await;
        for (sequence, name) in [(1, "one"), (2, "two")] {
            wire.send(sent(report(sequence, name, sequence)));
            assert_eq!(wire.acknowledged(1).await, [sequence]);
        }
        wire.send(sent(report(3, "three", 3)));
        let rejection = refused(&mut wire).await;
        assert_eq!((rejection.sequence, rejection.fault), (3, Fault::TooLarge));
        assert_eq!(rejection.error.field, "quota");
        assert!(
            rejection.error.problem.contains("2 objects and may have 2"),
            "{}",
            rejection.error
        );
        wire.send(sent(report(4, "one", 4)));
        assert_eq!(wire.acknowledged(1).await, [4], "a change passes");
        let gone = Report {
            state: None,
            ..report(5, "two", 5)
        };
        wire.send(sent(gone));
        assert_eq!(wire.acknowledged(1).await, [5], "a deletion passes");
        wire.send(sent(report(6, "three", 3)));
        assert_eq!(wire.acknowledged(1).await, [6], "there is room again");
        let held = versions(&*bench.store).await;
        assert_eq!(held, [("one".to_owned(), 4), ("three".to_owned(), 3)]);
    }
}

#[tokio::test]
async fn what_a_refused_object_brings_is_not_kept() {
    let bench = Bench::sqlite().await;
    let (_inventory, mut wire) = open(&bench, 0).await;
    wire.send(sent(report(1, "one", 1)));
    refused(&mut wire).await;
    let owner = (account("default"), "rt-one".parse().unwrap());
    let usage = bench.store.reads().usage(&owner).await.unwrap();
    assert_eq!(usage, crate::quota::Usage::default());
}
