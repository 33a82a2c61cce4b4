//! What nobody needs any more goes, whatever else happens.

use std::path::PathBuf;

use causeway_testkit::{Postgres, wait_until};

use super::*;
use crate::{
    cleanup::run_once,
    deployment::{DeploymentFilter, Ended, Phase},
    fixture::resource::{put, rollout, rollout_gone},
    history::retention::RetentionRules,
    store::{Garbage, StoreError},
};

const FOR_EVER: RetentionRules = RetentionRules {
    from: 0,
    full_from: 0,
};

fn path(bench: &Bench) -> PathBuf {
    bench.folder.as_ref().unwrap().path().join("inventory.db")
}

async fn on_file(bench: &Bench, sql: &'static str) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path(bench));
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    sqlx::raw_sql(sql).execute(&pool).await.unwrap();
    pool.close().await;
}

/// More of each kind than go at once.
async fn filled(store: &dyn Store) {
    for number in 1..=8_u64 {
        let uid = format!("u{number}");
        let operation = Ended {
            started_at: 10,
            mark: "deployment".to_owned(),
            phase: Phase::Succeeded,
            content: bytes::Bytes::from_static(b"content"),
            commit: bytes::Bytes::new(),
        };
        let manifest = Digest::of(uid.as_bytes());
        let kept = Write::Manifest(
            (account("default"), "rt-one".parse().unwrap()),
            manifest,
            uid.clone().into(),
        );
        write(store, kept).await;
        let mut change = live(&uid, &uid, at(number, 1, number));
        change.operations.push(operation);
        change.state.as_mut().unwrap().manifests.push(manifest);
        report(store, change).await;
        report(store, gone(&uid, &uid, at(100 + number, 1, 100 + number))).await;
        put(store, rollout(&uid, &uid, at(number, 1, number), None)).await;
        put(
            store,
            rollout_gone(&uid, &uid, at(100 + number, 1, 100 + number)),
        )
        .await;
    }
}

async fn operations(store: &dyn Store) -> usize {
    let (sought, account) = (
        DeploymentFilter {
            of: all(),
            ..DeploymentFilter::default()
        },
        account("default"),
    );
    let found = store.reads().list_deployments(&account, &sought, None, 100);
    found.await.unwrap().unwrap().items.len()
}

#[tokio::test]
async fn one_run_collects_all_garbage() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        filled(store).await;
        assert_eq!(forget(store, keep(3600)).await, (0, 0));
        assert_eq!(forget(store, keep(0)).await, (16, 8));
        assert_eq!(list_changes(store, 0).await, []);
        assert_eq!(operations(store).await, 0);
        // The neighbour's are there still.
        let neighbour = account(crate::fixture::NEIGHBOUR);
        let extent = store.reads().change_bounds(&neighbour);
        assert_eq!(extent.await.unwrap().forgotten, 0);
    }
}

#[tokio::test]
async fn failed_collection_does_not_stop_other_kinds() {
    let bench = Bench::sqlite().await;
    let store = &*bench.store;
    filled(store).await;
    on_file(
        &bench,
        "CREATE TRIGGER refuse BEFORE DELETE ON application BEGIN SELECT raise(ABORT, 'no'); END",
    )
    .await;
    report(store, live("v", "v", at(200, 1, 200))).await;
    report(store, live("v", "v", at(201, 1, 201))).await;
    let all = RetentionRules {
        from: i64::MAX - 1,
        ..FOR_EVER
    };
    run_once(store, keep(0), all).await;
    assert_eq!(operations(store).await, 0);
    let digest = Digest::of(b"u1");
    let ours = account("default");
    let manifest = store.reads().manifest(&ours, &digest);
    assert_eq!(manifest.await.unwrap(), None);
    let entries = history::entries(store, &account("default"), "v").await;
    assert_eq!(entries.len(), 1, "its history is thin");
}

/// Writes that came together, while nobody could write.
#[tokio::test]
async fn failed_maintenance_does_not_fail_reports() {
    let Some(server) = Postgres::shared() else {
        return;
    };
    let url = server.database();
    let bench = Bench::replica(&url).await;
    let store = &*bench.store;
    filled(store).await;
    let other = sqlx::PgPool::connect(&url).await.unwrap();
    let mut locked = other.begin().await.unwrap();
    sqlx::raw_sql("LOCK TABLE inventory.deployment IN ACCESS EXCLUSIVE MODE")
        .execute(&mut *locked)
        .await
        .unwrap();
    let old = Write::Collect(Garbage::Deployments, std::time::Duration::ZERO);
    let change = Write::Report(Arc::new(live("v", "v", at(200, 1, 200))), None);
    let (old, change) = (store.submit(old).await, store.submit(change).await);
    assert_eq!(change.unwrap().await.unwrap(), Outcome::Stored);
    let refused = old.unwrap().await;
    assert!(
        matches!(refused, Err(StoreError::Unavailable)),
        "{refused:?}"
    );
    locked.rollback().await.unwrap();
    assert_eq!(forget(store, keep(0)).await, (16, 8));
}

#[tokio::test]
async fn references_are_read_once_per_round() {
    let bench = Bench::sqlite().await;
    let store = &*bench.store;
    filled(store).await;
    let first = write(
        store,
        Write::Collect(Garbage::UnreferencedManifests(0), crate::fixture::LONG),
    )
    .await;
    on_file(&bench, "ALTER TABLE application RENAME TO elsewhere").await;
    let Outcome::Collected {
        next: Some(Garbage::UnreferencedManifests(after)),
        ..
    } = first
    else {
        panic!("more are left than are found at once: {first:?}");
    };
    let age = std::time::Duration::ZERO;
    let forgotten =
        crate::cleanup::collect(store, Garbage::UnreferencedManifests(after), age).await;
    assert_eq!(forgotten.unwrap(), 0);
    let forgotten = crate::cleanup::collect(store, Garbage::UnusedManifests, age).await;
    assert_eq!(forgotten.unwrap(), 8);
    on_file(&bench, "ALTER TABLE elsewhere RENAME TO application").await;
}

#[tokio::test]
async fn manifest_referenced_during_a_sweep_is_kept() {
    let bench = Bench::sqlite().await;
    let store = &*bench.store;
    let digest = Digest::of(b"one");
    write(
        store,
        Write::Manifest(
            (account("default"), "rt-one".parse().unwrap()),
            digest,
            "one".into(),
        ),
    )
    .await;
    let mut change = live("u1", "web", at(1, 1, 1));
    change.state.as_mut().unwrap().manifests.push(digest);
    write(store, Write::Report(Arc::new(change), None)).await;
    // As if it had been found before the report came.
    on_file(
        &bench,
        "UPDATE manifest SET unused_since = unixepoch() * 1000",
    )
    .await;
    forget(store, keep(3600)).await;
    write(
        store,
        Write::Report(Arc::new(gone("u1", "web", at(2, 1, 2))), None),
    )
    .await;
    let begun = tokio::time::Instant::now();
    let long = std::time::Duration::from_millis(1_500);
    wait_until("time to pass", 100 * long, async || {
        (begun.elapsed() > long)
            .then_some(())
            .ok_or_else(String::new)
    })
    .await;
    let old = Write::Collect(Garbage::UnusedManifests, long / 2);
    write(store, old).await;
    let ours = account("default");
    let kept = store.reads().manifest(&ours, &digest);
    assert!(kept.await.unwrap().is_some());
}
