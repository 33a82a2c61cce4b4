//! Histories that are broken on the disk.

use super::*;

#[tokio::test]
async fn corrupt_history_is_reported_and_others_stay_readable() {
    let bench = Bench::sqlite().await;
    let path = bench.folder.as_ref().unwrap().path().join("inventory.db");
    let (store, ours) = (&*bench.store, account("default"));
    for version in 1..=3_u64 {
        report(store, change("u1", version, &version.to_string())).await;
    }
    report(store, live("u2", "api", at(4, 1, 4))).await;
    let story = story_of(store, &ours, "web").await.unwrap();
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let reads = store.reads();
    let until = Moment::last_at(i64::MAX);
    for broken in [
        "UPDATE history SET content = (SELECT content FROM history WHERE resource_version = 4) WHERE resource_version = 1",
        "DELETE FROM history WHERE resource_version = 1",
    ] {
        sqlx::raw_sql(broken).execute(&pool).await.unwrap();
        let entries = reads
            .history_entries(&ours, story.id, until, 1)
            .await
            .unwrap();
        assert!(latest_state(&entries).is_err(), "{broken}");
    }
    let kinds = "UPDATE history SET facts = facts | 3";
    sqlx::raw_sql(kinds).execute(&pool).await.unwrap();
    let refused = reads.history_entries(&ours, story.id, until, 1).await;
    assert!(matches!(refused, Err(StoreError::Corrupt("history"))));
    thin(
        store,
        RetentionRules {
            from: 0,
            full_from: in_an_hour(),
        },
    )
    .await;
    pool.close().await;
}

#[tokio::test]
async fn corrupt_history_does_not_stop_compaction_of_others() {
    let bench = Bench::sqlite().await;
    let path = bench.folder.as_ref().unwrap().path().join("inventory.db");
    let store = &*bench.store;
    for version in 1..=100_u64 {
        report(store, change("u1", version, &version.to_string())).await;
    }
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    // That it comes to an end is what is shown.
    for broken in [
        "UPDATE history SET content = X'00' WHERE resource_version = 98",
        "DELETE FROM history WHERE resource_version = 97",
    ] {
        sqlx::raw_sql(broken).execute(&pool).await.unwrap();
        let rules = RetentionRules {
            from: in_an_hour(),
            full_from: in_an_hour(),
        };
        thin(store, rules).await;
    }
    pool.close().await;
}
