use std::path::Path;

use causeway_database::{DatabaseArgs, query};
use causeway_testkit::{Postgres, wait_until};
use tokio::task::JoinSet;

use super::*;
use crate::store::sql::schema::MIGRATIONS;

const SOON: Duration = Duration::from_secs(60);

/// Planner's row count of the image table; negative before the first ANALYZE.
async fn planner_row_count(database: &Database) -> i64 {
    let asked = "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = 'image'::regclass";
    let row = query(asked).fetch_one(database).await.unwrap();
    row.try_get(0).unwrap()
}

#[tokio::test]
async fn analyzes_after_the_first_rows() {
    runs_analyze(AnalyzePolicy {
        writes: 1_000,
        idle: SOON,
        first_writes: 3,
    })
    .await;
}

#[tokio::test]
async fn analyzes_after_many_writes() {
    runs_analyze(AnalyzePolicy {
        // no database has so little that it counts as young
        writes: 0,
        idle: Duration::from_millis(1),
        first_writes: u64::MAX,
    })
    .await;
}

async fn runs_analyze(policy: AnalyzePolicy) {
    let Some(server) = Postgres::shared() else {
        return;
    };
    let args = DatabaseArgs::from_url(server.database());
    let opened = Database::open(&args, "inventory", Path::new(""), &MIGRATIONS).await;
    let database = opened.unwrap();
    let mut transaction = database.begin().await.unwrap();
    query(
        "INSERT INTO image (account, runtime, cluster, uid, at_cluster, at_namespace, at_name, repository, tag, digest)
         VALUES ('a', 'r', 'c', 'u', 'c', 'n', 'x', 'shop', '1', '')",
    )
    .execute(&mut transaction)
    .await
    .unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(planner_row_count(&database).await, -1);
    let (sender, written) = watch::channel(2);
    let mut looking = JoinSet::new();
    looking.spawn(run(database.clone(), written, policy));
    sender.send(3).unwrap();
    wait_until(
        "the server looks",
        SOON,
        async || match planner_row_count(&database).await {
            1 => Ok(()),
            other => Err(format!("{other} images")),
        },
    )
    .await;
}
