//! Connections whose caller was cancelled or whose server stopped responding.

use std::time::Duration;

use causeway_testkit::wait_until;
use futures::TryStreamExt as _;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::timeout;

use super::*;
use crate::{Transaction, is_unavailable};

const SOON: Duration = Duration::from_secs(60);
/// Waiting writers and idle transactions.
const WAITING_BACKENDS: &str =
    "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
    WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted";
const OPEN: &str = "SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND state LIKE 'idle in transaction%'";

/// Two replicas, one of which has few connections.
struct Replicas {
    few: Subject,
    other: Subject,
}

impl Replicas {
    async fn of(server: &Postgres) -> Self {
        let args = args(server.database());
        let few = DatabaseArgs {
            database_connections: 2,
            ..args.clone()
        };
        Self {
            few: Subject::open(&few).await,
            other: Subject::open(&args).await,
        }
    }

    async fn count(&self, sql: &'static str) -> i64 {
        let row = query(sql).fetch_one(&self.other.database).await.unwrap();
        row.try_get(0).unwrap()
    }

    /// Uses all connections repeatedly until none is in a transaction.
    async fn rest(&self) {
        wait_until("no transaction", SOON, async || {
            for _ in 0..4 {
                self.few.names().await;
            }
            match self.count(OPEN).await {
                0 => Ok(()),
                open => Err(format!("{open} open")),
            }
        })
        .await;
        self.few.add("after").await.unwrap();
        self.other.add("at last").await.unwrap();
        assert_eq!(self.few.names().await, ["after", "at last"]);
    }
}

/// Keeps a transaction idle until the server ends it.
async fn hold(transaction: &mut Transaction) -> Error {
    loop {
        let read = query("SELECT 1").fetch_one(&mut *transaction).await;
        if let Err(error) = read {
            return error;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_while_it_waits_to_write_leaves_no_transaction() {
    let Some(server) = Postgres::shared() else {
        return;
    };
    let replicas = Replicas::of(server).await;
    let holder = replicas.other.database.begin().await.unwrap();
    let waits = wait_until("a writer that waits", SOON, async || {
        match replicas.count(WAITING_BACKENDS).await {
            0 => Err("none".to_owned()),
            _ => Ok(()),
        }
    });
    tokio::pin!(waits);
    loop {
        tokio::select! {
            begun = replicas.few.database.begin() => assert!(begun.is_err()),
            () = &mut waits => break,
        }
    }
    drop(holder);
    replicas.rest().await;
}

#[tokio::test]
async fn a_caller_that_waits_too_long_to_write_is_told_so_and_leaves_no_transaction() {
    let Some(server) = Postgres::shared() else {
        return;
    };
    let replicas = Replicas::of(server).await;
    let mut holder = replicas.other.database.begin().await.unwrap();
    let error = tokio::select! {
        begun = replicas.few.database.begin() => begun.err().unwrap(),
        error = hold(&mut holder) => panic!("{error}"),
    };
    assert!(is_unavailable(&error), "{error:?}");
    replicas.few.names().await;
    drop(holder);
    replicas.rest().await;
}

#[tokio::test]
async fn a_connection_in_a_transaction_that_nobody_holds_is_not_used_again() {
    let Some(server) = Postgres::shared() else {
        return;
    };
    let replicas = Replicas::of(server).await;
    let Database::Postgres(few) = &replicas.few.database else {
        panic!("it is on a server");
    };
    for sql in ["BEGIN", "BEGIN; SELECT 1 / 0"] {
        let _ = sqlx::raw_sql(sql).execute(&few.pool).await;
    }
    replicas.rest().await;
}

#[tokio::test]
async fn rows_that_do_not_come_end_in_time_and_cost_no_connection() {
    let Some(server) = Postgres::start() else {
        return;
    };
    let replicas = Replicas::of(&server).await;
    let mut stopped = Vec::new();
    for _ in 0..3 {
        let sql = "SELECT pg_backend_pid()::BIGINT, generate_series(1, 1000000)";
        let mut rows = query(sql).fetch(&replicas.few.database);
        let first = rows.try_next().await.unwrap().unwrap();
        let process: i64 = first.try_get(0).unwrap();
        let process = Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
        kill_process(process, Signal::STOP).unwrap();
        stopped.push(process);
        // From here on only simulated time passes.
        tokio::time::pause();
        let rest = timeout(SOON, rows.try_for_each(async |_| Ok(()))).await;
        tokio::time::resume();
        let error = rest.expect("it ends").unwrap_err();
        assert!(is_unavailable(&error), "{error:?}");
    }
    wait_until("a connection that is used again", SOON, async || {
        let added = replicas.few.add("after").await;
        added.map_err(|error| error.to_string())
    })
    .await;
    for process in stopped {
        kill_process(process, Signal::CONT).unwrap();
    }
}

#[tokio::test]
async fn where_a_disk_was_full_there_are_transactions_again_once_there_is_room() {
    let subject = Subject::sqlite().await;
    let mut transaction = subject.database.begin().await.unwrap();
    // Limits the file to its current pages; connections that are opened later have no limit.
    let limit = query("PRAGMA max_page_count = 1").execute(&mut transaction);
    limit.await.unwrap();
    let much = query("INSERT INTO things (name, bytes, heavy) VALUES ('much', $1, $2)")
        .bind(&vec![7_u8; 1 << 20][..])
        .bind(true)
        .execute(&mut transaction);
    let refused = much.await.unwrap_err().to_string();
    assert!(refused.contains("full"), "{refused}");
    drop(transaction);
    subject.add("one").await.unwrap();
    assert_eq!(subject.names().await, ["one"]);
}
