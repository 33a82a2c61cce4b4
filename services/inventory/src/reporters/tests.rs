use std::sync::Arc;

use super::*;
use crate::{
    application::Change,
    fixture::{Bench, account, at, joining, joining_in, live, scope, scope_of, visible, write},
    report::membership::Leaving,
    store::Write,
};

const OBJECTS: u64 = 400;

/// An inventory in which so many objects are held of the cluster, and as many of a namesake of another account.
async fn filled() -> Inventory {
    let bench = Bench::memory();
    for number in 1..=OBJECTS {
        for tenant in ["default", "other"] {
            let change = live(
                &format!("u{number}"),
                &format!("app-{number}"),
                at(number, 1, number),
            );
            let change = Change {
                scope: Arc::new(scope_of(tenant)),
                ..change
            };
            write(&*bench.store, Write::Report(Arc::new(change), None)).await;
        }
    }
    bench.inventory()
}

async fn join(inventory: &Inventory, instance: u128) -> Leaving {
    let joined = inventory
        .store()
        .memberships()
        .join(&joining(instance))
        .await;
    Leaving {
        scope: scope(),
        instance: Uuid::from_u128(instance),
        number: joined.unwrap().unwrap().number,
    }
}

async fn group(inventory: &Inventory) -> Group {
    let (account, all) = (account("default"), Visible::everything());
    let asked = (None, 10);
    let groups = inventory.reporters(&account, &all, "edge", asked).await;
    let (mut groups, more) = groups.unwrap();
    assert_eq!(more, None);
    assert_eq!(groups.len(), 1);
    groups.remove(0)
}

fn own(group: &Group, instance: u128) -> u64 {
    group.shares[&Uuid::from_u128(instance)].1
}

#[tokio::test]
async fn each_object_is_one_reporters_and_who_comes_gets_what_has_moved() {
    let inventory = filled().await;
    join(&inventory, 1).await;
    join(&inventory, 2).await;
    let two = group(&inventory).await;
    assert_eq!((two.objects, two.complete), (OBJECTS, true));
    assert_eq!(own(&two, 1) + own(&two, 2), OBJECTS);
    let three = {
        join(&inventory, 3).await;
        group(&inventory).await
    };
    let moved: u64 = [1, 2]
        .map(|it| own(&two, it) - own(&three, it))
        .iter()
        .sum();
    let (last, got) = three.last_move.unwrap();
    assert_eq!(
        (last.kind, last.instance),
        (MoveKind::Joined, Uuid::from_u128(3))
    );
    assert_eq!((got, own(&three, 3)), (moved, moved));
    assert!(three.version > two.version);
}

#[tokio::test]
async fn what_one_that_left_had_is_told_as_moved_and_nobody_has_what_nobody_reports() {
    let inventory = filled().await;
    let first = join(&inventory, 1).await;
    let second = join(&inventory, 2).await;
    let two = group(&inventory).await;
    inventory
        .store()
        .memberships()
        .leave(&[second])
        .await
        .unwrap();
    let one = group(&inventory).await;
    let (last, left) = one.last_move.unwrap();
    assert_eq!((last.kind, left), (MoveKind::Left, own(&two, 2)));
    assert_eq!(own(&one, 1), OBJECTS);
    inventory
        .store()
        .memberships()
        .leave(&[first])
        .await
        .unwrap();
    let none = group(&inventory).await;
    assert!(none.shares.is_empty());
    assert_eq!(none.last_move.unwrap().1, OBJECTS);
}

#[tokio::test]
async fn one_answer_looks_at_so_many_objects_and_says_so() {
    let inventory = filled().await;
    join(&inventory, 1).await;
    let roster = group(&inventory).await;
    let rosters = inventory.store().memberships();
    let rosters = rosters
        .list_by_runtime(&account("default"), "edge", (None, 1))
        .await;
    let (scope, whole) = rosters.unwrap().remove(0);
    for (most, complete) in [(0, false), (100, false), (OBJECTS + 1, true)] {
        let group = inventory.group(scope.clone(), whole.clone(), most).await;
        let group = group.unwrap();
        assert_eq!(
            (group.objects, group.complete),
            (most.min(OBJECTS), complete)
        );
    }
    assert!(roster.complete);
}

#[tokio::test]
async fn the_reporters_of_a_runtime_come_in_pages_and_each_page_is_counted_by_itself() {
    let inventory = filled().await;
    for (number, cluster) in (1..).zip(["in-cluster", "b", "a"]) {
        let rosters = inventory.store().memberships();
        for tenant in ["default", "other"] {
            let joining = joining_in(tenant, cluster, number);
            rosters.join(&joining).await.unwrap().unwrap();
        }
    }
    let (account, all) = (account("default"), Visible::everything());
    for size in 1..=4 {
        let (mut clusters, mut behind) = (Vec::new(), None);
        loop {
            let asked = (behind.as_ref(), size);
            let page = inventory.reporters(&account, &all, "edge", asked).await;
            let (groups, last) = page.unwrap();
            assert!(groups.len() <= size && groups.iter().all(|group| group.complete));
            clusters.extend(groups.iter().map(|group| group.scope.cluster.to_string()));
            if last.is_none() {
                break;
            }
            behind = last;
        }
        assert_eq!(clusters, ["a", "b", "in-cluster"], "in pages of {size}");
    }
    // Behind the last one is nothing, and that is no runtime that is not there.
    let end = Some(("z".to_owned(), String::new()));
    let none = inventory.reporters(&account, &all, "edge", (end.as_ref(), 1));
    assert!(none.await.unwrap().0.is_empty());
}

#[tokio::test]
async fn a_runtime_that_is_out_of_scope_is_as_one_that_is_not_there() {
    let inventory = filled().await;
    join(&inventory, 1).await;
    let ask = async |tenant: &str, rules: &str| {
        let (account, visible) = (account(tenant), visible(rules));
        let asked = (None, 10);
        let asked = inventory.reporters(&account, &visible, "edge", asked).await;
        asked
            .map(|(groups, _)| groups)
            .map_err(|error| error.to_string())
    };
    let absent = {
        let (account, all) = (account("default"), Visible::everything());
        let asked = (None, 10);
        let asked = inventory.reporters(&account, &all, "none", asked).await;
        asked.unwrap_err().to_string().replace("none", "edge")
    };
    for rules in ["[{}]", r#"[{"runtimes":["ed*"]}]"#] {
        assert_eq!(ask("default", rules).await.unwrap().len(), 1);
        assert_eq!(ask("other", rules).await.unwrap_err(), absent);
    }
    for rules in [
        "[]",
        r#"[{"runtimes":["west"]}]"#,
        r#"[{"runtimes":["edge"],"projects":["shop"]}]"#,
        r#"[{"clusters":["in-cluster"]}]"#,
    ] {
        assert_eq!(ask("default", rules).await.unwrap_err(), absent, "{rules}");
    }
}
