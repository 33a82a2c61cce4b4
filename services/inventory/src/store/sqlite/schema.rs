//! The schema and its history. A database of a newer version is never touched.

use std::path::Path;

use sqlx::{Connection as _, SqliteConnection};

use super::OpenError;

/// Step n brings a database from schema n to schema n + 1; a step never changes once it has been released.
const STEPS: [&str; 1] = ["
    CREATE TABLE store (
        only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
        incarnation INTEGER NOT NULL
    );
    INSERT INTO store (only_row, incarnation) VALUES (1, random());
    CREATE TABLE account (
        account TEXT PRIMARY KEY,
        latest_change INTEGER NOT NULL DEFAULT 0,
        forgotten_change INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE epoch (
        account TEXT NOT NULL,
        runtime TEXT NOT NULL,
        kind TEXT NOT NULL,
        cluster TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (account, runtime, kind, cluster)
    ) WITHOUT ROWID;
    CREATE TABLE application (
        id INTEGER PRIMARY KEY,
        account TEXT NOT NULL,
        runtime TEXT NOT NULL,
        runtime_name TEXT NOT NULL,
        cluster TEXT NOT NULL,
        uid TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name TEXT NOT NULL,
        resource_version INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        deleted INTEGER NOT NULL,
        change INTEGER,
        received_at INTEGER NOT NULL,
        project TEXT NOT NULL,
        labels TEXT NOT NULL,
        past TEXT NOT NULL,
        sync INTEGER NOT NULL,
        health INTEGER NOT NULL,
        root_digest BLOB NOT NULL,
        manifests BLOB NOT NULL,
        basic BLOB NOT NULL,
        detail BLOB NOT NULL
    );
    CREATE UNIQUE INDEX application_uid ON application (account, runtime, cluster, uid);
    CREATE UNIQUE INDEX application_name ON application (account, runtime, cluster, namespace, name) WHERE deleted = 0;
    CREATE INDEX application_key ON application (account, runtime_name, namespace, name, cluster, runtime, project, labels) WHERE deleted = 0;
    CREATE INDEX application_project ON application (account, project, runtime_name, namespace, name, cluster, runtime) WHERE deleted = 0;
    CREATE INDEX application_namespace ON application (account, namespace, runtime_name, name, cluster, runtime) WHERE deleted = 0;
    CREATE INDEX application_named ON application (account, name, runtime_name, namespace, cluster, runtime) WHERE deleted = 0;
    CREATE UNIQUE INDEX application_change ON application (account, change);
    CREATE INDEX application_gone ON application (received_at) WHERE deleted = 1;
    CREATE TABLE manifest (
        id INTEGER PRIMARY KEY,
        account TEXT NOT NULL,
        digest BLOB NOT NULL,
        stored_at INTEGER NOT NULL,
        content BLOB NOT NULL,
        UNIQUE (account, digest)
    );
    CREATE INDEX manifest_stored ON manifest (stored_at);
"];

/// Brings the database to the schema of this version.
pub(super) async fn migrate(
    connection: &mut SqliteConnection,
    folder: &Path,
    path: &Path,
) -> Result<(), OpenError> {
    let failed = |error| OpenError::Database(path.to_owned(), error);
    let found = version(connection).await.map_err(failed)?;
    let known = i64::try_from(STEPS.len()).expect("there are few steps");
    if found > known {
        return Err(OpenError::Newer {
            folder: folder.to_owned(),
            found,
            known,
        });
    }
    let done = usize::try_from(found).unwrap_or(0);
    for (step, number) in STEPS.iter().zip(1..).skip(done) {
        advance(connection, step, number).await.map_err(failed)?;
    }
    Ok(())
}

async fn version(connection: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(connection)
        .await
}

async fn advance(
    connection: &mut SqliteConnection,
    step: &'static str,
    number: i64,
) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin().await?;
    sqlx::raw_sql(step).execute(&mut *transaction).await?;
    let mark = format!("PRAGMA user_version = {number}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(mark))
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await
}

/// The random number that the database was made with.
pub(super) async fn incarnation(connection: &mut SqliteConnection) -> Result<u64, sqlx::Error> {
    let number: i64 = sqlx::query_scalar("SELECT incarnation FROM store")
        .fetch_one(connection)
        .await?;
    Ok(number.cast_unsigned())
}
