//! Two replicas on one server.

use causeway_testkit::{Postgres, wait_until};
use futures::future::join_all;

use super::*;
use crate::{
    fixture::{
        live_in,
        resource::{put, rollout},
        visible,
    },
    resource::ResourceFilter,
};

async fn two() -> Option<[Bench; 2]> {
    let url = Postgres::shared()?.database();
    Some([Bench::replica(&url).await, Bench::replica(&url).await])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commit_of_one_replica_notifies_watchers_of_the_other() {
    let Some([one, other]) = two().await else {
        return;
    };
    let reads = other.store.reads();
    assert_eq!(one.store.reads().incarnation(), reads.incarnation());
    let (mut listener, mut commits) = (
        reads.listen(),
        reads.commits().subscribe(&account("default")),
    );
    soon(listener.notified()).await;
    report(&*one.store, live("u1", "web", at(1, 1, 1))).await;
    soon(listener.notified()).await;
    reads.poll_commits().await.unwrap();
    soon(commits.wait_for(|change| *change == 1)).await.unwrap();
    assert_eq!(
        list_changes(&*other.store, 0).await,
        [(1, "u1".to_owned(), true)]
    );
    assert_eq!(names(&*other.store).await, listed(&[("web", 1)]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn change_numbers_of_two_replicas_have_no_gaps_or_duplicates() {
    let Some(benches) = two().await else {
        return;
    };
    let reports = (1..=40_u64).map(|number| {
        let store = &*benches[usize::from(number % 2 == 0)].store;
        let object = format!("u{number}");
        report(store, live(&object, &object, at(number, 1, number)))
    });
    join_all(reports).await;
    let numbers = list_changes(&*benches[0].store, 0).await;
    let numbers: Vec<u64> = numbers.into_iter().map(|(number, ..)| number).collect();
    assert_eq!(numbers, (1..=40).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn older_state_through_the_other_replica_replaces_nothing() {
    let Some([one, other]) = two().await else {
        return;
    };
    assert_eq!(
        write(&*one.store, Write::Epoch(scope())).await,
        Outcome::Epoch(1)
    );
    assert_eq!(
        write(&*other.store, Write::Epoch(scope())).await,
        Outcome::Epoch(2)
    );
    report(&*one.store, live("u1", "web", at(5, 2, 1))).await;
    let older = report(&*other.store, live("u1", "web", at(4, 1, 9))).await;
    assert_eq!(older, Outcome::Superseded);
    assert_eq!(names(&*other.store).await, listed(&[("web", 5)]));
}

#[tokio::test]
async fn pending_propagation_of_a_stopped_replica_is_finished_by_another() {
    let Some([mut one, other]) = two().await else {
        return;
    };
    let store = &*one.store;
    report(store, live_in("a1", "app", at(1, 1, 1), "shop", &[])).await;
    let mut puts = Vec::new();
    for number in 0..300_u64 {
        let name = format!("r{number:03}");
        let position = at(number + 2, 1, number);
        puts.push(put(store, rollout(&name, &name, position, Some("app"))));
    }
    join_all(puts).await;
    report(store, live_in("a1", "app", at(900, 1, 900), "bank", &[])).await;
    one.tasks.abort_all();
    while one.tasks.join_next().await.is_some() {}
    let seen = async |project: &str| {
        let rules = format!(r#"[{{"projects":["{project}"]}}]"#);
        resources::count(&*other.store, &ResourceFilter::within(visible(&rules))).await
    };
    wait_until("all to be told", crate::fixture::LONG, async || {
        let found = (seen("shop").await, seen("bank").await);
        (found == (0, 300))
            .then_some(())
            .ok_or(format!("{found:?}"))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_outlives_a_crash_of_the_server() {
    let Some(server) = Postgres::start() else {
        return;
    };
    let bench = Bench::replica(&server.database()).await;
    report(&*bench.store, live("u1", "web", at(1, 1, 1))).await;
    server.stop();
    let change = Arc::new(live("u2", "api", at(2, 1, 2)));
    let receipt = bench
        .store
        .submit(Write::Report(change.clone(), None))
        .await;
    let refused = receipt.unwrap().await.unwrap_err();
    assert!(
        matches!(refused, super::super::StoreError::Unavailable),
        "{refused:?}"
    );
    server.start_again();
    wait_until("a write", std::time::Duration::from_secs(30), async || {
        let receipt = bench
            .store
            .submit(Write::Report(change.clone(), None))
            .await;
        receipt.unwrap().await.map_err(|error| error.to_string())
    })
    .await;
    assert_eq!(
        names(&*bench.store).await,
        listed(&[("api", 2), ("web", 1)])
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn current_rows_are_found_by_index() {
    let Some(server) = Postgres::start() else {
        return;
    };
    let url = server.database();
    let bench = Bench::replica(&url).await;
    for round in 1..=20_u64 {
        let mut receipts = Vec::new();
        for number in 1..=40_u64 {
            let uid = format!("u{number}");
            let change = live(&uid, &uid, at(round, 1, round * 40 + number));
            let task = Write::Report(Arc::new(change), None);
            receipts.push(bench.store.submit(task).await.unwrap());
        }
        for receipt in receipts {
            assert_eq!(receipt.await.unwrap(), Outcome::Stored);
        }
    }
    let pool = sqlx::PgPool::connect(&url).await.unwrap();
    let scans = "SELECT coalesce(idx_scan, 0), coalesce(seq_scan, 0) FROM pg_stat_all_tables
                 WHERE schemaname = 'inventory' AND relname = 'application'";
    let searched = wait_until("the figures", crate::fixture::LONG, async || {
        let row: (i64, i64) = sqlx::query_as(scans).fetch_one(&pool).await.unwrap();
        (row.0 + row.1 * 40 >= 800)
            .then_some(row.1)
            .ok_or(format!("{row:?}"))
    })
    .await;
    // Once for each index that was made.
    assert!(searched < 40, "all was searched {searched} times");
}
